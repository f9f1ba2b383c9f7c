// SPDX-License-Identifier: Apache-2.0
// Activations as the blocks of tiles (placement.h).
#ifndef OW_EXECUTE_TILE_BLOCKS_H_
#define OW_EXECUTE_TILE_BLOCKS_H_

#include <cstdint>
#include <vector>

#include "ow/tensor/network.h"

namespace ow::jobs {

uint32_t float_bits(float x);

// The block of a tile: features row, row + rows, ..., each with the `samples` values of its column,
// two per word. Zeros where x has no more samples. Empty if the row keeps no feature.
std::vector<uint32_t> pack_block(const Activations& x, int rows, int samples, int row, int col);
// The inverse. Samples that y does not have are ignored.
void unpack_block(const std::vector<uint32_t>& words, int rows, int samples, int row, int col,
                  Activations* y);

}  // namespace ow::jobs

#endif  // OW_EXECUTE_TILE_BLOCKS_H_
