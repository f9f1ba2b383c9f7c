// SPDX-License-Identifier: Apache-2.0
// Finds the k greatest of n keys. The keys are made window by window and are never all in memory.
#ifndef OW_MEMORYX_GREATEST_H_
#define OW_MEMORYX_GREATEST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ow::memoryx {

// keys(first, count, out) writes keys below 2^48. It is called several times for a window.
// take(first, count, chosen) gets 1 for each of the k greatest keys, else 0. Among equal keys the
// lower position is taken.
template <typename Keys, typename Take>
void take_greatest(size_t n, size_t window, size_t k, const Keys& keys, const Take& take) {
  constexpr int kDigit = 16;
  constexpr uint64_t kValues = uint64_t{1} << kDigit;
  std::vector<uint64_t> part(std::min(n, window));
  const auto each = [&](const auto& work) {
    for (size_t first = 0; first < n; first += window) {
      const size_t count = std::min(window, n - first);
      keys(first, count, part.data());
      work(first, count);
    }
  };
  // Finds, digit by digit, the least key that is taken and how many of its equals are.
  uint64_t limit = 0;
  size_t equals = k;
  for (int shift = 2 * kDigit; shift >= 0; shift -= kDigit) {
    std::vector<size_t> counts(kValues, 0);
    each([&](size_t, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        if (part[i] >> shift >> kDigit == limit >> shift >> kDigit) {
          ++counts[(part[i] >> shift) & (kValues - 1)];
        }
      }
    });
    uint64_t digit = kValues - 1;
    while (digit > 0 && counts[digit] < equals) equals -= counts[digit--];
    limit |= digit << shift;
  }
  std::vector<uint8_t> chosen(part.size());
  each([&](size_t first, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const bool equal = part[i] == limit && equals > 0;
      if (equal) --equals;
      chosen[i] = part[i] > limit || equal ? 1 : 0;
    }
    take(first, count, chosen.data());
  });
}

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_GREATEST_H_
