// SPDX-License-Identifier: Apache-2.0
// Decoding against the same model in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "decode_draws.h"
#include "ow/golden/decode.h"
#include "ow/golden/formats.h"
#include "seed.h"

namespace ow::golden {
namespace {

using Reals = std::vector<double>;

// The model in double, nothing rounded, angles from the library: logits of all positions.
class Plain {
 public:
  explicit Plain(const LanguageModel& model) : m_(model), s_(model.shape) {}

  std::vector<Reals> logits(const std::vector<int>& tokens) {
    std::vector<Reals> out;
    keys_.assign(m_.blocks.size(), {});
    values_ = keys_;
    for (size_t p = 0; p < tokens.size(); ++p) out.push_back(step(tokens[p], static_cast<int>(p)));
    return out;
  }

 private:
  double at(const std::vector<uint16_t>& w, size_t i) const { return from_half(m_.type, w[i]); }

  Reals times(const std::vector<uint16_t>& w, const Reals& x) const {
    Reals y(w.size() / x.size());
    for (size_t o = 0; o < y.size(); ++o) {
      for (size_t i = 0; i < x.size(); ++i) y[o] += at(w, o * x.size() + i) * x[i];
    }
    return y;
  }

  Reals normed(const Reals& x, const std::vector<uint16_t>& gain) const {
    double squares = 0;
    for (const double v : x) squares += v * v;
    Reals y;
    for (size_t i = 0; i < x.size(); ++i) {
      y.push_back(x[i] / std::sqrt(squares / static_cast<double>(x.size()) + s_.epsilon) *
                  at(gain, i));
    }
    return y;
  }

  void turn(Reals* x, int position) const {
    const int half = s_.head_size / 2;
    for (int head = 0; head < static_cast<int>(x->size()) / s_.head_size; ++head) {
      for (int m = 0; m < half; ++m) {
        const double angle = position * std::pow(s_.theta, -2.0 * m / s_.head_size);
        double& low = (*x)[static_cast<size_t>(head * s_.head_size + m)];
        double& high = (*x)[static_cast<size_t>(head * s_.head_size + m + half)];
        const double l = low * std::cos(angle) - high * std::sin(angle);
        high = high * std::cos(angle) + low * std::sin(angle);
        low = l;
      }
    }
  }

  Reals attention(size_t b, const Reals& q) const {
    const auto d = static_cast<size_t>(s_.head_size);
    Reals out(q.size());
    for (size_t head = 0; head < static_cast<size_t>(s_.heads); ++head) {
      const size_t kv = head / static_cast<size_t>(s_.heads / s_.kv_heads) * d;
      double sum = 0;
      for (size_t t = 0; t < keys_[b].size(); ++t) {
        double score = 0;
        for (size_t k = 0; k < d; ++k) score += q[head * d + k] * keys_[b][t][kv + k];
        const double e = std::exp(score / std::sqrt(s_.head_size));
        sum += e;
        for (size_t k = 0; k < d; ++k) out[head * d + k] += e * values_[b][t][kv + k];
      }
      for (size_t k = 0; k < d; ++k) out[head * d + k] /= sum;
    }
    return out;
  }

  Reals step(int token, int position) {
    const auto width = static_cast<size_t>(s_.width);
    Reals x;
    for (size_t i = 0; i < width; ++i) {
      x.push_back(at(m_.embedding, static_cast<size_t>(token) * width + i));
    }
    for (size_t b = 0; b < m_.blocks.size(); ++b) {
      const LanguageModel::Block& block = m_.blocks[b];
      const Reals y = normed(x, block.attention_norm);
      Reals q = times(block.query, y), k = times(block.key, y);
      turn(&q, position);
      turn(&k, position);
      keys_[b].push_back(k);
      values_[b].push_back(times(block.value, y));
      const Reals o = times(block.output, attention(b, q));
      for (size_t i = 0; i < width; ++i) x[i] += o[i];
      const Reals z = normed(x, block.hidden_norm);
      Reals gate = times(block.gate, z);
      const Reals up = times(block.up, z);
      for (size_t u = 0; u < gate.size(); ++u) gate[u] *= up[u] / (1 + std::exp(-gate[u]));
      const Reals f = times(block.down, gate);
      for (size_t i = 0; i < width; ++i) x[i] += f[i];
    }
    return times(m_.head.empty() ? m_.embedding : m_.head, normed(x, m_.norm));
  }

  const LanguageModel& m_;
  const LanguageShape& s_;
  std::vector<std::vector<Reals>> keys_, values_;  // [block][position]
};

// A shape with odd sizes, and a region that may hold it.
struct Drawn {
  LanguageShape shape;
  int rows, columns;
};

Drawn drawn(Rng* rng) {
  Drawn d;
  d.shape.kv_heads = one_of(rng, {1, 2, 3});
  const int share = one_of(rng, {1, 2, 4});
  d.shape.heads = d.shape.kv_heads * share;
  d.shape.head_size = one_of(rng, {6, 8, 10, 32});
  d.shape.width = one_of(rng, {32, 48, 64, 75});
  d.shape.hidden = one_of(rng, {96, 172, 341});
  d.shape.layers = one_of(rng, {1, 2, 3});
  d.shape.vocabulary = one_of(rng, {76, 512, 1000});
  d.shape.positions = 70;
  d.shape.epsilon = 1e-5;
  d.shape.theta = one_of(rng, {10000, 500000});
  d.rows = one_of(rng, {1, 2, 3, 4});
  // A divisor of the heads of keys and values, or a multiple that gives each column a copy.
  d.columns = one_of(rng, {1, d.shape.kv_heads, d.shape.heads});
  return d;
}

TEST(Decode, LogitsAreThoseOfTheModelInDoublePrecision) {
  for (const uint64_t seed : test_seeds(1, 4)) {
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    Rng rng(seed);
    for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
      const Drawn d = drawn(&rng);
      const LanguageModel model =
          random_language_model(d.shape, type, rng.next(), rng.below(2) == 0);
      const Decoder decoder(model, d.rows, d.columns);
      const std::vector<int> tokens = random_tokens(20, d.shape.vocabulary, &rng);
      const std::vector<Reals> expected = Plain(model).logits(tokens);
      DecodeCache cache;
      for (size_t p = 0; p < tokens.size(); ++p) {
        const std::vector<uint32_t> logits = decoder.step(&cache, tokens[p]);
        ASSERT_EQ(logits.size(), expected[p].size());
        double squares = 0, most = 0;
        for (size_t t = 0; t < logits.size(); ++t) {
          squares += expected[p][t] * expected[p][t];
          most = std::max(most, std::fabs(bits_to_float(logits[t]) - expected[p][t]));
        }
        const double deviation = std::sqrt(squares / static_cast<double>(logits.size()));
        // A rounding to bfloat16 errs 8 times as much as one to binary16.
        EXPECT_LE(most / deviation, type == HalfType::Binary16 ? 0.02 : 0.16)
            << half_name(type) << ", position " << p;
      }
    }
  }
}

}  // namespace
}  // namespace ow::golden
