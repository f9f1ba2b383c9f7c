// SPDX-License-Identifier: Apache-2.0
#define OW_WAFER_TILE Vow_tile
#define OW_MODEL_STATE "wafer_full/tile_state.inc"
#include "Vow_tile.h"
#include "Vow_tile___024root.h"
#include "wafer_full/tile_clock.h"

// The lists come first: the traits use what they define.
#include "traits.h"

namespace ow::wafer {

std::unique_ptr<WaferDevice> make_wafer_device(const Shape& shape, const Faults& faults) {
  return std::make_unique<SimulatedWafer<TileTraits>>(shape, faults);
}

}  // namespace ow::wafer
