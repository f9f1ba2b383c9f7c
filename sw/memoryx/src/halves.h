// SPDX-License-Identifier: Apache-2.0
// Rows of eight 16-bit values, and how two rows are merged. Transposing squares and dealing out
// values use it.
#ifndef OW_MEMORYX_HALVES_H_
#define OW_MEMORYX_HALVES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ow::memoryx {

constexpr size_t kHalves = 8;
typedef uint16_t HalfRow __attribute__((vector_size(2 * kHalves)));

inline HalfRow load_halves(const uint16_t* from) {
  HalfRow row;
  std::memcpy(&row, from, sizeof row);
  return row;
}

inline void store_halves(HalfRow row, uint16_t* to) { std::memcpy(to, &row, sizeof row); }

// Interleaves the elements of both rows: of their first halves, and of their second halves. Clang
// has no __builtin_shuffle, and g++ has __builtin_shufflevector only since version 12.
inline HalfRow low_halves(HalfRow x, HalfRow y) {
#ifdef __clang__
  return __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
#else
  return __builtin_shuffle(x, y, HalfRow{0, 8, 1, 9, 2, 10, 3, 11});
#endif
}
inline HalfRow high_halves(HalfRow x, HalfRow y) {
#ifdef __clang__
  return __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
#else
  return __builtin_shuffle(x, y, HalfRow{4, 12, 5, 13, 6, 14, 7, 15});
#endif
}

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_HALVES_H_
