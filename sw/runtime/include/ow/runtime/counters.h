// SPDX-License-Identifier: Apache-2.0
// The tiles' counters (docs/memory-map.md).
#ifndef OW_RUNTIME_COUNTERS_H_
#define OW_RUNTIME_COUNTERS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "openwafer/grid.h"
#include "ow/device/control_plane.h"
#include "ow/device/tile_map.h"

namespace ow {

using Counters = std::array<uint64_t, kNumCounters>;  // index: enum Counter
Counters read_counters(ControlPlane& control, int row, int col);
std::vector<Counters> read_counters(ControlPlane& control, const Rect& rect);  // row by row
// Decodes the words of all counters, low and high in turn.
Counters parse_counters(const std::vector<uint32_t>& words);

}  // namespace ow

#endif  // OW_RUNTIME_COUNTERS_H_
