// SPDX-License-Identifier: Apache-2.0
// The cores of tiles: coordinates, start and stop, and what a core does.
#ifndef OW_RUNTIME_CORES_H_
#define OW_RUNTIME_CORES_H_

#include <cstdint>

#include "openwafer/grid.h"
#include "ow/device/control_plane.h"

namespace ow {

// Writes the logical coordinates into the tiles' ROW and COL registers.
void set_identity(ControlPlane& control, const Rect& rect);

// Resets the cores to `pc` and starts them; stops them after the current instruction.
void start_cores(ControlPlane& control, const Rect& rect, uint32_t pc);
void halt_cores(ControlPlane& control, const Rect& rect);

struct CoreState {
  uint32_t pc = 0;
  bool running = false;
  bool trapped = false;
  bool asleep = false;
  bool waits_tensor = false;
  bool stopped_ebreak = false;
  int cause = 0;
  uint32_t tval = 0;
  uint32_t engine_fault = 0;
};
CoreState read_core_state(ControlPlane& control, int row, int col);
// Decodes the words of CORE_PC, CORE_STATUS, CORE_TVAL and ENGINE_FAULT.
CoreState parse_core_state(uint32_t pc, uint32_t status, uint32_t tval);

}  // namespace ow

#endif  // OW_RUNTIME_CORES_H_
