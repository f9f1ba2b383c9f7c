// SPDX-License-Identifier: Apache-2.0
// Simulated grids of the tiles of `mini`.
#ifndef OW_OPEN_MINI_H_
#define OW_OPEN_MINI_H_

#include <memory>

#include "ow/device/device.h"

namespace ow {

// A wafer of one reticle of such tiles without spares, whose fuses are set; `check_idle` as of
// WaferDevice. BadInput for a grid that no wafer can be.
std::unique_ptr<Device> make_mini_grid(GridShape grid, bool check_idle = false);

}  // namespace ow

#endif  // OW_OPEN_MINI_H_
