// SPDX-License-Identifier: Apache-2.0
#include "ow/graph/language_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ow/base/rng.h"

namespace ow {
namespace {

std::vector<uint16_t> uniform(Rng* rng, HalfType type, size_t count, double low, double high) {
  std::vector<uint16_t> values(count);
  for (uint16_t& v : values) v = to_half(type, low + (high - low) * rng->uniform());
  return values;
}

}  // namespace

int parts_of_head(const LanguageShape& s, int columns) {
  return columns > s.heads ? columns / s.heads : 1;
}

bool region_holds_heads(const LanguageShape& s, int columns) {
  if (columns > s.heads) {
    return columns % s.heads == 0 && s.head_size / 2 % parts_of_head(s, columns) == 0;
  }
  return s.heads % columns == 0 && (s.kv_heads % columns == 0 || columns % s.kv_heads == 0);
}

LanguageRegion usual_region(const LanguageModel& model) {
  constexpr int64_t kTileWeights = 12288;  // 24 kB, half of a tile's memory
  const LanguageShape& s = model.shape;
  const int64_t width = s.width;
  const int64_t attention = 2 * (int64_t{s.heads} + s.kv_heads) * s.head_size * width;
  const int64_t matrices = s.family == LanguageFamily::Llama ? 3 : 2;
  const int64_t block = attention + matrices * int64_t{s.hidden} * width;
  const int64_t head = (model.head.empty() ? 1 : 2) * int64_t{s.vocabulary} * width;
  const int64_t tiles = (std::max(block, head) + kTileWeights - 1) / kTileWeights;
  LanguageRegion best;
  int64_t least = INT64_MAX;
  for (int columns = 1; columns <= s.heads * s.head_size / 2; ++columns) {
    if (!region_holds_heads(s, columns)) continue;
    const int64_t rows = (tiles + columns - 1) / columns;
    if (rows + columns >= least) continue;
    least = rows + columns;
    best = {static_cast<int>(rows), columns};
  }
  return best;
}

LanguageModel random_language_model(const LanguageShape& shape, HalfType type, uint64_t seed,
                                    bool tied) {
  Rng rng(seed);
  const auto width = static_cast<size_t>(shape.width), hidden = static_cast<size_t>(shape.hidden);
  const auto vocabulary = static_cast<size_t>(shape.vocabulary);
  const auto head_size = static_cast<size_t>(shape.head_size);
  const size_t queries = static_cast<size_t>(shape.heads) * head_size;
  const size_t keys = static_cast<size_t>(shape.kv_heads) * head_size;
  // A variance v is that of a uniform number of -sqrt(3 v) .. sqrt(3 v).
  const auto matrix = [&](size_t outputs, size_t inputs, double variance) {
    const double limit = std::sqrt(3 * variance);
    return uniform(&rng, type, outputs * inputs, -limit, limit);
  };
  const auto gains = [&] { return uniform(&rng, type, width, 0.9, 1.1); };
  const bool llama = shape.family == LanguageFamily::Llama;
  const auto bias = [&](size_t outputs) {
    return llama ? std::vector<uint16_t>() : uniform(&rng, type, outputs, -0.1, 0.1);
  };
  const double in = 1.0 / shape.width, halves = 2.0 * shape.layers;
  LanguageModel model;
  model.shape = shape;
  model.type = type;
  model.embedding = matrix(vocabulary, width, in);
  if (!llama) model.places = matrix(static_cast<size_t>(shape.positions), width, in);
  for (int n = 0; n < shape.layers; ++n) {
    LanguageModel::Block block;
    block.attention_norm = gains();
    block.attention_norm_bias = bias(width);
    block.query = matrix(queries, width, in);
    block.query_bias = bias(queries);
    block.key = matrix(keys, width, in);
    block.key_bias = bias(keys);
    block.value = matrix(keys, width, in);
    block.value_bias = bias(keys);
    block.output = matrix(width, queries, 1 / (halves * static_cast<double>(queries)));
    block.output_bias = bias(width);
    block.hidden_norm = gains();
    block.hidden_norm_bias = bias(width);
    if (llama) block.gate = matrix(hidden, width, in);
    block.up = matrix(hidden, width, in);
    block.up_bias = bias(hidden);
    block.down = matrix(width, hidden, 1 / (halves * shape.hidden));
    block.down_bias = bias(width);
    model.blocks.push_back(std::move(block));
  }
  model.norm = gains();
  model.norm_bias = bias(width);
  if (!tied) model.head = matrix(vocabulary, width, in);
  return model;
}

}  // namespace ow
