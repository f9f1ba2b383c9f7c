// SPDX-License-Identifier: Apache-2.0
// Ids of texts and texts of ids: what another library makes of them, a plain form of the merges,
// and texts that come token by token.
#include "ow/text/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "draws.h"
#include "messages.h"
#include "ow/base/json.h"
#include "ow/base/rng.h"
#include "seed.h"
#include "tokenizer_file.h"

namespace ow {
namespace {

using nlohmann::json;

const std::string kReference = OW_SOURCE_DIR "/tb/sw/text/reference/";
const std::string kCarroll = OW_SOURCE_DIR "/data/models/carroll/";

class Reference : public testing::TestWithParam<const char*> {};

TEST_P(Reference, GivesTheSameIdsAndTexts) {
  const Tokenizer tokenizer(kReference + GetParam() + ".json");
  const json cases = read_json(kReference + GetParam() + "_cases.json");
  ASSERT_GT(cases.size(), 40u);
  for (const json& one : cases) {
    const auto text = one["text"].get<std::string>();
    SCOPED_TRACE(json_text(text));
    const auto ids = one["ids"].get<std::vector<int>>();
    EXPECT_EQ(tokenizer.encode(text), ids);
    EXPECT_EQ(tokenizer.encode(text, SpecialNames::AsTokens),
              one.value("with_special", one["ids"]).get<std::vector<int>>());
    EXPECT_EQ(tokenizer.decode(ids), one["decoded"].get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Tokenizers, Reference,
                         testing::Values("byte_level", "byte_fallback", "metaspace"));

TEST(Tokenizer, OfTheSmallModelThatIsHere) {
  const Tokenizer tokenizer(kCarroll + "tokenizer.json");
  const json greedy = read_json(kCarroll + "greedy.json");
  EXPECT_EQ(tokenizer.size(), 1024);
  EXPECT_EQ(tokenizer.encode("Alice was beginning to"), greedy["prompt"].get<std::vector<int>>());
  const std::string text = tokenizer.decode(greedy["tokens"].get<std::vector<int>>());
  expect_in(" the\nQueen to the Queen, and she found it was saying to herself, and\nshe was", text);
  EXPECT_EQ(tokenizer.encode(text), greedy["tokens"].get<std::vector<int>>());
  // One form of a letter for both of its spellings; one token for each unknown character.
  EXPECT_EQ(tokenizer.encode("u\xCC\x80"), tokenizer.encode("\xC3\xB9"));
  EXPECT_EQ(tokenizer.encode("<bos>"), (std::vector<int>{1, 57, 886, 1}));
  EXPECT_EQ(tokenizer.encode("<bos>", SpecialNames::AsTokens), std::vector<int>{2});
  EXPECT_EQ(tokenizer.decode({2, 494, 3}), "Alice");
}

TEST(Tokenizer, KnowsItsTokens) {
  const Tokenizer tokenizer(kReference + "byte_level.json");
  EXPECT_EQ(tokenizer.before(), std::vector<int>{0});
  EXPECT_TRUE(tokenizer.after().empty());
  EXPECT_EQ(tokenizer.size(), 400);
  EXPECT_EQ(tokenizer.find("<|end|>"), 1);
  EXPECT_EQ(tokenizer.find("<|middle|>"), std::nullopt);
  EXPECT_EQ(tokenizer.name(1), "<|end|>");
  EXPECT_EQ(tokenizer.name(400), "");
  EXPECT_EQ(tokenizer.name(-1), "");
  EXPECT_TRUE(tokenizer.special(1));
  EXPECT_FALSE(tokenizer.special(2));
  EXPECT_FALSE(tokenizer.special(400));
}

// Join the pair of the lowest merge, the leftmost of equal ones, until there is none.
std::vector<std::string> plain_merges(
    const std::string& text, const std::vector<std::pair<std::string, std::string>>& merges) {
  std::map<std::pair<std::string, std::string>, size_t> ranks;
  for (const auto& merge : merges) ranks.emplace(merge, ranks.size());
  std::vector<std::string> symbols;
  for (const char c : text) symbols.emplace_back(1, c);
  while (true) {
    size_t best = ranks.size(), at = 0;
    for (size_t k = 0; k + 1 < symbols.size(); ++k) {
      const auto found = ranks.find({symbols[k], symbols[k + 1]});
      if (found != ranks.end() && found->second < best) {
        best = found->second;
        at = k;
      }
    }
    if (best == ranks.size()) return symbols;
    symbols[at] += symbols[at + 1];
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

// Merges in any order, so that a token may come from several pairs and a later merge may make a
// pair that an earlier one joins.
TEST(Tokenizer, MergesAsTheRuleSays) {
  for (const uint64_t seed : test_seeds(1, draws(80))) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    std::vector<std::string> tokens = {"a", "b", "c"};
    std::vector<std::pair<std::string, std::string>> merges;
    for (int k = 0; k < 30; ++k) {
      const std::string left = tokens[rng.below(tokens.size())];
      const std::string right = tokens[rng.below(tokens.size())];
      if (left.size() + right.size() > 12) continue;
      if (std::find(merges.begin(), merges.end(), std::make_pair(left, right)) != merges.end()) {
        continue;
      }
      merges.insert(merges.begin() + static_cast<std::ptrdiff_t>(rng.below(merges.size() + 1)),
                    {left, right});
      if (std::find(tokens.begin(), tokens.end(), left + right) == tokens.end()) {
        tokens.push_back(left + right);
      }
    }
    const Tokenizer tokenizer = tokenizer_of(tokenizer_json(tokens, merges));
    for (int k = 0; k < 30; ++k) {
      std::string text;
      for (uint64_t n = rng.below(60); n > 0; --n) text += static_cast<char>('a' + rng.below(3));
      std::vector<std::string> names;
      for (const int id : tokenizer.encode(text)) names.push_back(tokenizer.name(id));
      EXPECT_EQ(names, plain_merges(text, merges)) << text;
      EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
    }
  }
}

// A word of a million characters: a square of steps would take hours.
TEST(Tokenizer, TakesTimeInProportionToTheText) {
  std::vector<std::string> tokens = {"a"};
  std::vector<std::pair<std::string, std::string>> merges;
  while (tokens.back().size() < 1024) {
    merges.emplace_back(tokens.back(), tokens.back());
    tokens.push_back(tokens.back() + tokens.back());
  }
  const Tokenizer tokenizer = tokenizer_of(tokenizer_json(tokens, merges));
  EXPECT_EQ(tokenizer.encode(std::string(1'000'000, 'a')).size(), 976u + 2);
}

TEST(Tokenizer, PiecesThatAreTokensNeedNoMerges) {
  json file = tokenizer_json({"a", "b", "ab", "abab"}, {{"a", "b"}});
  EXPECT_EQ(tokenizer_of(file).encode("abab"), (std::vector<int>{2, 2}));
  file["model"]["ignore_merges"] = true;
  EXPECT_EQ(tokenizer_of(file).encode("abab"), std::vector<int>{3});
  EXPECT_EQ(tokenizer_of(file).encode("ababa"), (std::vector<int>{2, 2, 0}));
}

TEST(Tokenizer, CharactersThatItLacks) {
  json file = tokenizer_json({"a", "?", "<0xC3>", "<0xA4>"}, {});
  const auto ids = [&](const std::string& text) { return tokenizer_of(file).encode(text); };
  EXPECT_EQ(refusal_of([&] { ids("a\xE2\x82\xAC"); }),
            "the vocabulary lacks the character U+20AC of a text");
  file["model"]["unk_token"] = "?";
  EXPECT_EQ(ids("xa\xE2\x82\xACy"), (std::vector<int>{1, 0, 1, 1}));
  EXPECT_EQ(ids("\xC3\xA4"), std::vector<int>{1});
  file["model"]["fuse_unk"] = true;
  EXPECT_EQ(ids("xa\xE2\x82\xACy"), (std::vector<int>{1, 0, 1}));
  file["model"]["byte_fallback"] = true;
  EXPECT_EQ(ids("x\xC3\xA4y\xC3\xA5"), (std::vector<int>{1, 2, 3, 1}));
}

TEST(Tokenizer, AddedTokensTakeTheBlanksBesideThem) {
  json file = tokenizer_json({"a", " ", "<x>"}, {});
  const auto ids = [&](bool left, bool right, const std::string& text) {
    file["added_tokens"] = {{{"id", 2}, {"content", "<x>"}, {"lstrip", left}, {"rstrip", right}},
                            {{"id", 3}, {"content", "<x>a"}, {"special", true}}};
    return tokenizer_of(file).encode(text, SpecialNames::AsTokens);
  };
  EXPECT_EQ(ids(false, false, "a <x> a"), (std::vector<int>{0, 1, 2, 1, 0}));
  EXPECT_EQ(ids(true, false, "a  <x> a"), (std::vector<int>{0, 2, 1, 0}));
  EXPECT_EQ(ids(false, true, "a <x>\n\xE3\x80\x80 a"), (std::vector<int>{0, 1, 2, 0}));
  EXPECT_EQ(ids(true, true, " <x>  <x> "), (std::vector<int>{2, 2}));
  // The longest counts, of those that are looked for.
  EXPECT_EQ(ids(false, false, "<x>a"), std::vector<int>{3});
  EXPECT_EQ(tokenizer_of(file).encode("<x>a"), (std::vector<int>{2, 0}));
}

TEST(Tokenizer, TextsAreUtf8) {
  const Tokenizer tokenizer = tokenizer_of(tokenizer_json({"a"}, {}));
  for (const char* text : {"a\x80", "a\xC3", "a\xC0\x80", "a\xED\xA0\x80", "a\xF4\x90\x80\x80",
                           "a\xE0\x9F\xBF", "a\xF0\x8F\xBF\xBF", "a\xFF", "a\xC3g"}) {
    EXPECT_EQ(refusal_of([&] { tokenizer.encode(text); }), "the text is not UTF-8 at byte 1");
  }
  EXPECT_EQ(refusal_of([&] {
              tokenizer.decode({0, 1});
            }),
            "token 1 is not in the vocabulary, whose ids end at 0");
  EXPECT_NE(refusal_of([&] { tokenizer.decode({-1}); }), "");
}

TEST(Tokenizer, PatternsMayNotRunForLong) {
  json file = tokenizer_json({"a", "b"}, {});
  file["pre_tokenizer"] = {
      {"type", "Split"}, {"pattern", {{"Regex", "(a+)+$"}}}, {"behavior", "Isolated"}};
  const Tokenizer tokenizer = tokenizer_of(file);
  EXPECT_EQ(tokenizer.encode("aab"), (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(refusal_of([&] { tokenizer.encode(std::string(100, 'a') + "b"); }),
            "pattern '(a+)+$' at byte 0 of a text: match limit exceeded");
}

// Each character of its own, from its bytes.
json bytes_json() {
  std::vector<std::string> tokens;
  for (int b = 0; b < 256; ++b) {
    static const char* const kDigits = "0123456789ABCDEF";
    tokens.push_back(std::string("<0x") + kDigits[b / 16] + kDigits[b % 16] + ">");
  }
  json file = tokenizer_json(tokens, {});
  file["model"]["byte_fallback"] = true;
  file["decoder"] = {{"type", "ByteFallback"}};
  return file;
}

TEST(TextStream, GivesWholeCharacters) {
  const Tokenizer tokenizer = tokenizer_of(bytes_json());
  TextStream stream(tokenizer);
  EXPECT_EQ(stream.add('a'), "a");
  EXPECT_EQ(stream.add(0xE2), "");
  EXPECT_EQ(stream.add(0x82), "");
  EXPECT_EQ(stream.add(0xAC), "\xE2\x82\xAC");
  EXPECT_EQ(stream.add(0xF0), "");
  EXPECT_EQ(stream.add(0x9F), "");
  EXPECT_EQ(stream.add('b'),
            "\xEF\xBF\xBD"
            "b")
      << "a part of a character is one U+FFFD";
  EXPECT_EQ(stream.add(0xBF), "\xEF\xBF\xBD");
  EXPECT_EQ(stream.add(0xE2), "");
  EXPECT_EQ(stream.finish(), "\xEF\xBF\xBD");
  EXPECT_EQ(stream.finish(), "");
}

TEST(TextStream, IsDecodeInParts) {
  for (const uint64_t seed : test_seeds(1, draws(40))) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    for (const char* name : {"byte_level", "byte_fallback", "metaspace"}) {
      const Tokenizer tokenizer(kReference + name + ".json");
      std::vector<int> ids;
      for (uint64_t n = rng.below(50); n > 0; --n) {
        ids.push_back(static_cast<int>(rng.below(static_cast<uint64_t>(tokenizer.size()))));
      }
      TextStream stream(tokenizer);
      for (const int repeat : {0, 1}) {  // a finished stream begins anew
        std::string text;
        for (const int id : ids) {
          const std::string part = stream.add(id);
          // What is not whole would be no JSON.
          EXPECT_NO_THROW(json(part).dump());
          text += part;
        }
        EXPECT_EQ(text + stream.finish(), tokenizer.decode(ids)) << name << " " << repeat;
      }
    }
  }
}

}  // namespace
}  // namespace ow
