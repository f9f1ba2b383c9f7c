// SPDX-License-Identifier: Apache-2.0
#include "rotary_turns.h"

#include <cmath>

namespace ow::jobs {
namespace {

// N125, without the library's functions, which differ from machine to machine.
double log_of(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) {  // sqrt(1/2)
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  double p = 1.0 / 23;
  for (int n = 21; n > 0; n -= 2) p = p * (s * s) + 1.0 / n;
  return exponent * 0x1.62e42fefa39efp-1 + (2 * s) * p;
}

double factorial(int n) {
  double product = 1;
  for (int i = 2; i <= n; ++i) product *= i;
  return product;
}

double power_of_e(double x) {
  const double n = std::floor(x * 0x1.71547652b82fep+0 + 0.5);
  const double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  double p = 1 / factorial(14);
  for (int k = 13; k >= 0; --k) p = p * r + 1 / factorial(k);
  return std::ldexp(p, static_cast<int>(n));
}

std::vector<double> frequencies(const LanguageShape& shape) {
  std::vector<double> all;
  for (int m = 0; m < shape.head_size / 2; ++m) {
    double frequency = power_of_e(-((2.0 * m / shape.head_size) * log_of(shape.theta)));
    if (shape.scaling) {
      const RotaryScaling& s = *shape.scaling;
      const double wave = 0x1.921fb54442d18p+2 / frequency;
      const double turns = s.original_positions / wave;
      if (wave > s.original_positions / s.low_frequency_factor) {
        frequency /= s.factor;
      } else if (wave >= s.original_positions / s.high_frequency_factor) {
        const double share =
            (turns - s.low_frequency_factor) / (s.high_frequency_factor - s.low_frequency_factor);
        frequency = (1 - share) * (frequency / s.factor) + share * frequency;
      }
    }
    all.push_back(frequency);
  }
  return all;
}

}  // namespace

std::vector<uint32_t> rotary_turns(const LanguageShape& shape) {
  std::vector<uint32_t> turns;
  for (const double frequency : frequencies(shape)) {
    turns.push_back(static_cast<uint32_t>(std::floor(frequency * 0x1.45f306dc9c883p+29 + 0.5)));
  }
  return turns;
}

}  // namespace ow::jobs
