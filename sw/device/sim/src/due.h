// SPDX-License-Identifier: Apache-2.0
// What a cycle of the replicated engine begins with: words on links, and tiles to evaluate.
#ifndef OW_SIM_DUE_H_
#define OW_SIM_DUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ow::sim {

// The four link words of a tile edge, in port order. A cache line holds both parities.
struct alignas(64) Slots {
  uint64_t word[2][4];
};

// The tiles that a cycle evaluates: those that were not idle after their last evaluation, and
// those that get a word.
struct Due {
  std::vector<size_t> tiles;
  std::vector<uint8_t> listed;  // by tile
  void add(size_t tile) {
    if (listed[tile] != 0) return;
    listed[tile] = 1;
    tiles.push_back(tile);
  }
};

}  // namespace ow::sim

#endif  // OW_SIM_DUE_H_
