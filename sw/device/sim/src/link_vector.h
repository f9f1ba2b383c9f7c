// SPDX-License-Identifier: Apache-2.0
// Link words side by side in a port of a Verilated model, the first one at bit 0.
#ifndef OW_SIM_SRC_LINK_VECTOR_H_
#define OW_SIM_SRC_LINK_VECTOR_H_

#include <algorithm>
#include <cstdint>

#include "ow/device/link_word.h"

namespace ow::sim {

constexpr int kVectorBits = 32;  // of a word of the port

// Calls part(word of the port, its bit, link word, its bit, number of bits) for each run of bits
// that stands in one word of the port.
template <typename Part>
void each_part(int count, const Part& part) {
  for (int k = 0; k < count; ++k) {
    for (int bit = 0; bit < kLinkBits;) {
      const int at = k * kLinkBits + bit;
      const int bits = std::min(kVectorBits - at % kVectorBits, kLinkBits - bit);
      part(at / kVectorBits, at % kVectorBits, k, bit, bits);
      bit += bits;
    }
  }
}

inline void pack_links(const uint64_t* words, int count, uint32_t* port) {
  std::fill_n(port, (count * kLinkBits + kVectorBits - 1) / kVectorBits, 0);
  each_part(count, [&](int to, int to_bit, int from, int from_bit, int bits) {
    const uint64_t part = words[from] >> from_bit & ((uint64_t{1} << bits) - 1);
    port[to] |= static_cast<uint32_t>(part << to_bit);
  });
}

inline void unpack_links(const uint32_t* port, int count, uint64_t* words) {
  std::fill_n(words, count, 0);
  each_part(count, [&](int from, int from_bit, int to, int to_bit, int bits) {
    const uint64_t part = port[from] >> from_bit & ((uint64_t{1} << bits) - 1);
    words[to] |= part << to_bit;
  });
}

}  // namespace ow::sim

#endif  // OW_SIM_SRC_LINK_VECTOR_H_
