// SPDX-License-Identifier: Apache-2.0
#include "Vow_tile_internals.h"
#include "wafer_device.h"

namespace ow::wafer {

std::unique_ptr<WaferDevice> make_wafer_device(const Shape& shape, const Faults& faults) {
  check_room(shape, sizeof(Vow_tile___024root));
  return std::make_unique<SimulatedWafer<Vow_tile>>(shape, faults);
}

}  // namespace ow::wafer
