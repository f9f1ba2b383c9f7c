// SPDX-License-Identifier: Apache-2.0
#ifndef OW_TB_SW_IMPORT_SAME_MODEL_H_
#define OW_TB_SW_IMPORT_SAME_MODEL_H_

#include <gtest/gtest.h>

#include "ow/graph/language_model.h"

namespace ow {

inline void expect_equal(const LanguageModel& a, const LanguageModel& b) {
  EXPECT_EQ(a.type, b.type);
  const LanguageShape &s = a.shape, &t = b.shape;
  EXPECT_EQ(s.family, t.family);
  EXPECT_EQ(s.width, t.width);
  EXPECT_EQ(s.layers, t.layers);
  EXPECT_EQ(s.heads, t.heads);
  EXPECT_EQ(s.kv_heads, t.kv_heads);
  EXPECT_EQ(s.head_size, t.head_size);
  EXPECT_EQ(s.hidden, t.hidden);
  EXPECT_EQ(s.vocabulary, t.vocabulary);
  EXPECT_EQ(s.positions, t.positions);
  EXPECT_EQ(s.epsilon, t.epsilon);
  EXPECT_EQ(s.theta, t.theta);
  ASSERT_EQ(s.scaling.has_value(), t.scaling.has_value());
  if (s.scaling) {
    EXPECT_EQ(s.scaling->factor, t.scaling->factor);
    EXPECT_EQ(s.scaling->low_frequency_factor, t.scaling->low_frequency_factor);
    EXPECT_EQ(s.scaling->high_frequency_factor, t.scaling->high_frequency_factor);
    EXPECT_EQ(s.scaling->original_positions, t.scaling->original_positions);
  }
  EXPECT_EQ(a.embedding, b.embedding);
  EXPECT_EQ(a.places, b.places);
  EXPECT_EQ(a.norm, b.norm);
  EXPECT_EQ(a.norm_bias, b.norm_bias);
  EXPECT_EQ(a.head, b.head);
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (size_t n = 0; n < a.blocks.size(); ++n) {
    const LanguageModel::Block &x = a.blocks[n], &y = b.blocks[n];
    EXPECT_EQ(x.attention_norm, y.attention_norm);
    EXPECT_EQ(x.attention_norm_bias, y.attention_norm_bias);
    EXPECT_EQ(x.query, y.query);
    EXPECT_EQ(x.query_bias, y.query_bias);
    EXPECT_EQ(x.key, y.key);
    EXPECT_EQ(x.key_bias, y.key_bias);
    EXPECT_EQ(x.value, y.value);
    EXPECT_EQ(x.value_bias, y.value_bias);
    EXPECT_EQ(x.output, y.output);
    EXPECT_EQ(x.output_bias, y.output_bias);
    EXPECT_EQ(x.hidden_norm, y.hidden_norm);
    EXPECT_EQ(x.hidden_norm_bias, y.hidden_norm_bias);
    EXPECT_EQ(x.gate, y.gate);
    EXPECT_EQ(x.up, y.up);
    EXPECT_EQ(x.up_bias, y.up_bias);
    EXPECT_EQ(x.down, y.down);
    EXPECT_EQ(x.down_bias, y.down_bias);
  }
}

}  // namespace ow

#endif  // OW_TB_SW_IMPORT_SAME_MODEL_H_
