// SPDX-License-Identifier: Apache-2.0
// Files of tokenizers that are not read, each in one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "messages.h"
#include "tokenizer_file.h"

namespace ow {
namespace {

using nlohmann::json;

json good() {
  json file = tokenizer_json({"a", "b", "ab", "<s>"}, {{"a", "b"}});
  file["added_tokens"] = {{{"id", 3}, {"content", "<s>"}, {"special", true}}};
  return file;
}

// What the file is refused with, without its name.
std::string refusal(const std::function<void(json*)>& change) {
  json file = good();
  change(&file);
  const std::string path = tokenizer_file(file);
  const std::string text = refusal_of([&] { const Tokenizer tokenizer(path); });
  if (text.empty()) return text;
  EXPECT_EQ(text.compare(0, path.size() + 2, path + ": "), 0) << text;
  return text.substr(std::min(text.size(), path.size() + 2));
}

std::string refusal_of_model(const std::string& key, const json& value) {
  return refusal([&](json* file) { (*file)["model"][key] = value; });
}

std::string refusal_of_key(const std::string& key, const json& value) {
  return refusal([&](json* file) { (*file)[key] = value; });
}

TEST(TokenizerFile, AGoodOneIsRead) {
  EXPECT_EQ(refusal([](json*) {}), "");
  EXPECT_EQ(refusal([](json* file) { (*file)["model"].erase("type"); }), "");
  EXPECT_EQ(refusal_of_model("dropout", nullptr), "");
  EXPECT_EQ(refusal_of_model("merges", {"a b"}), "");
  EXPECT_EQ(refusal_of_key("post_processor", {{"type", "ByteLevel"}}), "");
}

TEST(TokenizerFile, OtherModelsAreRefused) {
  for (const char* type : {"Unigram", "WordPiece", "WordLevel"}) {
    EXPECT_EQ(refusal_of_model("type", type),
              std::string("'model.type' is '") + type + "': BPE is supported alone");
  }
  EXPECT_EQ(refusal([](json* file) {
              (*file)["model"].erase("type");
              (*file)["model"].erase("merges");
            }),
            "'model.type' is '': BPE is supported alone");
  EXPECT_EQ(refusal_of_model("continuing_subword_prefix", "##"),
            "'model.continuing_subword_prefix' is not supported");
  EXPECT_EQ(refusal_of_model("end_of_word_suffix", "</w>"),
            "'model.end_of_word_suffix' is not supported");
  EXPECT_EQ(refusal_of_model("dropout", 0.1), "'model.dropout' is not supported");
  EXPECT_EQ(refusal_of_model("unk_token", "?"), "'model.unk_token' is not in the vocabulary");
  EXPECT_EQ(refusal_of_key("model", 3), "'model' must be an object, not 3");
}

TEST(TokenizerFile, VocabulariesWithoutOneIdForEachToken) {
  EXPECT_EQ(refusal_of_model("vocab", {{"a", 0}, {"b", 1}, {"ab", 0}}),
            "'model.vocab.ab' has the id 0, which 'a' has already");
  EXPECT_EQ(refusal_of_model("vocab", {{"a", -1}}),
            "'model.vocab.a' must be a whole number from 0 to 1048575, not -1");
  EXPECT_EQ(refusal_of_model("vocab", {{"a", 1 << 20}}),
            "'model.vocab.a' must be a whole number from 0 to 1048575, not 1048576");
  EXPECT_EQ(refusal_of_model("vocab", {{"a", "0"}}),
            "'model.vocab.a' must be a whole number from 0 to 1048575, not \"0\"");
  EXPECT_EQ(refusal_of_model("vocab", json::array({"a"})), "'model.vocab' must be an object");
}

TEST(TokenizerFile, MergesOfWhatIsNotThere) {
  using Pairs = std::vector<std::vector<std::string>>;
  const auto merges = [](const json& list) { return refusal_of_model("merges", list); };
  EXPECT_EQ(merges(Pairs{{"a", "c"}}),
            R"('model.merges' number 0, ["a","c"], has 'c', which is not in the vocabulary)");
  EXPECT_EQ(merges(Pairs{{"a", "b"}, {"b", "a"}}),
            R"('model.merges' number 1, ["b","a"], has 'ba', which is not in the vocabulary)");
  EXPECT_EQ(merges(Pairs{{"a", "b"}, {"a", "b"}}),
            R"('model.merges' number 1, ["a","b"], stands there twice)");
  // Without a part a token would become itself, for ever.
  for (const json& wrong :
       {json({"a", ""}), json({"", "a"}), json({"a"}), json({"a", 3}), json("ab"), json("a  b"),
        json("a "), json(" b"), json("a b a"), json(nullptr)}) {
    EXPECT_EQ(merges(json::array({wrong})),
              "'model.merges' number 0, " + wrong.dump() + ", must be two tokens");
  }
  EXPECT_EQ(merges(nullptr), "'model.merges' is missing");
  EXPECT_EQ(merges(3), "'model.merges' must be a list");
}

TEST(TokenizerFile, AddedTokensThatContradict) {
  const auto added = [](const json& token) {
    return refusal([&](json* file) { (*file)["added_tokens"].push_back(token); });
  };
  EXPECT_EQ(added({{"id", 4}, {"content", "<t>"}}), "");
  EXPECT_EQ(added({{"id", 3}, {"content", "<t>"}}),
            "'added_tokens[1].id' is 3, which '<s>' has already");
  EXPECT_EQ(added({{"id", 4}, {"content", "ab"}}),
            "'added_tokens[1].id' is 4, but 'ab' has the id 2");
  EXPECT_EQ(added({{"id", 3}, {"content", "<s>"}, {"special", true}}),
            "'added_tokens[1].content' is there twice, or normalized to nothing");
  EXPECT_EQ(added({{"id", 4}, {"content", ""}}), "'added_tokens[1].content' is empty");
  EXPECT_EQ(added({{"id", 4}, {"content", "t"}, {"single_word", true}}),
            "'added_tokens[1].single_word' is not supported");
  EXPECT_EQ(added({{"id", 1 << 20}, {"content", "t"}}),
            "'added_tokens[1].id' must be a whole number from 0 to 1048575, not 1048576");
  EXPECT_EQ(added(3), "'added_tokens[1]' must be an object, not 3");
}

TEST(TokenizerFile, PartsThatAreNotKnown) {
  EXPECT_EQ(refusal_of_key("normalizer", {{"type", "Lowercase"}}),
            "'normalizer.type' 'Lowercase' is not supported: NFC, NFD, NFKC, NFKD, Prepend, "
            "Replace and Sequence are");
  EXPECT_EQ(refusal_of_key("normalizer",
                           {{"type", "Sequence"}, {"normalizers", {{{"type", "Precompiled"}}}}}),
            "'normalizer.normalizers[0].type' 'Precompiled' is not supported: NFC, NFD, NFKC, "
            "NFKD, Prepend, Replace and Sequence are");
  EXPECT_EQ(refusal_of_key("pre_tokenizer", {{"type", "Whitespace"}}),
            "'pre_tokenizer.type' 'Whitespace' is not supported: ByteLevel, Digits, Metaspace, "
            "Sequence and Split are");
  EXPECT_EQ(refusal_of_key("pre_tokenizer", {{"type", "Metaspace"}, {"replacement", "__"}}),
            "'pre_tokenizer.replacement' must be one character");
  EXPECT_EQ(
      refusal_of_key("pre_tokenizer",
                     {{"type", "Metaspace"}, {"replacement", "_"}, {"prepend_scheme", "last"}}),
      "'pre_tokenizer.prepend_scheme' is 'last', must be always, first or never");
  const auto split = [](const json& pattern, const char* behavior) {
    return refusal_of_key(
        "pre_tokenizer",
        {{"type", "Split"}, {"pattern", pattern}, {"behavior", behavior}, {"invert", false}});
  };
  EXPECT_EQ(split({{"Regex", "a|b"}}, "Isolated"), "");
  EXPECT_EQ(split({{"Regex", "a"}}, "Merged"), "'pre_tokenizer.behavior' 'Merged' is not known");
  EXPECT_EQ(split({{"Regex", "(a"}}, "Isolated"),
            "'pre_tokenizer.pattern.Regex' is no regular expression: missing closing parenthesis "
            "at byte 2");
  for (const char* other : {"\\h+", "[a&&b]"}) {
    EXPECT_EQ(split({{"Regex", other}}, "Isolated"),
              "'pre_tokenizer.pattern.Regex' has \\h or &&, which are not supported in patterns");
  }
  // A byte of a character.
  expect_in("'pre_tokenizer.pattern.Regex' is no regular expression",
            split({{"Regex", "\\C"}}, "Isolated"));
  EXPECT_EQ(split({{"String", ""}}, "Isolated"),
            "'pre_tokenizer.pattern.String' is an empty pattern");
  EXPECT_EQ(split({{"Glob", "*"}}, "Isolated"), "'pre_tokenizer.pattern.String' is missing");
}

TEST(TokenizerFile, DecodersThatAreNotKnown) {
  const auto decoder = [](const json& value) { return refusal_of_key("decoder", value); };
  EXPECT_EQ(decoder(nullptr), "'decoder' is missing");
  EXPECT_EQ(decoder({{"type", "WordPiece"}}),
            "'decoder.type' 'WordPiece' is not supported: ByteFallback, ByteLevel, Fuse, "
            "Metaspace, Replace, Sequence and Strip are");
  EXPECT_EQ(decoder({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}),
            "'decoder.type' 'Strip' is supported after 'Fuse' alone");
  const auto strip = [&](const json& value) {
    return decoder({{"type", "Sequence"}, {"decoders", {{{"type", "Fuse"}}, value}}});
  };
  EXPECT_EQ(strip({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}), "");
  EXPECT_EQ(strip({{"type", "Strip"}, {"content", " "}, {"start", 0}, {"stop", 1}}),
            "'decoder.decoders[1].stop' must be 0");
  EXPECT_EQ(strip({{"type", "Strip"}, {"content", "  "}, {"start", 1}, {"stop", 0}}),
            "'decoder.decoders[1].content' must be one character");
  EXPECT_EQ(decoder({{"type", "Replace"}, {"pattern", {{"String", "ab"}}}, {"content", ""}}),
            "'decoder.pattern' must be one character");
}

TEST(TokenizerFile, TemplatesThatAreNotKnown) {
  const auto post = [](const json& value) { return refusal_of_key("post_processor", value); };
  EXPECT_EQ(post({{"type", "BertProcessing"}}),
            "'post_processor.type' 'BertProcessing' is not supported: ByteLevel, Sequence and "
            "TemplateProcessing are");
  const json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const json begin = {{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}};
  const auto single = [&](const json& list, const json& ids) {
    return post({{"type", "TemplateProcessing"},
                 {"single", list},
                 {"special_tokens", {{"<s>", {{"id", "<s>"}, {"ids", ids}}}}}});
  };
  EXPECT_EQ(single({begin, text}, {3}), "");
  EXPECT_EQ(single({begin, text}, {4}),
            "'post_processor.special_tokens.<s>.ids' holds 4, which is not in the vocabulary");
  EXPECT_EQ(single({begin, text}, {"3"}),
            "'post_processor.special_tokens.<s>.ids' holds \"3\", which is not in the vocabulary");
  EXPECT_EQ(single({begin, text}, 3), "'post_processor.special_tokens.<s>.ids' must be a list");
  EXPECT_EQ(single(json::array({begin}), {3}), "'post_processor.single' has no 'Sequence'");
  EXPECT_EQ(single({text, text}, {3}), "'post_processor.single[1].Sequence' stands there twice");
  EXPECT_EQ(single({begin, {{"SpecialToken", {{"id", "<t>"}}}}, text}, {3}),
            "'post_processor.special_tokens.<t>' is missing");
}

TEST(TokenizerFile, WhatIsNoJson) {
  const auto of_text = [](const std::string& text) {
    const std::string path = temporary_file("tokenizer.json", text);
    return refusal_of([&] { const Tokenizer tokenizer(path); });
  };
  expect_in("tokenizer.json:1: is not JSON", of_text("{"));
  expect_in("tokenizer.json: must be a JSON object", of_text("[]"));
  expect_in("tokenizer.json: 'model' is missing", of_text("{}"));
  expect_in("key 'a' stands there twice",
            of_text(R"({"model": {"vocab": {"a": 0, "a": 1}, "merges": []}})"));
  expect_in("cannot be read", refusal_of([] { const Tokenizer tokenizer("/nonexistent"); }));
}

}  // namespace
}  // namespace ow
