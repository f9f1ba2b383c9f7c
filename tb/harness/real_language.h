// SPDX-License-Identifier: Apache-2.0
// A language model in double precision: nothing is rounded, and angles are the library's. What
// models of 16 bits are compared with.
#ifndef OW_TB_HARNESS_REAL_LANGUAGE_H_
#define OW_TB_HARNESS_REAL_LANGUAGE_H_

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "ow/graph/language_model.h"

namespace ow {

using Reals = std::vector<double>;

// The parts of LanguageModel, with its names and shapes.
struct RealLanguage {
  LanguageShape shape;
  struct Block {
    Reals attention_norm, attention_norm_bias, query, query_bias, key, key_bias, value, value_bias,
        output, output_bias, hidden_norm, hidden_norm_bias, gate, up, up_bias, down, down_bias;
  };
  Reals embedding, places;
  std::vector<Block> blocks;
  Reals norm, norm_bias, head;
};

inline RealLanguage real_language(const LanguageModel& m) {
  const auto reals = [&m](const std::vector<uint16_t>& values) {
    Reals out;
    for (const uint16_t v : values) out.push_back(from_half(m.type, v));
    return out;
  };
  RealLanguage out{m.shape,       reals(m.embedding), reals(m.places), {},
                   reals(m.norm), reals(m.norm_bias), reals(m.head)};
  for (const LanguageModel::Block& b : m.blocks) {
    out.blocks.push_back({reals(b.attention_norm), reals(b.attention_norm_bias), reals(b.query),
                          reals(b.query_bias), reals(b.key), reals(b.key_bias), reals(b.value),
                          reals(b.value_bias), reals(b.output), reals(b.output_bias),
                          reals(b.hidden_norm), reals(b.hidden_norm_bias), reals(b.gate),
                          reals(b.up), reals(b.up_bias), reals(b.down), reals(b.down_bias)});
  }
  return out;
}

// Decodes one text.
class RealDecoder {
 public:
  explicit RealDecoder(const RealLanguage& model)
      : m_(model), s_(model.shape), keys_(model.blocks.size()), values_(model.blocks.size()) {}

  // The logits after the next token.
  Reals step(int token) {
    Reals x(static_cast<size_t>(s_.width));
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = m_.embedding[static_cast<size_t>(token) * x.size() + i];
      if (!llama()) x[i] += m_.places[static_cast<size_t>(position_) * x.size() + i];
    }
    for (size_t b = 0; b < m_.blocks.size(); ++b) {
      const RealLanguage::Block& block = m_.blocks[b];
      const Reals y = normed(x, block.attention_norm, block.attention_norm_bias);
      Reals q = product(block.query, block.query_bias, y),
            k = product(block.key, block.key_bias, y);
      if (llama()) {
        turn(&q);
        turn(&k);
      }
      keys_[b].push_back(std::move(k));
      values_[b].push_back(product(block.value, block.value_bias, y));
      add(&x, product(block.output, block.output_bias, attention(b, q)));
      const Reals z = normed(x, block.hidden_norm, block.hidden_norm_bias);
      add(&x, product(block.down, block.down_bias, hidden(block, z)));
    }
    ++position_;
    return product(m_.head.empty() ? m_.embedding : m_.head, {}, normed(x, m_.norm, m_.norm_bias));
  }

 private:
  bool llama() const { return s_.family == LanguageFamily::Llama; }

  static void add(Reals* x, const Reals& y) {
    for (size_t i = 0; i < x->size(); ++i) (*x)[i] += y[i];
  }

  static Reals product(const Reals& w, const Reals& bias, const Reals& x) {
    Reals y = bias.empty() ? Reals(w.size() / x.size()) : bias;
    for (size_t o = 0; o < y.size(); ++o) {
      for (size_t i = 0; i < x.size(); ++i) y[o] += w[o * x.size() + i] * x[i];
    }
    return y;
  }

  Reals normed(const Reals& x, const Reals& gain, const Reals& bias) const {
    const auto count = static_cast<double>(x.size());
    double mean = 0, squares = 0;
    for (const double v : x) mean += llama() ? 0 : v / count;
    for (const double v : x) squares += (v - mean) * (v - mean);
    Reals y;
    for (size_t i = 0; i < x.size(); ++i) {
      y.push_back((x[i] - mean) / std::sqrt(squares / count + s_.epsilon) * gain[i]);
      if (!llama()) y.back() += bias[i];
    }
    return y;
  }

  static double scaled(const RotaryScaling& s, double frequency) {
    const double turns = s.original_positions * frequency / (2 * std::acos(-1.0));
    if (turns > s.high_frequency_factor) return frequency;
    if (turns < s.low_frequency_factor) return frequency / s.factor;
    const double share =
        (turns - s.low_frequency_factor) / (s.high_frequency_factor - s.low_frequency_factor);
    return (1 - share) * frequency / s.factor + share * frequency;
  }

  void turn(Reals* x) const {
    const auto size = static_cast<size_t>(s_.head_size), half = size / 2;
    for (size_t head = 0; head < x->size(); head += size) {
      for (size_t m = 0; m < half; ++m) {
        double frequency = std::pow(s_.theta, -2.0 * static_cast<double>(m) / s_.head_size);
        if (s_.scaling) frequency = scaled(*s_.scaling, frequency);
        const double angle = position_ * frequency;
        double &low = (*x)[head + m], &high = (*x)[head + m + half];
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

  Reals hidden(const RealLanguage::Block& block, const Reals& x) const {
    Reals up = product(block.up, block.up_bias, x);
    if (!llama()) {
      const double c = std::sqrt(2 / std::acos(-1.0));
      for (double& u : up) u = u / 2 * (1 + std::tanh(c * (u + 0.044715 * u * u * u)));
      return up;
    }
    const Reals gate = product(block.gate, {}, x);
    for (size_t u = 0; u < up.size(); ++u) up[u] *= gate[u] / (1 + std::exp(-gate[u]));
    return up;
  }

  const RealLanguage& m_;
  const LanguageShape& s_;
  int position_ = 0;
  std::vector<std::vector<Reals>> keys_, values_;  // [block][position]
};

// The largest difference of logits over the deviation of the real ones from their mean.
inline double logit_error(const std::vector<double>& logits, const Reals& real) {
  double mean = 0, squares = 0, most = 0;
  for (const double v : real) mean += v / static_cast<double>(real.size());
  for (size_t t = 0; t < real.size(); ++t) {
    squares += (real[t] - mean) * (real[t] - mean);
    most = std::fmax(most, std::fabs(logits[t] - real[t]));
  }
  return most / std::sqrt(squares / static_cast<double>(real.size()));
}

}  // namespace ow

#endif  // OW_TB_HARNESS_REAL_LANGUAGE_H_
