// SPDX-License-Identifier: Apache-2.0
#include "rotary_tables.h"

#include <cmath>
#include <cstring>

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

// Of an angle of at least 0: quarter turns, then a series of odd or of even powers.
double sine_of(double angle, int quarters) {
  const double n = std::floor(angle * 0x1.45f306dc9c883p-1 + 0.5);
  const double r = ((angle - n * 0x1.921fb544p+0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2ep-69;
  const auto turn = (static_cast<int64_t>(n) + quarters) % 4;
  const bool even = turn % 2 != 0;
  double p = 0;
  for (int k = even ? 18 : 17; k >= 0; k -= 2) {
    p = p * (r * r) + (k / 2 % 2 == 0 ? 1 : -1) / factorial(k);
  }
  if (!even) p *= r;
  return turn >= 2 ? -p : p;
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

uint32_t fine_bits(const LanguageShape& shape) {
  uint32_t bits = 0;
  while ((int64_t{1} << 2 * bits) < shape.positions) ++bits;
  return bits;
}

RotaryTables rotary_tables(const LanguageShape& shape, int positions) {
  const int fine = 1 << fine_bits(shape), coarse = (positions + fine - 1) / fine;
  const std::vector<double> turns = frequencies(shape);
  // A row at a position: the sine so many quarter turns on.
  const auto add = [&turns](std::vector<uint32_t>* rows, int position, int quarters) {
    for (const double frequency : turns) {
      const auto value = static_cast<float>(sine_of(position * frequency, quarters));
      rows->push_back(0);
      std::memcpy(&rows->back(), &value, sizeof value);
    }
  };
  RotaryTables tables;
  for (int i = 0; i < coarse; ++i) {
    for (const int quarters : {2, 1, 0}) add(&tables.coarse, i * fine, quarters);
  }
  for (int i = 0; i < fine; ++i) {
    for (const int quarters : {0, 1}) add(&tables.fine, i, quarters);
  }
  return tables;
}

}  // namespace ow::jobs
