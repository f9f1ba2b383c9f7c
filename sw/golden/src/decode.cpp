// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/decode.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "decode_sums.h"
#include "ow/base/error.h"
#include "ow/golden/formats.h"
#include "ow/golden/gelu.h"
#include "ow/golden/halves.h"
#include "ow/golden/kind.h"
#include "ow/golden/rotary.h"

namespace ow::golden {
namespace {

using Vector = std::vector<uint16_t>;

size_t whole_blocks(size_t n) { return (n + kCacheBlock - 1) / kCacheBlock; }

void need(bool condition, const std::string& message) {
  if (!condition) throw BadInput("language model: " + message);
}

std::string number(int n) { return std::to_string(n); }

void check(const LanguageShape& s, int rows, int columns) {
  need(rows >= 1 && columns >= 1, "a region has at least 1 x 1 tiles");
  for (const int size :
       {s.width, s.layers, s.heads, s.kv_heads, s.head_size, s.hidden, s.vocabulary, s.positions}) {
    need(size >= 1, "every size of its shape is at least 1");
  }
  need(s.head_size % 2 == 0, "heads of " + number(s.head_size) + " features; they must be even");
  need(s.heads % s.kv_heads == 0, number(s.heads) + " heads are no multiple of " +
                                      number(s.kv_heads) + " heads of keys and values");
  const int parts = std::max(1, columns / s.heads);  // of a head
  need(s.heads % columns == 0 || columns % s.heads == 0,
       "a region of " + number(columns) + " columns must divide, or be a multiple of, its " +
           number(s.heads) + " heads");
  need(s.kv_heads % columns == 0 || columns % s.kv_heads == 0,
       "a region of " + number(columns) + " columns must divide, or be a multiple of, its " +
           number(s.kv_heads) + " heads of keys and values");
  need(s.head_size / 2 % parts == 0, "the " + number(s.head_size / 2) + " pairs of a head in " +
                                         number(parts) + " columns of a region");
  need(s.positions <= 1 << 20, number(s.positions) + " positions; the limit is 1048576");
  if (s.family == LanguageFamily::Gpt2) {
    need(s.heads == s.kv_heads, "the GPT-2 family has as many heads of keys as of queries");
  }
  need(s.theta >= 1 && s.theta <= 0x1p40, "theta of its rotary embedding must be 1 to 2^40");
  need(s.epsilon > 0 && s.epsilon <= 1, "epsilon of its norms must be above 0, and at most 1");
}

uint32_t bits(double x) { return float_to_bits(static_cast<float>(x)); }
uint32_t negative(uint32_t x) { return x ^ 0x80000000u; }

// Vectors of one of the model's sizes.
void need_size(const Vector& v, size_t size, const char* what) {
  if (v.size() != size) {
    throw InternalError(std::string(what) + " of another size than its model's");
  }
}

// The features of a head by its parts: each has a share of the pairs (m, m + h / 2).
SumOrder head_parts(size_t head_size, size_t parts) {
  if (parts == 1) return cut(head_size, 1);
  SumOrder order(parts);
  const size_t pairs = head_size / 2;
  for (size_t k = 0; k < head_size; ++k) order[k % pairs / (pairs / parts)].push_back(k);
  return order;
}

// Heads in columns.
SumOrder heads_of(const LanguageShape& shape, size_t columns, const SumOrder& parts) {
  const auto heads = static_cast<size_t>(shape.heads), size = static_cast<size_t>(shape.head_size);
  if (columns <= heads) return cut(heads * size, columns);
  SumOrder order;
  for (size_t head = 0; head < heads; ++head) {
    for (std::vector<size_t> part : parts) {
      for (size_t& k : part) k += head * size;
      order.push_back(part);
    }
  }
  return order;
}

}  // namespace

struct Decoder::Weights {
  struct Norm {
    Vector gain, bias;  // no bias in the Llama family
  };
  struct Product {
    ResidentMatrix matrix;
    Vector bias;  // empty: none
    Vector operator()(const Vector& x) const { return matrix.rounded_times(x, bias); }
  };
  struct Block {
    Norm attention_norm, hidden_norm;
    Product query, key, value, output;
    std::optional<Product> gate;
    Product up, down;
  };

