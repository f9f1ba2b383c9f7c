// SPDX-License-Identifier: Apache-2.0
// Whether layout, firmware and tiles of a program fit together.
#ifndef OW_RUNTIME_LOAD_CHECKS_H_
#define OW_RUNTIME_LOAD_CHECKS_H_

#include "ow/runtime/elf.h"
#include "ow/runtime/layout_state.h"
#include "ow/runtime/tile_config.h"

namespace ow {

// BadInput if a switch has more positions, or a tile more flows or filters than FEATURES allows.
void check_features(const LayoutState& layout, const TileConfig& tile);
// BadInput if the firmware uses descriptors, threads or FIFOs that the tile does not have, or if a
// named descriptor has a number that is claimed.
void check_claims(const ElfImage& image, const TileConfig& tile);

}  // namespace ow

#endif  // OW_RUNTIME_LOAD_CHECKS_H_
