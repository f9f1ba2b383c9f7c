// SPDX-License-Identifier: Apache-2.0
// Tokenizers with scores, as SentencePiece has them. reference_test.py compares with the library.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "messages.h"
#include "ow/base/file.h"
#include "ow/base/temporary_directory.h"
#include "ow/text/tokenizer.h"
#include "piece_file.h"
#include "temporary_file.h"

namespace ow {
namespace {

using Ids = std::vector<int>;

Tokenizer tokenizer_of(const PieceFile& file) {
  return Tokenizer(temporary_file("tokenizer.model", file.bytes()));
}

TEST(PieceModel, TheBestScoreIsJoinedFirst) {
  const Tokenizer t = tokenizer_of(small_pieces());
  EXPECT_EQ(t.encode("ca"), (Ids{8, 11, 9}));
  // A mark before the text; of equal scores the leftmost.
  EXPECT_EQ(t.encode("aaa"), (Ids{13, 14}));
  EXPECT_EQ(t.encode("caaa"), (Ids{8, 11, 14, 9}));
  // bc comes before ab. Then a and bc would be abc, which is not used: it falls apart as it was
  // joined.
  EXPECT_EQ(t.encode("cabc"), (Ids{8, 11, 9, 6}));
  EXPECT_EQ(t.decode({8, 11, 9, 6}), "cabc");
}

TEST(PieceModel, CharactersWithoutAPieceAreBytesOrUnknown) {
  const Tokenizer t = tokenizer_of(small_pieces());
  EXPECT_EQ(t.encode("c\xC3\xA4"), (Ids{8, 11, 3, 4}));
  EXPECT_EQ(t.decode({8, 11, 3, 4}), "c\xC3\xA4");
  // Without a token for each of their bytes.
  EXPECT_EQ(t.encode("c\xC3\xA5\xC3\xA5"
                     "c"),
            (Ids{8, 11, 0, 11}));
  EXPECT_EQ(t.decode({8, 11, 0, 11}), "c \xE2\x81\x87 c");
  PieceFile none = small_pieces();
  none.pieces[0].kind = 3;
  EXPECT_EQ(refusal_of([&] { tokenizer_of(none).encode("x"); }),
            "the vocabulary lacks the character U+0078 of a text");
}

TEST(PieceModel, SpecialTokensAreTextUnlessTheCallerAsks) {
  const Tokenizer t = tokenizer_of(small_pieces());
  EXPECT_EQ(t.before(), Ids{1});
  EXPECT_TRUE(t.special(1));
  EXPECT_FALSE(t.special(5));
  EXPECT_EQ(t.encode("<s>a", SpecialNames::AsTokens), (Ids{1, 9}));
  EXPECT_EQ(t.encode("c<s>"), (Ids{8, 11, 0}));
  EXPECT_EQ(t.decode({1, 13, 2}), "a");
  PieceFile without = small_pieces();
  without.trainer += whole_field(41, static_cast<uint64_t>(-1));
  EXPECT_EQ(tokenizer_of(without).before(), Ids{});
}

TEST(PieceModel, BlanksAreAsTheFileSays) {
  PieceFile file = small_pieces();
  const Tokenizer all = tokenizer_of(file);
  EXPECT_EQ(all.encode(" c  c "), (Ids{8, 8, 11, 8, 8, 11, 8}));
  EXPECT_EQ(all.decode({8, 8, 11, 8}), " c ");
  file.normalizer = whole_field(4, 1);
  const Tokenizer single = tokenizer_of(file);
  EXPECT_EQ(single.encode(" c  c "), (Ids{8, 11, 8, 11}));
  EXPECT_EQ(single.encode("  "), Ids{});
  file.normalizer = whole_field(3, 0) + whole_field(4, 0);
  EXPECT_EQ(tokenizer_of(file).encode("c c"), (Ids{11, 8, 11}));
}

TEST(PieceModel, OtherFilesAreRefused) {
  const PieceFile good = small_pieces();
  const auto refusal = [](const std::string& bytes) {
    const std::string path = temporary_file("tokenizer.model", bytes);
    const std::string text = refusal_of([&] { Tokenizer t(path); });
    return text.substr(std::min(text.size(), path.size()));
  };
  EXPECT_EQ(refusal(good.bytes()), "");
  EXPECT_EQ(refusal(""), ": has no pieces");
  EXPECT_EQ(refusal("{}"), ": is no model of SentencePiece, or damaged");
  PieceFile file = good;
  file.type = 1;
  EXPECT_EQ(refusal(file.bytes()), ": is a model of the kind 1; 2 (BPE) is supported alone");
  file = good;
  file.normalizer += part_field(2, "table");
  EXPECT_EQ(refusal(file.bytes()),
            ": has a table of normal forms ('precompiled_charsmap'), which is not supported: the "
            "normalizer must be 'identity'");
  file = good;
  file.trainer += whole_field(24, 1);
  EXPECT_EQ(refusal(file.bytes()), ": 'treat_whitespace_as_suffix' is not supported");
  file = good;
  file.pieces.push_back(file.pieces[5]);
  EXPECT_EQ(refusal(file.bytes()), ": piece 15 is 'ab', which is there already");
  file = good;
  file.pieces[5].kind = 7;
  EXPECT_EQ(refusal(file.bytes()), ": piece 5 is of the kind 7, must be from 1 to 6");
  file = good;
  file.pieces[5].kind = 6;
  EXPECT_EQ(refusal(file.bytes()), ": piece 5 is 'ab', which names no byte");
  file = good;
  file.pieces[5].text = "\xC3";
  EXPECT_EQ(refusal(file.bytes()), ": piece 5 is empty, or not UTF-8");
  file = good;
  file.pieces[5].kind = 2;
  EXPECT_EQ(refusal(file.bytes()), ": has two unknown tokens");
  file = good;
  file.trainer += whole_field(41, 15);
  EXPECT_EQ(refusal(file.bytes()), ": 'bos_id' is 15, of 15 pieces");
}

TEST(PieceModel, AFolderMayHaveOneOrTheOther) {
  const TemporaryDirectory directory;
  const std::string path = directory.path();
  EXPECT_EQ(tokenizer_file(path), path + "/tokenizer.json");
  write_file(path + "/tokenizer.model", small_pieces().bytes());
  EXPECT_EQ(tokenizer_file(path), path + "/tokenizer.model");
  write_file(path + "/tokenizer.json", "{}");
  EXPECT_EQ(tokenizer_file(path), path + "/tokenizer.json");
}

}  // namespace
}  // namespace ow
