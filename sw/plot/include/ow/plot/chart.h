// SPDX-License-Identifier: Apache-2.0
// Charts as SVG: panels of curves over a common kind of abscissa, each with axes and a legend.
#ifndef OW_PLOT_CHART_H_
#define OW_PLOT_CHART_H_

#include <string>
#include <vector>

#include "ow/plot/axis.h"

namespace ow::plot {

// Colours of curves that can be told apart.
constexpr int kColours = 9;

struct Point {
  double x;  // finite; rising along a curve
  double y;  // NaN: no value here, and the curve has a gap
};

struct Curve {
  std::string name;  // for the legend; any bytes
  std::vector<Point> points;
  int colour = 0;       // from 0 to kColours - 1
  bool marked = false;  // dashed, with a circle at each point: values that are few
};

struct Panel {
  std::string title;  // with the unit of what is drawn
  AxisKind axis = AxisKind::Zero;
  std::vector<Curve> curves;
};

// The whole file. `abscissa` names the x axes. Of a curve with more points than the panel has
// pixels, those of the same pixel become a stroke from their least to their largest value. A panel
// in which no point has a value is left out.
std::string draw_chart(const std::string& title, const std::string& abscissa,
                       const std::vector<Panel>& panels);

}  // namespace ow::plot

#endif  // OW_PLOT_CHART_H_
