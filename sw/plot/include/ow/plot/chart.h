// SPDX-License-Identifier: Apache-2.0
// Charts as SVG: panels of curves over the same kind of x axis, each with axes and a legend.
#ifndef OW_PLOT_CHART_H_
#define OW_PLOT_CHART_H_

#include <string>
#include <vector>

#include "ow/plot/axis.h"

namespace ow::plot {

// The number of colours that a reader can tell apart.
constexpr int kColours = 9;

struct Point {
  double x;  // finite; rising along a curve
  double y;  // NaN: no value here, and the curve has a gap
};

struct Curve {
  std::string name;  // for the legend; any bytes
  std::vector<Point> points;
  int colour = 0;       // from 0 to kColours - 1
  bool marked = false;  // dashed, with a circle at each point: for sparse values
};

struct Panel {
  std::string title;  // includes the unit
  AxisKind axis = AxisKind::Zero;
  std::vector<Curve> curves;
};

// Returns the whole file. `abscissa` labels the x axes. If a curve has more points than the panel
// has pixels, all points of one pixel become a stroke from their smallest to their largest value. A
// panel without any value is left out.
std::string draw_chart(const std::string& title, const std::string& abscissa,
                       const std::vector<Panel>& panels);

}  // namespace ow::plot

#endif  // OW_PLOT_CHART_H_