  Weights(const LanguageModel& model, int region_rows, int region_columns)
      : shape(model.shape),
        half{model.type},
        rows(static_cast<size_t>(region_rows)),
        scale(half.round(1 / std::sqrt(static_cast<double>(shape.head_size)))),
        parts(head_parts(head_size(), std::max<size_t>(1, size(region_columns / shape.heads)))),
        embedding(model.embedding),
        places(model.places),
        norm(norm_of(model.norm, model.norm_bias)),
        head(half.type, model.head.empty() ? model.embedding : model.head, size(shape.vocabulary),
             dealt(width(), rows)) {
    require(model.blocks.size() == size(shape.layers), "blocks of another number than the model's");
    need_size(embedding, size(shape.vocabulary) * width(), "an embedding");
    need_size(places, llama() ? 0 : size(shape.positions) * width(), "learned positions");
    if (llama()) turns = rotary_turns(shape);
    const size_t columns = static_cast<size_t>(region_columns), units = size(shape.hidden);
    const SumOrder by_rows = dealt(width(), rows);
    const SumOrder by_heads = reversed(heads_of(shape, columns, parts));
    const SumOrder by_units = reversed(dealt(units, columns));
    const auto product = [&](const Vector& weights, const Vector& bias, size_t outputs,
                             const SumOrder& order) {
      need_size(bias, llama() ? 0 : outputs, "a bias");
      return Product{ResidentMatrix(half.type, weights, outputs, order), bias};
    };
    for (const LanguageModel::Block& b : model.blocks) {
      std::optional<Product> gate;
      if (llama()) gate = product(b.gate, {}, units, by_rows);
      blocks.push_back({norm_of(b.attention_norm, b.attention_norm_bias),
                        norm_of(b.hidden_norm, b.hidden_norm_bias),
                        product(b.query, b.query_bias, head_features(), by_rows),
                        product(b.key, b.key_bias, kv_features(), by_rows),
                        product(b.value, b.value_bias, kv_features(), by_rows),
                        product(b.output, b.output_bias, width(), by_heads), std::move(gate),
                        product(b.up, b.up_bias, units, by_rows),
                        product(b.down, b.down_bias, width(), by_units)});
    }
  }

  bool llama() const { return shape.family == LanguageFamily::Llama; }
  Norm norm_of(const Vector& gain, const Vector& bias) const {
    need_size(gain, width(), "a gain");
    need_size(bias, llama() ? 0 : width(), "a bias");
    return {gain, bias};
  }
  static size_t size(int n) { return static_cast<size_t>(n); }
  size_t width() const { return size(shape.width); }
  size_t head_size() const { return size(shape.head_size); }
  size_t head_features() const { return size(shape.heads) * head_size(); }
  size_t kv_features() const { return size(shape.kv_heads) * head_size(); }
  bool fused() const { return half.type == HalfType::Bfloat16; }

  Vector embedded(int token, size_t position) const;
  Vector normed(const Vector& x, const Norm& norm) const;
  Vector hidden_of(const Block& block, const Vector& x) const;
  Vector scores_of(const std::vector<float>& keys, size_t kv, const Vector& query,
                   size_t positions) const;
  Vector weighted(const std::vector<float>& values, size_t kv, const Vector& scores) const;

