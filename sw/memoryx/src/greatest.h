// SPDX-License-Identifier: Apache-2.0
// The k greatest of n keys that are made window by window and never all there.
#ifndef OW_MEMORYX_GREATEST_H_
#define OW_MEMORYX_GREATEST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ow::memoryx {

// keys(first, count, out) writes keys below 2^48; take(first, count, chosen) gets 1 for those of
// the k greatest, equal ones in ascending position, else 0. keys is called several times for a
// window.
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
  // The least key that is taken, digit by digit, and how many of its equals.
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
