// SPDX-License-Identifier: Apache-2.0
// The fault injector: forces a bit of a Verilated model's register or memory to the value that a
// fault gives it.
#ifndef OW_SIM_WAFER_CELL_FORCE_H_
#define OW_SIM_WAFER_CELL_FORCE_H_

#include <cstdint>
#include <vector>

#include "model.h"
#include "ow/device/wafer_faults.h"

namespace ow::wafer {

class CellForce {
 public:
  // For a fault of the memory, or a stuck flip-flop, in a tile with these registers and memories.
  // BadInput if the tile has no such cell.
  static CellForce memory(const std::vector<sim::Cell>& cells, const TileFault& f);
  static CellForce flip_flop(const std::vector<sim::Cell>& cells, const TileFault& f);

  // At the end of each cycle; true if the cell held something else.
  bool apply();

 private:
  bool forced(bool is);

  uint8_t* byte_ = nullptr;
  uint8_t mask_ = 0;
  bool value_ = false;
  // Coupled memory cells: the aggressor, its effect, and what both cells held a cycle ago.
  TileFault::Coupling coupling_ = TileFault::Coupling::None;
  uint8_t* other_ = nullptr;
  uint8_t other_mask_ = 0;
  bool when_ = false;
  bool was_ = false, other_was_ = false;
};

}  // namespace ow::wafer

#endif  // OW_SIM_WAFER_CELL_FORCE_H_
