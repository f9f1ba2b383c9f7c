// SPDX-License-Identifier: Apache-2.0
// Axes: a range and ticks at round numbers.
#ifndef OW_PLOT_AXIS_H_
#define OW_PLOT_AXIS_H_

#include <string>
#include <vector>

namespace ow::plot {

struct Tick {
  double at;
  std::string text;
};

struct Axis {
  double low = 0, high = 1;  // high > low
  bool logarithmic = false;
  std::vector<Tick> ticks;  // rising, from low to high

  // 0 at the low end, 1 at the high end.
  double share(double value) const;
};

enum class AxisKind {
  Whole,    // whole numbers, from the first to the last, with ticks at whole numbers
  Zero,     // includes zero; both ends are ticks
  Percent,  // as Zero, at most 100
  Powers,   // logarithmic, ticks at powers of two; values must be above zero, others are not drawn
};

// An axis for values from `low` to `high` (finite, low <= high) with about six ticks. Ticks are 1,
// 2 or 5 times a power of ten apart, all with the same digits and prefix (k, M, G, T), or are
// written as powers of ten.
Axis make_axis(AxisKind kind, double low, double high);

}  // namespace ow::plot

#endif  // OW_PLOT_AXIS_H_
