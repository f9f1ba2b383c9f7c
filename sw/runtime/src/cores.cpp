// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/cores.h"

#include "ow/device/tile_map.h"
#include "ow/isa/isa.h"

namespace ow {
namespace {

namespace reg = isa::reg;

}  // namespace

void set_identity(ControlPlane& control, const Rect& rect) {
  for (int r = rect.row; r < rect.row + rect.rows; ++r) {
    control.write(Rect{r, rect.col, 1, rect.cols}, kRegRow, static_cast<uint32_t>(r));
  }
  for (int c = rect.col; c < rect.col + rect.cols; ++c) {
    control.write(Rect{rect.row, c, rect.rows, 1}, kRegCol, static_cast<uint32_t>(c));
  }
}

void start_cores(ControlPlane& control, const Rect& rect, uint32_t pc) {
  control.write(rect, kRegCorePc, pc);
  control.write(rect, kRegCoreCtrl, kCoreReset);
  control.write(rect, kRegCoreCtrl, kCoreRun);
}

void halt_cores(ControlPlane& control, const Rect& rect) { control.write(rect, kRegCoreCtrl, 0u); }

CoreState parse_core_state(uint32_t pc, uint32_t status, uint32_t tval) {
  CoreState s;
  s.pc = pc;
  s.running = reg::CoreStatus::Running::get(status);
  s.trapped = reg::CoreStatus::Stopped::get(status);
  s.asleep = reg::CoreStatus::Asleep::get(status);
  s.waits_tensor = reg::CoreStatus::WaitsTensor::get(status);
  s.stopped_ebreak = reg::CoreStatus::Ebreak::get(status);
  s.cause = static_cast<int>(reg::CoreStatus::Cause::get(status));
  s.tval = tval;
  return s;
}

CoreState read_core_state(ControlPlane& control, int row, int col) {
  const auto words = control.read_many({{row, col, reg::CorePc::kAddress, 1},
                                        {row, col, reg::CoreStatus::kAddress, 1},
                                        {row, col, reg::CoreTval::kAddress, 1},
                                        {row, col, reg::EngineFault::kAddress, 1}});
  CoreState s = parse_core_state(words[0][0], words[1][0], words[2][0]);
  s.engine_fault = words[3][0];
  return s;
}

}  // namespace ow
