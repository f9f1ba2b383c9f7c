// SPDX-License-Identifier: Apache-2.0
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

uint32_t bits(double x) { return float_to_bits(static_cast<float>(x)); }
uint32_t negative(uint32_t x) { return x ^ 0x80000000u; }

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

int fine_positions(const LanguageShape& shape) {
  int fine = 1;
  while (int64_t{fine} * fine < shape.positions) fine *= 2;
  return fine;
}

Rotation rotation_at(HalfType type, const std::vector<double>& frequencies, int fine,
                     int position) {
  Rotation out;
  const int beyond = position % fine;
  for (const double frequency : frequencies) {
    const SinCos coarse_angle = fixed_sin_cos((position - beyond) * frequency);
    const SinCos fine_angle = fixed_sin_cos(beyond * frequency);
    const uint32_t sc = bits(coarse_angle.sin), cc = bits(coarse_angle.cos);
    const uint32_t sf = bits(fine_angle.sin), cf = bits(fine_angle.cos);
    out.cos.push_back(narrow(type, f32_fma(cc, cf, negative(f32_mul(sc, sf)))));
    out.sin.push_back(narrow(type, f32_fma(sc, cf, f32_mul(cc, sf))));
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
