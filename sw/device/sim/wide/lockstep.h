// SPDX-License-Identifier: Apache-2.0
// A Verilated tile that does the same as a tile of a block and is compared with it in each cycle.
// Its assertions are evaluated.
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
  // `name`: of the tile, in errors.
  Lockstep(size_t lane, const StateMap& map, TileMaker* maker, std::string name);

  // Before and after the block is clocked. DeviceFault if a register or a word that is sent
  // differs, or an assertion fails.
  void before(Block* block, uint64_t cycle);
  void after(const Block& block, uint64_t cycle) const;
  // The tile has got another state.
  void begin_again() { begins_ = true; }

 private:
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
