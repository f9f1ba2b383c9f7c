// SPDX-License-Identifier: Apache-2.0
// What a language model costs, from its shape alone.
#include "ow/compile/language_estimate.h"

#include <gtest/gtest.h>

#include "messages.h"
#include "ow/base/error.h"
#include "small_language.h"

namespace ow::jobs {
namespace {

TEST(LanguageEstimate, CountsBeatsOfProductsInTheFullestTile) {
  const LanguageEstimate e = estimate_language(small_shape(), true, {2, 2}, 128);
  const auto step = [&e](const std::string& name) {
    for (const LanguageStep& s : e.block) {
      if (s.name == name) return s;
    }
    ADD_FAILURE() << name;
    return LanguageStep{};
  };
  // 32 inputs, (4 + 2 + 2) * 8 outputs; 86 inputs, 32 outputs, in wavelets of at least 2 cycles.
  EXPECT_EQ(step("queries, keys, values").beats, 32 * 8 + 64);
  EXPECT_EQ(step("down").beats, 86 * 4 + 32);
  // Two products of 86 outputs, filled up to 88, side by side.
  EXPECT_EQ(step("gate, up").beats, 2 * (32 * 11 + 88));
  EXPECT_EQ(LanguageEstimate::bytes(e.block_bytes) > 22912, true);
  EXPECT_EQ(e.block_bytes.front().bytes, 2u * 32 * 64);
  EXPECT_EQ(e.position_bytes, 2u * 2 * 2 * 8);
}

TEST(LanguageEstimate, GrowsWithThePositionAndTheChains) {
  const auto block = [](GridShape region, int position) {
    return LanguageEstimate::cycles(estimate_language(small_shape(), true, region, position).block);
  };
  EXPECT_GT(block({2, 2}, 511), block({2, 2}, 128));
  EXPECT_LT(block({2, 4}, 128), block({2, 2}, 128));
  EXPECT_GT(block({32, 4}, 128), block({4, 4}, 128));
  EXPECT_THROW(block({2, 3}, 0), BadInput);
}

TEST(LanguageEstimate, OnlyOfFamiliesThatTilesCompute) {
  LanguageShape shape = small_shape();
  shape.family = LanguageFamily::Gpt2;
  shape.kv_heads = shape.heads;
  EXPECT_EQ(message([&] {
              estimate_language(shape, true, {1, 1}, 0);
            }),
            "tiles compute models of the Llama family alone; golden computes GPT-2's, too");
}

}  // namespace
}  // namespace ow::jobs
