// SPDX-License-Identifier: Apache-2.0
// Shared by the repair of a rectangle and the search for the largest rectangle.
#ifndef OW_WAFER_REPAIR_PARTS_H_
#define OW_WAFER_REPAIR_PARTS_H_

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ow/wafer/repair.h"

namespace ow::wafer {

// Link slots that a row or column of the window must not take. Index 0 is the window's first.
using BarredSlots = std::set<std::pair<int, int>>;

// Slots for logical rows (or columns) first to first + n - 1, or nothing. Each gets the first slot
// that it can have.
std::optional<EdgeMap> place_links(const std::vector<int>& down, int first, int n, int spares,
                                   const BarredSlots& barred);

// The part of a window of the wafer that lies in reticle (y, x), in the reticle's numbers.
Window part(const Shape& shape, const Window& w, int y, int x);

}  // namespace ow::wafer

#endif  // OW_WAFER_REPAIR_PARTS_H_
