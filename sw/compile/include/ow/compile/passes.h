// SPDX-License-Identifier: Apache-2.0
// The parameters of a streamed pass.
#ifndef OW_COMPILE_PASSES_H_
#define OW_COMPILE_PASSES_H_

#include <cstdint>

#include "ow/firmware/job.h"

namespace ow::jobs {

struct Pass {
  uint32_t x = 0;  // byte addresses, as in struct ow_pass
  uint32_t indices = 0;
  uint32_t y = 0;
  uint32_t bias = 0;
  uint32_t outputs = 0;  // of the grid; with `whole` a tile gets the stream of its own
  uint32_t flags = 0;    // OW_PASS_BIAS, OW_PASS_RELU, OW_PASS_GATHERED
  bool whole = false;    // sums are whole in the owner's tile
};

// What the tiles of a grid row get. The reducer's period is the stream's outputs, sorted by owner
// and turned so that it begins with those of the row above (sw/layers/linear/tile.c).
ow_pass pass_of_row(const Pass& pass, int rows, int row);

}  // namespace ow::jobs

#endif  // OW_COMPILE_PASSES_H_
