// SPDX-License-Identifier: Apache-2.0
#include "ow/serve/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include "ow/base/error.h"
#include "ow/base/rng.h"

namespace ow::serve {
namespace {

float value_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// e^x of N125 for x <= 0, and 0 below -700.
double power(double x) {
  if (x < -700) return 0;
  const double n = std::floor(x * 0x1.71547652b82fep+0 + 0.5);
  const double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  constexpr double kFactorials[] = {
      1.0,     1.0,      2.0,       6.0,        24.0,        120.0,        720.0,        5040.0,
      40320.0, 362880.0, 3628800.0, 39916800.0, 479001600.0, 6227020800.0, 87178291200.0};
  double p = 0;
  for (int k = 14; k >= 0; --k) p = p * r + 1 / kFactorials[k];
  return std::ldexp(p, static_cast<int>(n));
}

}  // namespace

void check_sampling(const Sampling& s) {
  // Written so that a NaN is refused, too.
  if (!(s.temperature >= 0 && s.temperature <= 100)) {
    throw BadInput("temperature " + std::to_string(s.temperature) + " is not 0 to 100");
  }
  if (s.top_k < 0) throw BadInput("top_k " + std::to_string(s.top_k) + " is below 0");
  if (!(s.top_p > 0 && s.top_p <= 1)) {
    throw BadInput("top_p " + std::to_string(s.top_p) + " is not above 0 and at most 1");
  }
}

int choose_token(const std::vector<uint32_t>& logits, const Sampling& s, int position) {
  std::vector<float> values;
  values.reserve(logits.size());
  size_t best = 0;
  bool sane = true;
  for (const uint32_t bits : logits) {
    values.push_back(value_of(bits));
    const float z = values.back();
    sane = sane && !std::isnan(z);
    if (z > values[best] || (std::isnan(values[best]) && !std::isnan(z))) best = values.size() - 1;
  }
  if (s.temperature == 0 || !sane || std::isinf(values[best])) return static_cast<int>(best);

  std::vector<int> tokens(values.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  const auto before = [&values](int a, int b) {
    const float x = values[static_cast<size_t>(a)], y = values[static_cast<size_t>(b)];
    return x != y ? x > y : a < b;
  };
  if (s.top_k > 0 && static_cast<size_t>(s.top_k) < tokens.size()) {
    std::partial_sort(tokens.begin(), tokens.begin() + s.top_k, tokens.end(), before);
    tokens.resize(static_cast<size_t>(s.top_k));
  } else {
    std::sort(tokens.begin(), tokens.end(), before);
  }
  std::vector<double> sums;
  sums.reserve(tokens.size());
  double sum = 0;
  const double most = values[best];
  for (const int t : tokens) {
    sum += power((values[static_cast<size_t>(t)] - most) / s.temperature);
    sums.push_back(sum);
  }
  const auto stay = std::lower_bound(sums.begin(), sums.end(), s.top_p * sum);
  if (stay != sums.end()) sums.erase(stay + 1, sums.end());
  const uint64_t random = mix64(mix64(mix64(s.seed) + s.answer) + static_cast<uint64_t>(position));
  const double draw = static_cast<double>(random >> 11) * 0x1p-53 * sums.back();
  const auto chosen = std::upper_bound(sums.begin(), sums.end() - 1, draw);
  return tokens[static_cast<size_t>(chosen - sums.begin())];
}

}  // namespace ow::serve
