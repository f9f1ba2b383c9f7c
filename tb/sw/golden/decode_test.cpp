// SPDX-License-Identifier: Apache-2.0
// Decoding against the rules, written out number by number, and what must not change a bit.
#include "ow/golden/decode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "decode_draws.h"
#include "ow/base/error.h"
#include "ow/golden/formats.h"
#include "ow/golden/halves.h"
#include "ow/golden/kind.h"
#include "ow/golden/rotary.h"
#include "ow/golden/tile_ops.h"
#include "seed.h"

namespace ow::golden {
namespace {

LanguageShape small_shape() {
  LanguageShape s;
  s.width = 16;
  s.layers = 2;
  s.heads = 4;
  s.kv_heads = 2;
  s.head_size = 6;
  s.hidden = 21;
  s.vocabulary = 50;
  s.positions = 100;
  s.epsilon = 1e-5;
  return s;
}

// The rules, one number at a time.
class Rules {
 public:
  Rules(const LanguageModel& model, int rows, int columns)
      : m_(model), s_(model.shape), h_{model.type}, rows_(rows), columns_(columns) {
    keys_.resize(m_.blocks.size());
    values_ = keys_;
  }

  std::vector<uint32_t> step(int token, DecodeTaps* taps) {
    const int position = static_cast<int>(keys_[0].size());
    const Rotation rotation = rotation_at(m_.type, rotary_turns(s_), position);
    Halfs x;
    for (int i = 0; i < s_.width; ++i) {
      x.push_back(at(m_.embedding, token * s_.width + i));
      if (gpt2()) x.back() = h_.add(x.back(), at(m_.places, position * s_.width + i));
    }
    taps->embedding = x;
    for (size_t b = 0; b < m_.blocks.size(); ++b) {
      const LanguageModel::Block& block = m_.blocks[b];
      DecodeTaps::Block t;
      t.attention_input = norm(x, block.attention_norm, block.attention_norm_bias);
      t.query = rounded(by_rows(block.query, t.attention_input), block.query_bias);
      t.key = rounded(by_rows(block.key, t.attention_input), block.key_bias);
      t.value = rounded(by_rows(block.value, t.attention_input), block.value_bias);
      if (!gpt2()) turn(rotation, &t.query);
      if (!gpt2()) turn(rotation, &t.key);
      for (uint16_t& q : t.query) q = h_.mul(q, h_.round(1 / std::sqrt(1.0 * s_.head_size)));
      keys_[b].push_back(t.key);
      values_[b].push_back(t.value);
      for (int q = 0; q < s_.heads; ++q) attend(b, q, t.query, &t.attention);
      t.middle =
          sum(x, rounded(by_columns(block.output, t.attention, [&](int i) { return column_of(i); }),
                         block.output_bias));
      t.hidden_input = norm(t.middle, block.hidden_norm, block.hidden_norm_bias);
      t.hidden = hidden(block, t.hidden_input);
      t.out = x = sum(t.middle,
                      rounded(by_columns(block.down, t.hidden, [&](int i) { return i % columns_; }),
                              block.down_bias));
      taps->blocks.push_back(t);
    }
    taps->head_input = norm(x, m_.norm, m_.norm_bias);
    return by_rows(m_.head.empty() ? m_.embedding : m_.head, taps->head_input);
  }

 private:
  using Halfs = std::vector<uint16_t>;
  int parts() const { return std::max(1, columns_ / s_.heads); }
  int part_of(int k) const {
    return parts() == 1 ? 0 : k % (s_.head_size / 2) / (s_.head_size / 2 / parts());
  }
  int column_of(int i) const {
    const int head = i / s_.head_size;
    return parts() == 1 ? head / (s_.heads / columns_) : head * parts() + part_of(i % s_.head_size);
  }
  static uint16_t at(const Halfs& v, int i) { return v[static_cast<size_t>(i)]; }
  static uint32_t real(double x) { return float_to_bits(static_cast<float>(x)); }

  bool gpt2() const { return s_.family == LanguageFamily::Gpt2; }

  Halfs rounded(const std::vector<uint32_t>& x, const Halfs& bias) const {
    Halfs y;
    for (size_t o = 0; o < x.size(); ++o) {
      y.push_back(narrow(m_.type, gpt2() ? f32_add(x[o], widen(m_.type, bias[o])) : x[o]));
    }
    return y;
  }

