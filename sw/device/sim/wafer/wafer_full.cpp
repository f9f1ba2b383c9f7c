// SPDX-License-Identifier: Apache-2.0
#include "Vow_tile_internals.h"
#include "block_tiles.h"
#include "tile_groups.h"
#include "wafer_device.h"

namespace ow::wafer {

std::unique_ptr<WaferDevice> make_wafer_device(const Shape& shape, const Faults& faults,
                                               const SimOptions& options) {
  const bool wide = options.engine != Engine::Replicated;
  check_room(shape, wide ? bytes_in_blocks(options) : sizeof(Vow_tile___024root));
  using Made = std::unique_ptr<WaferTiles>;
  return std::make_unique<SimulatedWafer>(
      shape, faults,
      [&options, wide](const WireLayout& layout, sim::Context* context, Noise* noise) -> Made {
        if (wide) return std::make_unique<BlockTiles<Vow_tile>>(layout, options, context, noise);
        return std::make_unique<TileGroups<Vow_tile>>(layout, context, noise);
      });
}

}  // namespace ow::wafer
