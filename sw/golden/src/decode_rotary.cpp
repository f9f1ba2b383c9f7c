// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ow/golden/elementary.h"
#include "ow/golden/formats.h"
#include "ow/golden/halves.h"
#include "ow/golden/kind.h"
#include "ow/golden/rotary.h"

namespace ow::golden {
namespace {

constexpr double kTwoPi = 0x1.921fb54442d18p+2;

double scaled(const RotaryScaling& s, double frequency) {
  const double wave = kTwoPi / frequency;  // positions of a whole turn
  if (wave < s.original_positions / s.high_frequency_factor) return frequency;
  if (wave > s.original_positions / s.low_frequency_factor) return frequency / s.factor;
  const double share = (s.original_positions / wave - s.low_frequency_factor) /
                       (s.high_frequency_factor - s.low_frequency_factor);
  return (1 - share) * (frequency / s.factor) + share * frequency;
}

// The sine of t / 2^31 half turns, in fp32.
uint32_t sine_of(uint32_t t) {
  // The polynomial in y^2 for sin(pi y) / (y (1 - y^2)) with the least error of the sine.
  constexpr float kSeries[] = {0x1.921faap+1f, -0x1.0356b6p+1f, 0x1.0c2cf4p-1f, -0x1.30fc4ep-4f,
                               0x1.877734p-8f};
  const uint32_t y = f32_mul(int_to_f32(static_cast<int32_t>(t)), float_to_bits(0x1p-31f));
  const uint32_t z = f32_mul(y, y);
  uint32_t q = float_to_bits(kSeries[4]);
  for (int k = 3; k >= 0; --k) q = f32_add(f32_mul(q, z), float_to_bits(kSeries[k]));
  return f32_mul(f32_sub(y, f32_mul(y, z)), q);
}

}  // namespace

std::vector<double> rotary_frequencies(const LanguageShape& shape) {
  std::vector<double> out;
  const double log_theta = fixed_log(shape.theta);
  for (int m = 0; m < shape.head_size / 2; ++m) {
    const double power = 2.0 * m / shape.head_size;
    const double frequency = fixed_exp(-(power * log_theta));
    out.push_back(shape.scaling ? scaled(*shape.scaling, frequency) : frequency);
  }
  return out;
}

std::vector<uint32_t> rotary_turns(const LanguageShape& shape) {
  std::vector<uint32_t> out;
  for (const double frequency : rotary_frequencies(shape)) {
    // 2^32 / (2 pi), of at most one radian.
    out.push_back(static_cast<uint32_t>(std::floor(frequency * 0x1.45f306dc9c883p+29 + 0.5)));
  }
  return out;
}

Rotation rotation_at(HalfType type, const std::vector<uint32_t>& turns, int position) {
  Rotation out;
  for (const uint32_t turn : turns) {
    const uint32_t t = static_cast<uint32_t>(position) * turn;
    out.cos.push_back(narrow(type, sine_of(t + (1u << 30))));
    out.sin.push_back(narrow(type, sine_of(t)));
  }
  return out;
}

void rotate_head(HalfType type, const Rotation& rotation, uint16_t* head) {
  const Halves h{type};
  const size_t half = rotation.cos.size();
  for (size_t m = 0; m < half; ++m) {
    const uint16_t low = head[m], high = head[m + half];
    const uint16_t cos = rotation.cos[m], sin = rotation.sin[m];
    head[m] = h.fma(low, cos, Halves::negative(h.mul(high, sin)));
    head[m + half] = h.fma(high, cos, h.mul(low, sin));
  }
}

}  // namespace ow::golden
