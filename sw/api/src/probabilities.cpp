// SPDX-License-Identifier: Apache-2.0
#include "probabilities.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numeric>

namespace ow::api {

Probabilities log_probabilities(const std::vector<uint32_t>& logits, int token, int top) {
  std::vector<float> values(logits.size());
  for (size_t n = 0; n < logits.size(); ++n) {
    std::memcpy(&values[n], &logits[n], sizeof values[n]);
    // NaN has no order.
    if (std::isnan(values[n])) values[n] = -HUGE_VALF;
  }
  const double most = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (const float z : values) sum += std::exp(z - most);
  const double shift = most + std::log(sum);
  const auto of = [&](int t) {
    const double p = static_cast<double>(values.at(static_cast<size_t>(t))) - shift;
    return std::isfinite(p) ? p : -9999.0;
  };
  Probabilities out;
  out.chosen = of(token);
  std::vector<int> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  const auto count = std::min(static_cast<size_t>(top), order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
                    [&values](int a, int b) {
                      const float x = values[static_cast<size_t>(a)];
                      const float y = values[static_cast<size_t>(b)];
                      return x != y ? x > y : a < b;
                    });
  for (size_t n = 0; n < count; ++n) out.top.emplace_back(order[n], of(order[n]));
  return out;
}

}  // namespace ow::api
