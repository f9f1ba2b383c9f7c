// SPDX-License-Identifier: Apache-2.0
#include "big_tile.h"

#include "Vow_tile_big.h"
#include "tile_device.h"

namespace ow {

std::unique_ptr<ObservedTile> make_big_tile() {
  return std::make_unique<TileDevice<Vow_tile_big>>(kBigTileSramBytes, "one tile, 2048 kB");
}

}  // namespace ow
