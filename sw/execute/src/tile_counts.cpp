// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/tile_counts.h"

#include "ow/execute/causes.h"

namespace ow::jobs {

void TileCounts::add(GridShape grid, const GridCounters& before, const GridCounters& after,
                     uint64_t cycles) {
  const std::lock_guard<std::mutex> lock(adding_);
  grid_ = grid;
  tiles_.resize(after.size());
  for (size_t t = 0; t < after.size(); ++t) add_counters(before[t], after[t], &tiles_[t]);
  cycles_ += cycles;
}

}  // namespace ow::jobs
