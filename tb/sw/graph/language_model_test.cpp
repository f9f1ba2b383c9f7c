// SPDX-License-Identifier: Apache-2.0
#include "ow/graph/language_model.h"

#include <gtest/gtest.h>

#include <utility>

namespace ow {
namespace {

LanguageModel model_of(int width, int heads, int kv_heads, int head_size, int hidden,
                       int vocabulary) {
  LanguageModel m;
  m.shape.width = width;
  m.shape.heads = heads;
  m.shape.kv_heads = kv_heads;
  m.shape.head_size = head_size;
  m.shape.hidden = hidden;
  m.shape.vocabulary = vocabulary;
  return m;
}

std::pair<int, int> usual(const LanguageModel& m) {
  const LanguageRegion r = usual_region(m);
  return {r.rows, r.columns};
}

TEST(LanguageRegion, TheUsualOneIsThatOfTheRule) {
  EXPECT_EQ(usual(model_of(16, 4, 2, 4, 20, 50)), std::make_pair(1, 1));
  // 45,312 weights of a block: 4 tiles.
  EXPECT_EQ(usual(model_of(64, 8, 4, 8, 172, 512)), std::make_pair(2, 2));
  // 180,096: 15 tiles, and 8 + 2 is more than 4 + 4.
  EXPECT_EQ(usual(model_of(128, 4, 2, 32, 341, 1024)), std::make_pair(4, 4));
  // A head of its own doubles what its region holds: 22 tiles.
  LanguageModel untied = model_of(128, 4, 2, 32, 341, 1024);
  untied.head = {0};
  EXPECT_EQ(usual(untied), std::make_pair(6, 4));
  // 4 tiles again, but 2 columns cannot hold 3 heads of keys and values: 4 + 1 comes before 2 + 3.
  EXPECT_EQ(usual(model_of(64, 6, 3, 8, 172, 512)), std::make_pair(4, 1));
  // Llama-3.1-8B: 85,504 tiles for the head and the embedding; eight columns share a head.
  LanguageModel large = model_of(4096, 32, 8, 128, 14336, 128256);
  large.head = {0};
  EXPECT_EQ(usual(large), std::make_pair(334, 256));
}

TEST(LanguageRegion, ColumnsHoldWholeHeads) {
  LanguageShape s;
  s.heads = 12;
  s.kv_heads = 4;
  for (int columns = 1; columns <= 13; ++columns) {
    const bool holds = columns == 1 || columns == 2 || columns == 4 || columns == 12;
    EXPECT_EQ(region_holds_heads(s, columns), holds) << columns;
  }
}

}  // namespace
}  // namespace ow