  Halfs hidden(const LanguageModel::Block& block, const Halfs& x) const {
    Halfs y = rounded(by_rows(block.up, x), block.up_bias);
    if (gpt2()) {
      const double c = 1.5957691216057308;
      for (uint16_t& u : y) {
        const uint16_t s = h_.min(h_.mul(u, u), h_.round(64));
        const uint16_t p = h_.fma(s, h_.round(0.044715 * c), h_.round(c));
        u = h_.mul(u, h_.sigmoid(h_.mul(u, p)));
      }
      return y;
    }
    const Halfs gate = rounded(by_rows(block.gate, x), {});
    for (size_t u = 0; u < y.size(); ++u) {
      y[u] = h_.mul(h_.mul(gate[u], h_.sigmoid(gate[u])), y[u]);
    }
    return y;
  }

  Halfs sum(const Halfs& a, const Halfs& b) const {
    Halfs y;
    for (size_t i = 0; i < a.size(); ++i) y.push_back(h_.add(a[i], b[i]));
    return y;
  }

  // N6 in a tile, of 16-bit numbers to fp32.
  uint32_t reduced(Op op, const Halfs& x) const {
    const std::vector<uint32_t> v(x.begin(), x.end());
    return reduce(op, m_.type == HalfType::Binary16 ? Type::F16 : Type::BF16, Type::F32, v.data(),
                  v.data(), v.size());
  }

  Halfs of_row(const Halfs& x, int row) const {
    Halfs y;
    for (int i = row; i < static_cast<int>(x.size()); i += rows_) y.push_back(at(x, i));
    return y;
  }

  std::vector<uint32_t> by_rows(const Halfs& w, const Halfs& x) const {
    const int inputs = static_cast<int>(x.size());
    std::vector<uint32_t> y;
    for (int o = 0; o < static_cast<int>(w.size()) / inputs; ++o) {
      uint32_t a = 0;
      for (int r = 0; r < rows_; ++r) {
        uint32_t p = 0;
        for (int i = r; i < inputs; i += rows_) p = h_.mixed(at(w, o * inputs + i), at(x, i), p);
        a = r == 0 ? p : f32_add(p, a);
      }
      y.push_back(a);
    }
    return y;
  }

  template <typename Column>
  std::vector<uint32_t> by_columns(const Halfs& w, const Halfs& x, const Column& column) const {
    const int inputs = static_cast<int>(x.size());
    std::vector<uint32_t> y;
    for (int o = 0; o < static_cast<int>(w.size()) / inputs; ++o) {
      uint32_t a = 0;
      for (int c = columns_ - 1; c >= 0; --c) {
        uint32_t p = 0;
        for (int i = 0; i < inputs; ++i) {
          if (column(i) == c) p = h_.mixed(at(w, o * inputs + i), at(x, i), p);
        }
        a = c == columns_ - 1 ? p : f32_add(p, a);
      }
      y.push_back(a);
    }
    return y;
  }

  // The sum of what each row reduces.
  // `most`: numbers of a row that are reduced together.
  uint32_t over_rows(Op op, const Halfs& x, size_t most = SIZE_MAX) const {
    uint32_t s = 0;
    for (int r = 0; r < rows_; ++r) {
      Halfs rest = of_row(x, r);
      uint32_t own = 0;
      for (bool first = true; first || !rest.empty(); first = false) {
        const auto end = rest.begin() + static_cast<std::ptrdiff_t>(std::min(most, rest.size()));
        const uint32_t some = reduced(op, Halfs(rest.begin(), end));
        own = first ? some : f32_add(own, some);
        rest.erase(rest.begin(), end);
      }
      s = r == 0 ? own : f32_add(s, own);
    }
    return s;
  }

  uint32_t root(uint32_t v) const {
    const uint32_t r = bf16_to_f32(nlf_bf16(Nlf::kReciprocalSqrt, f32_to_bf16(v)));
    return f32_fma(r, f32_fma(f32_mul(v, real(-0.5)), f32_mul(r, r), real(0.5)), r);
  }

  Halfs norm(const Halfs& x, const Halfs& gain, const Halfs& bias) const {
    const uint32_t share = real(1.0 / s_.width), squares = over_rows(Op::Dot, x);
    Halfs y;
    if (!gpt2()) {
      const uint32_t r = root(f32_fma(squares, share, real(s_.epsilon)));
      for (size_t i = 0; i < x.size(); ++i) {
        y.push_back(h_.mul(narrow(m_.type, f32_mul(widen(m_.type, x[i]), r)), gain[i]));
      }
      return y;
    }
    const uint32_t mean = f32_mul(over_rows(Op::Sum, x), share);
    const uint32_t v = f32_fma(f32_mul(mean, real(-1)), mean, f32_mul(squares, share));
    const uint32_t r = root(f32_add(f32_max(v, 0), real(s_.epsilon)));
    for (size_t i = 0; i < x.size(); ++i) {
      const uint32_t off = f32_mul(f32_sub(widen(m_.type, x[i]), mean), r);
      y.push_back(h_.fma(narrow(m_.type, off), gain[i], bias[i]));
    }
    return y;
  }

