// SPDX-License-Identifier: Apache-2.0
// What a tile says about itself.
#ifndef OW_RUNTIME_TILE_CONFIG_H_
#define OW_RUNTIME_TILE_CONFIG_H_

#include <cstdint>

#include "ow/device/control_plane.h"

namespace ow {

// Register CONFIG.
struct TileSize {
  int lanes = 0;
  int threads = 0;
  int colours = 0;
  uint32_t sram_bytes = 0;
};

// All of it: also registers FEATURES and OPERATIONS.
struct TileConfig : TileSize {
  uint32_t features = 0;
  uint32_t operations = 0;
};

TileSize read_tile_size(ControlPlane& control, int row, int col);
TileConfig read_tile_config(ControlPlane& control, int row, int col);

}  // namespace ow

#endif  // OW_RUNTIME_TILE_CONFIG_H_
