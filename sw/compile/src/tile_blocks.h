// SPDX-License-Identifier: Apache-2.0
// Shared by jobs that stream layers through a grid: activations as the blocks of tiles (plan.h),
// and feeding a stream until the grid has answered.
#ifndef OW_COMPILE_TILE_BLOCKS_H_
#define OW_COMPILE_TILE_BLOCKS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ow/compile/edge_time.h"
#include "ow/device/control_plane.h"
#include "ow/memoryx/weight_stream.h"
#include "ow/runtime/elf.h"
#include "ow/tensor/network.h"

namespace ow::jobs {

uint32_t float_bits(float x);

// The block of a tile: features row, row + rows, ..., each with the `samples` values of its column,
// two per word. Zeros where x has no more samples. Empty if the row keeps no feature.
std::vector<uint32_t> pack_block(const Activations& x, int rows, int samples, int row, int col);
// The inverse. Samples that y does not have are ignored.
void unpack_block(const std::vector<uint32_t>& words, int rows, int samples, int row, int col,
                  Activations* y);

// Writes each tile's block of x, `samples` of them a column, to `addr`, through all edges at once.
// No requests may be outstanding. On return all tiles have their blocks. DeviceFault if a tile
// stopped or the words take too long.
void load_blocks(ControlPlane& control, const ElfImage& firmware, const Activations& x, int samples,
                 uint32_t addr);

// Runs until nothing moves, then checks all tiles. Returns the cycle in which the grid came to
// rest. DeviceFault if that takes more than 100,000 + `more` cycles or a tile stopped.
uint64_t run_until_quiet(ControlPlane& control, const ElfImage& firmware, const std::string& what,
                         uint64_t more = 0);

// Feeds the stream to the west edge of all grid rows until `complete` returns true. DeviceFault
// with the hang report if the grid stops before, or works for more than `limit` cycles. `progress`,
// if given, is called now and then. `edge`, if given, must be open with this stream's steps.
void feed(ControlPlane& control, const ElfImage& firmware, memoryx::WeightStream* stream,
          int colour, const std::function<bool()>& complete, uint64_t limit,
          const std::function<void()>& progress, EdgeTime* edge = nullptr);

}  // namespace ow::jobs

#endif  // OW_COMPILE_TILE_BLOCKS_H_
