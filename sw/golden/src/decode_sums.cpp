// SPDX-License-Identifier: Apache-2.0
#include "decode_sums.h"

#include <algorithm>
#include <cmath>

#include "fused.h"
#include "ow/golden/formats.h"
#include "ow/golden/kind.h"
#include "ow/golden/tile_ops.h"

namespace ow::golden {
namespace {

// A product of two binary16 numbers is exact in fp32, and only the sum rounds. One of two bfloat16
// numbers may lie below the range of fp32 (N56), so it is fused.
OW_FUSED_CLONES
void matrix_block(bool fused, const float* weights, const float* x, const size_t* ends,
                  size_t parts, float* out) {
  size_t n = 0;
  for (size_t part = 0; part < parts; ++part) {
    float p[kSumBlock] = {};
    if (fused) {
      for (; n < ends[part]; ++n) {
        const float* w = weights + n * kSumBlock;
        const float v = x[n];
        for (size_t o = 0; o < kSumBlock; ++o) p[o] = std::fma(w[o], v, p[o]);
      }
    } else {
      for (; n < ends[part]; ++n) {
        const float* w = weights + n * kSumBlock;
        const float v = x[n];
        for (size_t o = 0; o < kSumBlock; ++o) p[o] = w[o] * v + p[o];
      }
    }
    if (part == 0) {
      for (size_t o = 0; o < kSumBlock; ++o) out[o] = p[o];
    } else {
      for (size_t o = 0; o < kSumBlock; ++o) out[o] = p[o] + out[o];
    }
  }
}

float plus(float a, float b) { return a + b; }

}  // namespace

SumOrder dealt(size_t inputs, size_t parts) {
  SumOrder order(parts);
  for (size_t i = 0; i < inputs; ++i) order[i % parts].push_back(i);
  return order;
}

SumOrder cut(size_t inputs, size_t parts) {
  SumOrder order(parts);
  for (size_t i = 0; i < inputs; ++i) order[i / (inputs / parts)].push_back(i);
  return order;
}

SumOrder reversed(SumOrder order) {
  std::reverse(order.begin(), order.end());
  return order;
}

float value_of(HalfType type, uint16_t x) {
  return type == HalfType::Binary16 ? f16_to_float(x) : bf16_to_float(x);
}

std::vector<float> values_of(HalfType type, const std::vector<uint16_t>& x) {
  std::vector<float> out;
  out.reserve(x.size());
  for (const uint16_t v : x) out.push_back(value_of(type, v));
  return out;
}

ResidentMatrix::ResidentMatrix(HalfType type, const std::vector<uint16_t>& weights, size_t outputs,
                               const SumOrder& order)
    : type_(type), outputs_(outputs) {
  for (const std::vector<size_t>& part : order) {
    inputs_.insert(inputs_.end(), part.begin(), part.end());
    ends_.push_back(inputs_.size());
  }
  require(weights.size() == outputs * inputs_.size(), "a matrix of another size than its model's");
  const size_t blocks = (outputs + kSumBlock - 1) / kSumBlock;
  weights_.resize(blocks * inputs_.size() * kSumBlock);
  for (size_t o = 0; o < outputs; ++o) {
    float* block = &weights_[o / kSumBlock * inputs_.size() * kSumBlock + o % kSumBlock];
    for (size_t n = 0; n < inputs_.size(); ++n) {
      block[n * kSumBlock] = value_of(type, weights[o * inputs_.size() + inputs_[n]]);
    }
  }
}

std::vector<uint32_t> ResidentMatrix::times(const std::vector<uint16_t>& x) const {
  require(x.size() == inputs_.size(), "a vector of another size than its matrix's");
  std::vector<float> values;
  values.reserve(x.size());
  for (const size_t i : inputs_) values.push_back(value_of(type_, x[i]));
  std::vector<uint32_t> y;
  y.reserve(outputs_);
  for (size_t first = 0; first < outputs_; first += kSumBlock) {
    float sums[kSumBlock];
    matrix_block(type_ == HalfType::Bfloat16, &weights_[first * inputs_.size()], values.data(),
                 ends_.data(), ends_.size(), sums);
    for (size_t o = 0; o < std::min(kSumBlock, outputs_ - first); ++o) {
      y.push_back(float_to_f32(sums[o]));
    }
  }
  return y;
}

std::vector<uint16_t> ResidentMatrix::rounded_times(const std::vector<uint16_t>& x,
                                                    const std::vector<uint16_t>& bias) const {
  const std::vector<uint32_t> sums = times(x);
  std::vector<uint16_t> y;
  y.reserve(outputs_);
  for (size_t o = 0; o < outputs_; ++o) {
    y.push_back(narrow(type_, bias.empty() ? sums[o] : f32_add(sums[o], widen(type_, bias[o]))));
  }
  return y;
}

float sum_by_n6(const std::vector<float>& x) {
  float p[kPartials] = {};
  for (size_t i = 0; i < x.size(); ++i) p[i % kPartials] += x[i];
  return join_partials(p, plus);
}

float squares_by_n6(bool fused, const std::vector<float>& x) {
  float p[kPartials] = {};
  for (size_t i = 0; i < x.size(); ++i) {
    float& sum = p[i % kPartials];
    sum = fused ? std::fma(x[i], x[i], sum) : x[i] * x[i] + sum;
  }
  return join_partials(p, plus);
}

OW_FUSED_CLONES
void score_block(bool fused, const float* keys, const float* query, size_t features,
                 float* scores) {
  float p[kCacheBlock] = {};
  if (fused) {
    for (size_t k = 0; k < features; ++k) {
      const float* key = keys + k * kCacheBlock;
      const float q = query[k];
      for (size_t t = 0; t < kCacheBlock; ++t) p[t] = std::fma(key[t], q, p[t]);
    }
  } else {
    for (size_t k = 0; k < features; ++k) {
      const float* key = keys + k * kCacheBlock;
      const float q = query[k];
      for (size_t t = 0; t < kCacheBlock; ++t) p[t] = key[t] * q + p[t];
    }
  }
  for (size_t t = 0; t < kCacheBlock; ++t) scores[t] = p[t];
}

OW_FUSED_CLONES
void add_row(bool fused, const float* row, float factor, size_t blocks, float* sums) {
  for (size_t b = 0; b < blocks; ++b) {
    const float* from = row + b * kCacheBlock;
    float* sum = sums + b * kCacheBlock;
    if (fused) {
      for (size_t k = 0; k < kCacheBlock; ++k) sum[k] = std::fma(from[k], factor, sum[k]);
    } else {
      for (size_t k = 0; k < kCacheBlock; ++k) sum[k] = from[k] * factor + sum[k];
    }
  }
}

}  // namespace ow::golden
