// SPDX-License-Identifier: Apache-2.0
// Where the state of a tile (ow/sim/tile_state.h) stands in the state of a block.
#ifndef OW_SIM_WIDE_STATE_MAP_H_
#define OW_SIM_WIDE_STATE_MAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/sim/tile_state.h"
#include "ow_wide_model.h"

namespace ow::wide {

// The register of a tile without InputRegs that rests if all its bits are 1 (idle_o of ow_tile).
constexpr const char* kIdles = "gen_idle.idles_q";

struct StateMap {
  // InternalError if a register of the model is in no signal of the layout: it would be lost.
  StateMap(const ow_wide_names& names, const StateLayout& layout);

  struct Bit {
    size_t reg;
    size_t word;  // of the state
    int bit;
  };
  struct Bank {
    size_t bank, first, words;
  };
  size_t words;  // of a tile's state
  std::vector<Bit> bits;
  std::vector<Bank> banks;
  std::vector<Bit> ones;  // constants that are 1; `reg` has no meaning
  // Bits of the state that are the same in all engines. The others mean nothing, or the model does
  // without them.
  std::vector<uint64_t> known;
};

}  // namespace ow::wide

#endif  // OW_SIM_WIDE_STATE_MAP_H_
