// SPDX-License-Identifier: Apache-2.0
// Bits of the tiles of a block.
//
// A block is `rows` x `columns` tiles. Tile (r, c) is lane r * columns + c: a bit of a vector of
// rows * columns bits, which is stored as 64-bit words, the first lanes first.
#ifndef OW_SIM_WIDE_LANES_H_
#define OW_SIM_WIDE_LANES_H_

#include <cstddef>
#include <cstdint>

namespace ow::wide {

constexpr size_t kMaxWords = 8;  // of a vector: 512 lanes
constexpr size_t kGroup = 64;    // lanes of a word

struct Lanes {
  uint64_t word[kMaxWords] = {};

  bool get(size_t lane) const { return (word[lane / 64] >> (lane % 64) & 1) != 0; }
  void set(size_t lane) { word[lane / 64] |= uint64_t{1} << (lane % 64); }
  bool any() const {
    uint64_t all = 0;
    for (const uint64_t w : word) all |= w;
    return all != 0;
  }
  size_t count() const {
    size_t all = 0;
    for (const uint64_t w : word) all += static_cast<size_t>(__builtin_popcountll(w));
    return all;
  }
  void clear(size_t lane) { word[lane / 64] &= ~(uint64_t{1} << (lane % 64)); }
};

// Bit j of row i and bit i of row j change places.
inline void transpose(uint64_t* rows) {
  uint64_t mask = 0x00000000FFFFFFFF;
  for (size_t step = kGroup / 2; step > 0; step /= 2, mask ^= mask << step) {
    for (size_t k = 0; k < kGroup; k = (k + step + 1) & ~step) {
      const uint64_t change = ((rows[k] >> step) ^ rows[k + step]) & mask;
      rows[k] ^= change << step;
      rows[k + step] ^= change;
    }
  }
}

}  // namespace ow::wide

#endif  // OW_SIM_WIDE_LANES_H_
