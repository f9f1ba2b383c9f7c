// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ow/base/rng.h"
#include "ow/golden/elementary.h"
#include "ow/golden/formats.h"
#include "ow/golden/kind.h"
#include "ow/golden/sampling.h"

namespace ow::golden {

int greedy_token(const std::vector<uint32_t>& logits) {
  size_t best = 0;
  for (size_t t = 1; t < logits.size(); ++t) {
    const float most = bits_to_float(logits[best]), z = bits_to_float(logits[t]);
    if (z > most || (std::isnan(most) && !std::isnan(z))) best = t;
  }
  return static_cast<int>(best);
}

int sampled_token(const std::vector<uint32_t>& logits, const Sampling& sampling, int position) {
  require(sampling.temperature > 0 && sampling.top_k >= 0 && sampling.top_p > 0,
          "sampling without a temperature, or of no token");
  const int greedy = greedy_token(logits);
  const double most = bits_to_float(logits[static_cast<size_t>(greedy)]);
  for (const uint32_t z : logits) {
    if (is_nan32(z) || std::isinf(most)) return greedy;
  }
  const auto value = [&logits](int t) { return bits_to_float(logits[static_cast<size_t>(t)]); };
  std::vector<int> tokens(logits.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  std::stable_sort(tokens.begin(), tokens.end(),
                   [&value](int a, int b) { return value(a) > value(b); });
  if (sampling.top_k > 0 && static_cast<size_t>(sampling.top_k) < tokens.size()) {
    tokens.resize(static_cast<size_t>(sampling.top_k));
  }
  std::vector<double> sums;  // of the weights up to each
  for (const int t : tokens) {
    const double x = (value(t) - most) / sampling.temperature;
    const double weight = x < -700 ? 0 : fixed_exp(x);
    sums.push_back((sums.empty() ? 0 : sums.back()) + weight);
  }
  const double enough = sampling.top_p * sums.back();
  size_t count = 1;
  while (count < sums.size() && sums[count - 1] < enough) ++count;
  const uint64_t random =
      mix64(mix64(mix64(sampling.seed) + sampling.answer) + static_cast<uint64_t>(position));
  const double draw = static_cast<double>(random >> 11) * 0x1p-53 * sums[count - 1];
  size_t n = 0;
  while (n + 1 < count && sums[n] <= draw) ++n;
  return tokens[n];
}

}  // namespace ow::golden
