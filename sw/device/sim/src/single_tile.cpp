// SPDX-License-Identifier: Apache-2.0
#include "ow/sim/single_tile.h"

#include "Vow_tile.h"
#include "big_tile.h"
#include "ow/base/error.h"
#include "tile_device.h"

namespace ow {

bool has_big_tile() { return make_big_tile != nullptr; }

std::unique_ptr<ObservedTile> make_observed_tile(bool big) {
  if (!big) return std::make_unique<TileDevice<Vow_tile>>(kTileSramBytes, "one tile, 48 kB");
  if (has_big_tile()) return make_big_tile();
  throw BadInput(
      "--sram-kb: this program has no tile with more than 48 kB; the target ow-large builds an "
      "`ow` "
      "that has");
}

}  // namespace ow
