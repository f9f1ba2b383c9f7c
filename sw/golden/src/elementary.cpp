// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/elementary.h"

#include <cmath>
#include <cstdint>

namespace ow::golden {
namespace {

// ln 2 in one piece and in two; the upper one has 32 bits, so that its product with a small whole
// number is exact.
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kRootHalf = 0x1.6a09e667f3bcdp-1;
// pi / 2 in three pieces of at most 33 bits.
constexpr double kHalfPi[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69};
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;

// sum of s_k r^k / k! for k = first, first - 2, ..: s is +1 for the lowest k, then alternates.
double alternating(double r, int first) {
  const double z = r * r;
  double p = 0;
  for (int k = first; k >= 0; k -= 2) {
    double factorial = 1;
    for (int i = 2; i <= k; ++i) factorial *= i;
    const double term = (k / 2) % 2 == 0 ? 1 / factorial : -1 / factorial;
    p = k == first ? term : p * z + term;
  }
  return p;
}

}  // namespace

double fixed_log(double x) {
  int exponent;
  double m = std::frexp(x, &exponent);  // exact
  if (m < kRootHalf) {
    m = 2 * m;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double p = 1.0 / 23;
  for (int n = 21; n >= 1; n -= 2) p = p * z + 1.0 / n;
  return exponent * kLn2 + (2 * s) * p;
}

double fixed_exp(double x) {
  const double n = std::floor(x * kLog2E + 0.5);
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double factorial = 1;
  for (int k = 2; k <= 14; ++k) factorial *= k;
  double p = 1 / factorial;
  for (int k = 13; k >= 0; --k) {
    factorial /= k + 1;
    p = p * r + 1 / factorial;
  }
  return std::ldexp(p, static_cast<int>(n));
}

SinCos fixed_sin_cos(double a) {
  const double n = std::floor(a * kTwoOverPi + 0.5);
  const double r = ((a - n * kHalfPi[0]) - n * kHalfPi[1]) - n * kHalfPi[2];
  const double sin = alternating(r, 17) * r, cos = alternating(r, 18);
  switch (static_cast<int64_t>(n) % 4) {
    case 0:
      return {sin, cos};
    case 1:
      return {cos, -sin};
    case 2:
      return {-sin, -cos};
    default:
      return {-cos, sin};
  }
}

}  // namespace ow::golden
