// SPDX-License-Identifier: Apache-2.0
// Ranges of axes with ticks at round numbers.
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

  // 0 at the low end, 1 at the high one.
  double share(double value) const;
};

enum class AxisKind {
  Whole,    // of whole numbers: from the first to the last, ticks at whole numbers
  Zero,     // zero is on it, and its ends are ticks
  Percent,  // as Zero, and not beyond 100
  Powers,   // logarithmic, ticks at powers of two; values that are not above zero are not on it
};

// An axis for values from `low` to `high` (finite, low <= high) with about six ticks: 1, 2 or 5
// times a power of ten apart, all written with the same digits and the same prefix
// (k, M, G, T), or as powers of ten.
Axis make_axis(AxisKind kind, double low, double high);

}  // namespace ow::plot

#endif  // OW_PLOT_AXIS_H_
