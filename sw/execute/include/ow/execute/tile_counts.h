// SPDX-License-Identifier: Apache-2.0
// What each tile of a grid has counted while it worked, for pictures of the grid.
#ifndef OW_EXECUTE_TILE_COUNTS_H_
#define OW_EXECUTE_TILE_COUNTS_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "ow/runtime/counters.h"

namespace ow::jobs {

// Counters of all tiles, row by row.
using GridCounters = std::vector<Counters>;

class TileCounts {
 public:
  // Adds what was counted between two readings, in so many cycles of work. All grids have the same
  // shape; each has its wafer's tiles, and those of several wafers are added up. Any thread may
  // call it.
  void add(GridShape grid, const GridCounters& before, const GridCounters& after, uint64_t cycles);

  GridShape grid() const { return grid_; }
  uint64_t cycles() const { return cycles_; }  // 0: nothing was added
  const GridCounters& tiles() const { return tiles_; }

 private:
  std::mutex adding_;
  GridShape grid_;
  uint64_t cycles_ = 0;
  GridCounters tiles_;
};

}  // namespace ow::jobs

#endif  // OW_EXECUTE_TILE_COUNTS_H_
