// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/placement.h"

#include <algorithm>

namespace ow::jobs {

constexpr int kAccWordsPerLane = 16;

int share_of(size_t count, GridShape grid, int lanes) {
  const auto all = static_cast<int>(std::clamp<size_t>(count, 1, 1u << 30));
  const int each = (all + grid.cols - 1) / grid.cols;
  return (each + lanes - 1) / lanes * lanes;
}

int most_samples(size_t count, GridShape grid, const TileConfig& tile) {
  return std::min(kAccWordsPerLane * tile.lanes, share_of(count, grid, tile.lanes));
}

int colours_of(GridShape grid, Exit exit) {
  const int column = grid.rows > 2 ? 3 : grid.rows > 1 ? 2 : 0;
  const int results = grid.cols > (exit == Exit::West ? 1 : 2) ? 2 : 1;
  return 1 + column + results;
}

int ring_of(int samples, int lanes) { return kAccWordsPerLane * lanes / samples; }

}  // namespace ow::jobs