  void turn(const Rotation& by, Halfs* x) const {
    const size_t d = static_cast<size_t>(s_.head_size), half = d / 2;
    for (size_t head = 0; head < x->size(); head += d) {
      for (size_t m = 0; m < half; ++m) {
        const uint16_t low = (*x)[head + m], high = (*x)[head + half + m];
        (*x)[head + m] = h_.fma(low, by.cos[m], Halves::negative(h_.mul(high, by.sin[m])));
        (*x)[head + half + m] = h_.fma(high, by.cos[m], h_.mul(low, by.sin[m]));
      }
    }
  }

  void attend(size_t b, int head, const Halfs& query, Halfs* out) const {
    const int d = s_.head_size, kv = head / (s_.heads / s_.kv_heads) * d;
    Halfs scores;
    for (const Halfs& key : keys_[b]) {
      uint32_t a = 0;
      for (int part = parts() - 1; part >= 0; --part) {
        uint32_t p = 0;
        for (int k = 0; k < d; ++k) {
          if (part_of(k) == part) p = h_.mixed(at(key, kv + k), at(query, head * d + k), p);
        }
        a = part + 1 == parts() ? p : f32_add(p, a);
      }
      scores.push_back(narrow(m_.type, a));
    }
    uint16_t most = scores[0];
    for (const uint16_t s : scores) most = h_.max(most, s);
    for (uint16_t& s : scores) s = h_.exp(h_.sub(s, most));
    const uint32_t l = over_rows(Op::Sum, scores, 96);
    uint32_t f = bf16_to_f32(nlf_bf16(Nlf::kReciprocal, f32_to_bf16(l)));
    f = f32_fma(f, f32_fma(f32_mul(l, real(-1)), f, real(1)), f);
    for (int k = 0; k < d; ++k) {
      uint32_t o = 0;
      for (int r = 0; r < rows_; ++r) {
        uint32_t p = 0;
        for (int t = r; t < static_cast<int>(scores.size()); t += rows_) {
          p = h_.mixed(at(values_[b][static_cast<size_t>(t)], kv + k), at(scores, t), p);
        }
        o = r == 0 ? p : f32_add(p, o);
      }
      out->push_back(narrow(m_.type, f32_mul(o, f)));
    }
  }

