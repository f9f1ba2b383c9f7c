// SPDX-License-Identifier: Apache-2.0
// Tiles that get the same words, as rectangles: a multicast takes as long for one tile as for many.
#ifndef OW_RUNTIME_SRC_RECTANGLES_H_
#define OW_RUNTIME_SRC_RECTANGLES_H_

#include <map>
#include <set>
#include <utility>

#include "openwafer/grid.h"

namespace ow {

// Calls use(rectangle, value) for rectangles that together hold each tile of `values`, by row and
// column, once. A rectangle begins at the first tile that is left, row by row, is as wide as it can
// be, and then as high.
template <typename Value, typename Use>
void in_rectangles(const std::map<std::pair<int, int>, Value>& values, const Use& use) {
  std::set<std::pair<int, int>> done;
  for (const auto& [place, value] : values) {
    if (done.count(place) != 0) continue;
    const auto same = [&, &value = value](int row, int col) {
      const auto it = values.find({row, col});
      return it != values.end() && it->second == value && done.count(it->first) == 0;
    };
    Rect rect{place.first, place.second, 1, 1};
    while (same(rect.row, rect.col + rect.cols)) ++rect.cols;
    const auto next_row = [&] {
      for (int c = 0; c < rect.cols; ++c) {
        if (!same(rect.row + rect.rows, rect.col + c)) return false;
      }
      return true;
    };
    while (next_row()) ++rect.rows;
    for (int r = 0; r < rect.rows; ++r) {
      for (int c = 0; c < rect.cols; ++c) done.insert({rect.row + r, rect.col + c});
    }
    use(rect, value);
  }
}

}  // namespace ow

#endif  // OW_RUNTIME_SRC_RECTANGLES_H_
