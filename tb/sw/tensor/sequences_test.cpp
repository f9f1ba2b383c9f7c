// SPDX-License-Identifier: Apache-2.0
// Documents of tokens as samples of equally many slots.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ow/base/rng.h"
#include "ow/tensor/sequences.h"

namespace ow {
namespace {

TEST(Sequences, ATextIsCutWithoutGaps) {
  const Sequences s = pack_sequences({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7}, {}, 8);
  EXPECT_EQ(s.ids, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(s.targets, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(s.starts, std::vector<int>(16, 0));
  EXPECT_TRUE(pack_sequences({1, 2, 3, 4, 5, 6, 7, 8}, {}, 8).ids.empty());
}

TEST(Sequences, DocumentsFillSamplesTheLongestFirst) {
  // Of 2, 10 and 4 tokens; those of one token, or none but the end, give nothing.
  const Sequences s = pack_sequences({1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3}, 0, 24);
  EXPECT_EQ(s.ids,
            (std::vector<int>{1,  2,  3,  4,  5,  6,  7,  8,  9,  -1, -1, -1, -1, -1, -1, -1,
                              1,  -1, -1, -1, -1, -1, -1, -1, 1,  2,  -1, -1, -1, -1, -1, -1,
                              -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(std::vector<int>(s.targets.begin(), s.targets.begin() + 10),
            (std::vector<int>{2, 3, 4, 5, 6, 7, 8, 9, 0, -1}));
  std::vector<int> starts(16, 0);
  starts.insert(starts.end(), 8, 16);
  starts.insert(starts.end(), 8, 0);
  starts.insert(starts.end(), 8, 8);
  starts.insert(starts.end(), 8, 16);
  EXPECT_EQ(s.starts, starts);
}

// Lengths of 8 to 64 tokens in samples of 64: beside the slots up to a multiple of 8 a few in a
// hundred are lost.
TEST(Sequences, PackingLosesLittle) {
  Rng rng(3);
  std::vector<int> ids;
  size_t pairs = 0, rounded = 0;
  for (int document = 0; document < 4000; ++document) {
    const size_t length = 8 + rng.below(57);
    pairs += length;
    rounded += (length + 7) / 8 * 8;
    for (size_t n = 0; n < length; ++n) ids.push_back(1 + static_cast<int>(rng.below(9)));
    ids.push_back(0);
  }
  const Sequences s = pack_sequences(ids, 0, 64);
  const auto real = s.targets.size() -
                    static_cast<size_t>(std::count(s.targets.begin(), s.targets.end(), kNoToken));
  EXPECT_EQ(real, pairs);
  EXPECT_EQ(s.ids.size() % 64, 0u);
  EXPECT_LE(s.ids.size(), rounded + 3 * rounded / 100);
  for (size_t slot = 0; slot < s.ids.size(); ++slot) {
    ASSERT_LE(s.starts[slot], static_cast<int>(slot % 64));
    ASSERT_EQ(s.starts[slot] % kSlotGroup, 0);
    ASSERT_EQ(s.starts[slot], s.starts[slot / kSlotGroup * kSlotGroup]);
  }
}

}  // namespace
}  // namespace ow
