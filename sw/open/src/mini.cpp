// SPDX-License-Identifier: Apache-2.0
#include "ow/open/mini.h"

#include "ow/base/error.h"
#include "ow/sim/wafer.h"
#include "ow/wafer/bringup.h"
#include "ow/wafer/repair.h"

namespace ow {

std::unique_ptr<Device> make_mini_grid(GridShape grid, bool check_idle) {
  const wafer::Shape shape{1, 1, grid.rows, grid.cols, 0, 0};
  auto wafer = wafer::make_mini_wafer_device(shape);
  if (check_idle) wafer->check_idle();
  const wafer::Repair repair = wafer::repair_wafer(shape, wafer::Defects(shape));
  if (!repair.map) throw InternalError("a wafer without defects has no map: " + repair.reason);
  wafer::apply_map(*wafer, *repair.map);
  return wafer;
}

}  // namespace ow
