// SPDX-License-Identifier: Apache-2.0
// The tile with 2,048 kB of SRAM.
#ifndef OW_SRC_BIG_TILE_H_
#define OW_SRC_BIG_TILE_H_

#include <memory>

#include "ow/sim/single_tile.h"

namespace ow {

// Null in a program without ow_big_tile, for which the model is not built.
[[gnu::weak]] std::unique_ptr<ObservedTile> make_big_tile();

}  // namespace ow

#endif  // OW_SRC_BIG_TILE_H_
