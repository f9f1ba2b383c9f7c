// SPDX-License-Identifier: Apache-2.0
// Maps of a grid of tiles as SVG: a square for each tile, coloured by a value.
#ifndef OW_PLOT_HEAT_MAP_H_
#define OW_PLOT_HEAT_MAP_H_

#include <string>
#include <vector>

namespace ow::plot {

struct HeatMap {
  std::string title;           // includes the unit
  std::vector<double> values;  // of tiles, row by row; finite, 0 or more
};

// Returns the whole file: the maps side by side, each with a scale from 0 to its largest value.
// Neighbours in a row whose colours are the same become one rectangle.
std::string draw_heat_maps(const std::string& title, int rows, int columns,
                           const std::vector<HeatMap>& maps);

}  // namespace ow::plot

#endif  // OW_PLOT_HEAT_MAP_H_