  const LanguageModel& m_;
  const LanguageShape& s_;
  Halves h_;
  int rows_, columns_;
  std::vector<std::vector<Halfs>> keys_, values_;  // [block][position]
};

void expect_equal(const DecodeTaps& got, const DecodeTaps& expected) {
  EXPECT_EQ(got.embedding, expected.embedding);
  EXPECT_EQ(got.head_input, expected.head_input);
  ASSERT_EQ(got.blocks.size(), expected.blocks.size());
  for (size_t b = 0; b < got.blocks.size(); ++b) {
    const DecodeTaps::Block &g = got.blocks[b], &e = expected.blocks[b];
    EXPECT_EQ(g.attention_input, e.attention_input) << "block " << b;
    EXPECT_EQ(g.query, e.query) << "block " << b;
    EXPECT_EQ(g.key, e.key) << "block " << b;
    EXPECT_EQ(g.value, e.value) << "block " << b;
    EXPECT_EQ(g.attention, e.attention) << "block " << b;
    EXPECT_EQ(g.middle, e.middle) << "block " << b;
    EXPECT_EQ(g.hidden_input, e.hidden_input) << "block " << b;
    EXPECT_EQ(g.hidden, e.hidden) << "block " << b;
    EXPECT_EQ(g.out, e.out) << "block " << b;
  }
}

TEST(Decode, EveryBitIsThatOfTheRules) {
  for (const uint64_t seed : test_seeds(1, 4)) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    for (int draw = 0; draw < 4; ++draw) {
      const HalfType type = draw % 2 == 0 ? HalfType::Binary16 : HalfType::Bfloat16;
      LanguageShape shape = small_shape();
      if (draw >= 2) {
        shape.family = LanguageFamily::Gpt2;
        shape.kv_heads = shape.heads;
      }
      shape.width = one_of(&rng, {16, 75});  // so that a row has more than 16 features, or not
      // More columns than heads; a row with more places than one sum has.
      const int rows = draw == 0 ? 1 : one_of(&rng, {1, 2, 3});
      const int columns = draw == 1 ? 3 * shape.heads : one_of(&rng, {1, 2, 4});
      const int count = draw == 0 ? 100 : 40;
      const LanguageModel model = random_language_model(shape, type, rng.next(), rng.below(2) == 0);
      const Decoder decoder(model, rows, columns);
      Rules rules(model, rows, columns);
      DecodeCache cache;
      for (const int token : random_tokens(count, shape.vocabulary, &rng)) {
        DecodeTaps got, expected;
        const std::vector<uint32_t> logits = decoder.step(&cache, token, &got);
        ASSERT_EQ(logits, rules.step(token, &expected));
        expect_equal(got, expected);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Decode, WhatAUserGetsDoesNotDependOnOthers) {
  for (const uint64_t seed : test_seeds({1})) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    const LanguageShape shape = small_shape();
    const Decoder decoder(random_language_model(shape, HalfType::Binary16, rng.next()), 2, 2);
    const int users = 5, count = 20;
    std::vector<std::vector<int>> texts;
    std::vector<std::vector<std::vector<uint32_t>>> alone(users);
    for (int u = 0; u < users; ++u) {
      texts.push_back(random_tokens(count, shape.vocabulary, &rng));
      DecodeCache cache;
      for (const int token : texts.back()) alone[u].push_back(decoder.step(&cache, token));
    }
    // In a random order of users; some tokens are taken without their logits, and some are tried
    // and forgotten.
    std::vector<DecodeCache> caches(users);
    for (int left = users * count; left > 0;) {
      const size_t u = rng.below(users);
      const auto position = static_cast<size_t>(caches[u].positions());
      if (position == static_cast<size_t>(count)) continue;
      if (rng.below(4) == 0) {
        decoder.extend(&caches[u], static_cast<int>(rng.below(50)));
        caches[u].truncate(static_cast<int>(position));
      }
      --left;
      if (rng.below(4) == 0) {
        decoder.extend(&caches[u], texts[u][position]);
      } else {
        ASSERT_EQ(decoder.step(&caches[u], texts[u][position]), alone[u][position]);
      }
    }
  }
}

TEST(Decode, TheShapeOfARegionDecidesTheBits) {
  LanguageShape shape = small_shape();
  shape.width = 64;
  shape.hidden = 341;
  const LanguageModel model = random_language_model(shape, HalfType::Binary16, 1);
  std::vector<std::vector<uint32_t>> all;
  for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{1, 1}, {2, 1}, {1, 2}}) {
    DecodeCache cache;
    const Decoder decoder(model, rows, columns);
    all.emplace_back();
    for (int token = 0; token < 30; ++token) {
      const std::vector<uint32_t> logits = decoder.step(&cache, token);
      all.back().insert(all.back().end(), logits.begin(), logits.end());
    }
  }
  EXPECT_NE(all[0], all[1]);
  EXPECT_NE(all[0], all[2]);
  EXPECT_NE(all[1], all[2]);
}

TEST(Decode, RefusesWhatARegionOrAModelCannotHold) {
  const auto message = [](const LanguageShape& shape, int rows, int columns) -> std::string {
    LanguageModel model = random_language_model(small_shape(), HalfType::Binary16, 1);
    model.shape = shape;
    try {
      const Decoder decoder(model, rows, columns);
    } catch (const BadInput& e) {
      return e.what();
    }
    return "";
  };
  LanguageShape shape = small_shape();
  EXPECT_EQ(message(shape, 3, 4), "");
  EXPECT_EQ(message(shape, 2, 3),
            "language model: a region of 3 columns must divide, or be a multiple of, its 4 heads");
  EXPECT_EQ(message(shape, 0, 1), "language model: a region has at least 1 x 1 tiles");
  shape.heads = 6;
  shape.kv_heads = 3;
  EXPECT_EQ(message(shape, 1, 2),
            "language model: a region of 2 columns must divide, or be a multiple of, its 3 heads "
            "of keys and values");
  shape.kv_heads = 4;
  EXPECT_EQ(message(shape, 1, 1),
            "language model: 6 heads are no multiple of 4 heads of keys and values");
  shape = small_shape();
  shape.head_size = 5;
  EXPECT_EQ(message(shape, 1, 1), "language model: heads of 5 features; they must be even");
  shape = small_shape();
  shape.family = LanguageFamily::Gpt2;
  EXPECT_EQ(message(shape, 1, 1),
            "language model: the GPT-2 family has as many heads of keys as of queries");
  shape = small_shape();
  shape.theta = 0.5;
  EXPECT_EQ(message(shape, 1, 1),
            "language model: theta of its rotary embedding must be 1 to 2^40");

  shape = small_shape();
  shape.positions = 3;
  const Decoder decoder(random_language_model(shape, HalfType::Binary16, 1), 1, 1);
  DecodeCache cache;
  EXPECT_THROW(decoder.step(&cache, 50), BadInput);
  EXPECT_THROW(decoder.step(&cache, -1), BadInput);
  for (int i = 0; i < 3; ++i) decoder.step(&cache, i);
  EXPECT_THROW(decoder.step(&cache, 0), BadInput);
  EXPECT_EQ(cache.positions(), 3);
}

}  // namespace
}  // namespace ow::golden
