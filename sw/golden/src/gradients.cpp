// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/gradients.h"

#include <algorithm>
#include <cmath>

#include "fused.h"
#include "ow/golden/formats.h"
#include "ow/golden/kind.h"
#include "ow/golden/tile_ops.h"

namespace ow::golden {
namespace {

float plus(float a, float b) { return a + b; }

// The host keeps the sign of the operand that made a NaN; the machine has only one NaN (N1).
float one_nan(float x) { return x != x ? bits_to_float(0x7FC00000) : x; }

// A product of two binary16 numbers is exact in fp32.
OW_FUSED_CLONES
void row_of_gradients(bool fused, const float* delta, const float* inputs, size_t count,
                      SampleRow row, const uint8_t* mask, float* out) {
  for (size_t i = 0; i < count; ++i) {
    if (mask != nullptr && mask[i] == 0) continue;
    const float* input = inputs + i * row.width();
    float along = 0;
    for (size_t c = row.columns; c-- > 0;) {
      const float* a = delta + c * row.samples;
      const float* b = input + c * row.samples;
      float p[kPartials] = {};
      for (size_t s = 0; s < row.samples; s += kPartials) {
        const size_t n = std::min(kPartials, row.samples - s);
        if (fused) {
          for (size_t q = 0; q < n; ++q) p[q] = std::fma(a[s + q], b[s + q], p[q]);
        } else {
          for (size_t q = 0; q < n; ++q) p[q] = a[s + q] * b[s + q] + p[q];
        }
      }
      const float g = join_partials(p, plus);
      along = c + 1 == row.columns ? g : g + along;
    }
    out[i] = one_nan(along);
  }
}

}  // namespace

std::vector<float> values_of(HalfType type, const Activations& a) {
  std::vector<float> out;
  out.reserve(a.values.size());
  for (const uint16_t x : a.values) out.push_back(bits_to_float(widen(type, x)));
  return out;
}

void gradients_of_row(HalfType type, const float* delta, const float* inputs, size_t count,
                      SampleRow row, const uint8_t* mask, float* out) {
  row_of_gradients(type == HalfType::Bfloat16, delta, inputs, count, row, mask, out);
}

float sum_of_row(const float* delta, SampleRow row) {
  float along = 0;
  for (size_t c = row.columns; c-- > 0;) {
    float p[kPartials] = {};
    for (size_t s = 0; s < row.samples; ++s) p[s % kPartials] += delta[c * row.samples + s];
    const float g = join_partials(p, plus);
    along = c + 1 == row.columns ? g : g + along;
  }
  return one_nan(along);
}

}  // namespace ow::golden
