// SPDX-License-Identifier: Apache-2.0
// A Verilated tile that does the same as a tile of a block and is compared with it in each cycle in
// which the block is evaluated. If its maker checks tiles, its assertions are evaluated, too.
//
// After a cycle the Verilated tile has the registers with which that cycle began. So they are
// compared in the next cycle that is evaluated; and, with a copy that is clocked once more, when
// the block comes to rest.
#ifndef OW_SIM_WIDE_LOCKSTEP_H_
#define OW_SIM_WIDE_LOCKSTEP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "block.h"
#include "ow/sim/one_tile.h"
#include "state_map.h"

namespace ow::wide {

class Lockstep {
 public:
  // Tile (row, column) of the grid.
  Lockstep(size_t lane, const StateMap& map, TileMaker* maker, int row, int column);

  // Before and after the block is clocked. DeviceFault if a register, a word that is sent or
  // whether the tile is idle differs, or an assertion fails.
  void before(Block* block, uint64_t cycle);
  void after(Block* block, uint64_t cycle);
  // The tile has got another state.
  void begin_again() { begins_ = true; }

 private:
  void compare_registers() const;
  [[noreturn]] void differs(const std::string& what, uint64_t wide, uint64_t verilated) const;

  size_t lane_;
  const StateMap* map_;
  const StateLayout* layout_;
  std::string name_;
  std::unique_ptr<OneTile> tile_;
  bool begins_ = false;
  TileState state_;
  std::vector<uint64_t> words_;
};

}  // namespace ow::wide

#endif  // OW_SIM_WIDE_LOCKSTEP_H_