  LanguageShape shape;
  Halves half;
  size_t rows;
  uint16_t scale;               // of queries
  std::vector<uint32_t> turns;  // none: nothing turns
  SumOrder parts;               // of a head
  Vector embedding, places;
  std::vector<Block> blocks;
  Norm norm;
  ResidentMatrix head;
};

// What the first block takes.
Vector Decoder::Weights::embedded(int token, size_t position) const {
  const auto row = embedding.begin() + token * static_cast<std::ptrdiff_t>(width());
  Vector x(row, row + static_cast<std::ptrdiff_t>(width()));
  for (size_t i = 0; i < x.size() && !llama(); ++i) {
    x[i] = half.add(x[i], places[position * width() + i]);
  }
  return x;
}

// N124, and N131 with a bias.
Vector Decoder::Weights::normed(const Vector& x, const Norm& with) const {
  uint32_t squares = 0, sum = 0;
  for (size_t r = 0; r < rows; ++r) {
    std::vector<float> own;
    for (size_t i = r; i < x.size(); i += rows) own.push_back(value_of(half.type, x[i]));
    const uint32_t own_squares = float_to_f32(squares_by_n6(fused(), own));
    squares = r == 0 ? own_squares : f32_add(squares, own_squares);
    if (llama()) continue;
    const uint32_t own_sum = float_to_f32(sum_by_n6(own));
    sum = r == 0 ? own_sum : f32_add(sum, own_sum);
  }
  const uint32_t share = bits(1.0 / shape.width), epsilon = bits(shape.epsilon);
  Vector y;
  y.reserve(x.size());
  if (llama()) {
    const uint32_t by = f32_rsqrt(f32_fma(squares, share, epsilon), 1);
    for (size_t i = 0; i < x.size(); ++i) {
      const uint16_t scaled = narrow(half.type, f32_mul(widen(half.type, x[i]), by));
      y.push_back(half.mul(scaled, with.gain[i]));
    }
    return y;
  }
  const uint32_t mean = f32_mul(sum, share);
  const uint32_t variance = f32_max(f32_fma(negative(mean), mean, f32_mul(squares, share)), 0);
  const uint32_t by = f32_rsqrt(f32_add(variance, epsilon), 1);
  for (size_t i = 0; i < x.size(); ++i) {
    const uint32_t off = f32_sub(widen(half.type, x[i]), mean);
    y.push_back(half.fma(narrow(half.type, f32_mul(off, by)), with.gain[i], with.bias[i]));
  }
  return y;
}

// What the matrix `down` takes: N126, N132.
Vector Decoder::Weights::hidden_of(const Block& block, const Vector& x) const {
  Vector up = block.up(x);
  if (!block.gate) {
    for (uint16_t& u : up) u = gelu(half, u);
    return up;
  }
  const Vector gate = (*block.gate)(x);
  for (size_t u = 0; u < up.size(); ++u) {
    up[u] = half.mul(half.mul(gate[u], half.sigmoid(gate[u])), up[u]);
  }
  return up;
}

// The first part of N117: a query's scores, [positions].
Vector Decoder::Weights::scores_of(const std::vector<float>& keys, size_t kv, const Vector& query,
                                   size_t positions) const {
  const std::vector<float> q = values_of(half.type, query);
  Vector scores;
  scores.reserve(positions);
  std::vector<float> part_keys, part_query;
  for (size_t first = 0; first < positions; first += kCacheBlock) {
    float sums[kCacheBlock];
    const float* const all = &keys[(first * kv_features()) + kv * head_size() * kCacheBlock];
    for (size_t part = parts.size(); part-- > 0;) {
      part_keys.clear();
      part_query.clear();
      for (const size_t k : parts[part]) {
        part_keys.insert(part_keys.end(), all + k * kCacheBlock, all + (k + 1) * kCacheBlock);
        part_query.push_back(q[k]);
      }
      float own[kCacheBlock];
      score_block(fused(), part_keys.data(), part_query.data(), part_query.size(), own);
      for (size_t t = 0; t < kCacheBlock; ++t) {
        sums[t] = part + 1 == parts.size() ? own[t] : own[t] + sums[t];
      }
    }
    for (size_t t = first; t < std::min(first + kCacheBlock, positions); ++t) {
      scores.push_back(narrow(half.type, float_to_f32(sums[t - first])));
    }
  }
  return scores;
}

// The second one: the values, weighted by e to the scores.
Vector Decoder::Weights::weighted(const std::vector<float>& values, size_t kv,
                                  const Vector& scores) const {
  uint16_t most = scores[0];
  for (const uint16_t s : scores) most = half.max(most, s);
  const size_t blocks = whole_blocks(head_size()), pitch = blocks * kCacheBlock;
  const std::vector<float> none(pitch);
  std::vector<float> out;
  uint32_t total = 0;
  for (size_t r = 0; r < rows; ++r) {
    std::vector<float> powers, sums = none;
    for (size_t t = r; t < scores.size(); t += rows) {
      powers.push_back(value_of(half.type, half.exp(half.sub(scores[t], most))));
      add_row(fused(), &values[(t * static_cast<size_t>(shape.kv_heads) + kv) * pitch],
              powers.back(), blocks, sums.data());
    }
    uint32_t own = 0;
    for (size_t first = 0; first < powers.size(); first += kScorePlaces) {
      const auto begin = powers.begin() + static_cast<std::ptrdiff_t>(first);
      const size_t count = std::min(kScorePlaces, powers.size() - first);
      const std::vector<float> some(begin, begin + static_cast<std::ptrdiff_t>(count));
      const uint32_t sum = float_to_f32(sum_by_n6(some));
      own = first == 0 ? sum : f32_add(own, sum);
    }
    total = r == 0 ? own : f32_add(own, total);
    if (r == 0) out = sums;
    for (size_t k = 0; r > 0 && k < pitch; ++k) out[k] = sums[k] + out[k];
  }
  const uint32_t by = f32_rcp(total, 1);
  Vector o;
  for (size_t k = 0; k < head_size(); ++k) {
    o.push_back(narrow(half.type, f32_mul(float_to_f32(out[k]), by)));
  }
  return o;
}

Decoder::Decoder(const LanguageModel& model, int rows, int columns) {
  check(model.shape, rows, columns);
  weights_ = std::make_unique<const Weights>(model, rows, columns);
}

Decoder::~Decoder() = default;

const LanguageShape& Decoder::shape() const { return weights_->shape; }

std::vector<uint16_t> Decoder::run_blocks(DecodeCache* cache, int token, DecodeTaps* taps) const {
  const Weights& w = *weights_;
  const Halves& half = w.half;
  need(token >= 0 && token < w.shape.vocabulary,
       "token " + number(token) + "; it has " + number(w.shape.vocabulary) + " tokens");
  need(cache->positions_ < w.shape.positions,
       "a context of more than its " + number(w.shape.positions) + " positions");
  const size_t position = static_cast<size_t>(cache->positions_), count = position + 1;
  const size_t d = w.head_size(), pitch = whole_blocks(d) * kCacheBlock;
  const Rotation rotation = rotation_at(half.type, w.turns, cache->positions_);
  cache->blocks_.resize(w.blocks.size());
  const auto add = [&half](const Vector& a, const Vector& b) {
    Vector sum;
    sum.reserve(a.size());
    for (size_t i = 0; i < a.size(); ++i) sum.push_back(half.add(a[i], b[i]));
    return sum;
  };

  Vector x = w.embedded(token, position);
  if (taps != nullptr) *taps = {x, {}, {}};
  for (size_t b = 0; b < w.blocks.size(); ++b) {
    const Weights::Block& block = w.blocks[b];
    DecodeTaps::Block tap;
    tap.attention_input = w.normed(x, block.attention_norm);
    tap.query = block.query(tap.attention_input);
    tap.key = block.key(tap.attention_input);
    tap.value = block.value(tap.attention_input);
    for (size_t h = 0; h < tap.query.size(); h += d)
      rotate_head(half.type, rotation, &tap.query[h]);
    for (size_t h = 0; h < tap.key.size(); h += d) rotate_head(half.type, rotation, &tap.key[h]);
    for (uint16_t& q : tap.query) q = half.mul(q, w.scale);

    DecodeCache::Block& kept = cache->blocks_[b];
    kept.keys.resize(whole_blocks(count) * kCacheBlock * w.kv_features());
    kept.values.resize(count * static_cast<size_t>(w.shape.kv_heads) * pitch);
    for (size_t k = 0; k < tap.key.size(); ++k) {
      kept.keys[(position / kCacheBlock * w.kv_features() + k) * kCacheBlock +
                position % kCacheBlock] = value_of(half.type, tap.key[k]);
      kept.values[(position * static_cast<size_t>(w.shape.kv_heads) + k / d) * pitch + k % d] =
          value_of(half.type, tap.value[k]);
    }
    const size_t share = static_cast<size_t>(w.shape.heads / w.shape.kv_heads);
    for (size_t h = 0; h < static_cast<size_t>(w.shape.heads); ++h) {
      const auto first = tap.query.begin() + static_cast<std::ptrdiff_t>(h * d);
      const Vector query(first, first + static_cast<std::ptrdiff_t>(d));
      const Vector o =
          w.weighted(kept.values, h / share, w.scores_of(kept.keys, h / share, query, count));
      tap.attention.insert(tap.attention.end(), o.begin(), o.end());
    }
    tap.middle = add(x, block.output(tap.attention));

    tap.hidden_input = w.normed(tap.middle, block.hidden_norm);
    tap.hidden = w.hidden_of(block, tap.hidden_input);
    tap.out = add(tap.middle, block.down(tap.hidden));
    x = tap.out;
    if (taps != nullptr) taps->blocks.push_back(std::move(tap));
  }
  ++cache->positions_;
  return x;
}

void Decoder::extend(DecodeCache* cache, int token, DecodeTaps* taps) const {
  run_blocks(cache, token, taps);
}

std::vector<uint32_t> Decoder::step(DecodeCache* cache, int token, DecodeTaps* taps) const {
  const Vector x = weights_->normed(run_blocks(cache, token, taps), weights_->norm);
  if (taps != nullptr) taps->head_input = x;
  return weights_->head.times(x);
}

void DecodeCache::truncate(int positions) {
  require(positions >= 0 && positions <= positions_, "a cache is cut to what it does not hold");
  positions_ = positions;
}

}  // namespace ow::golden
