// SPDX-License-Identifier: Apache-2.0
// Colours for the nets of a layout: two nets that meet in a tile get different ones.
#ifndef OW_RUNTIME_COLOURS_H_
#define OW_RUNTIME_COLOURS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ow {

struct ColourProblem {
  int colours = 0;                                     // 1 to 32
  std::vector<std::vector<std::pair<int, int>>> nets;  // the tiles (row, col) of each, once each
  std::map<std::pair<int, int>, uint32_t> taken;  // colours that others have in a tile, as bits
};

// A colour for each net, or nothing if none were found. Each net first gets the lowest colour that
// is free in all its tiles, in the order given, so that equal patterns in different places get
// equal numbers. If that fails, the nets with the fewest colours left go first (Brelaz, New methods
// to color the vertices of a graph, 1979). That may fail although an assignment exists.
std::optional<std::vector<int>> assign_colours(const ColourProblem& problem);

}  // namespace ow

#endif  // OW_RUNTIME_COLOURS_H_
