// SPDX-License-Identifier: Apache-2.0
// Grids of the tiles of `mini`, for jobs that are to run on the small build, too.
#ifndef OW_BENCH_MINI_GRID_H_
#define OW_BENCH_MINI_GRID_H_

#include <memory>

#include "ow/device/device.h"

namespace ow::bench {

// One reticle of so many tiles of `mini`, without spares and defects, its fuses set.
std::unique_ptr<Device> make_mini_grid(GridShape shape);

}  // namespace ow::bench

#endif  // OW_BENCH_MINI_GRID_H_
