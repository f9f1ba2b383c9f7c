// SPDX-License-Identifier: Apache-2.0
#include "ow/sim/single_tile.h"

#include "Vow_tile.h"
#include "Vow_tile_big.h"
#include "tile_device.h"

namespace ow {

std::unique_ptr<ObservedTile> make_observed_tile(bool big) {
  if (big) {
    return std::make_unique<TileDevice<Vow_tile_big>>(kBigTileSramBytes, "one tile, 2048 kB");
  }
  return std::make_unique<TileDevice<Vow_tile>>(kTileSramBytes, "one tile, 48 kB");
}

}  // namespace ow
