// SPDX-License-Identifier: Apache-2.0
#include "ow/plot/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ow::plot {
namespace {

constexpr double kTicks = 6;

// The smallest of 1, 2 and 5 times a power of ten that is not below `step`.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= step * (1 - 1e-9)) return times * power;
  }
  return 10 * power;
}

struct Prefix {
  double unit;
  const char* text;
};

// The unit prefix of an axis: its largest number has at most four digits.
Prefix prefix_of(double most) {
  for (const Prefix p : {Prefix{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    if (most >= 10 * p.unit) return p;
  }
  return {1, ""};
}

std::string text_of(double value, double step, double most) {
  if (value == 0) return "0";
  if (most >= 1e16 || most < 1e-4) return fmt::format("{:.3g}", value);
  const Prefix prefix = prefix_of(most);
  const double digits = std::ceil(-std::log10(step / prefix.unit) - 1e-9);
  return fmt::format("{:.{}f}{}", value / prefix.unit, static_cast<int>(std::max(0.0, digits)),
                     prefix.text);
}

void add_ticks(double step, Axis* axis) {
  const double most = std::max(std::abs(axis->low), std::abs(axis->high));
  const double first = std::ceil(axis->low / step - 1e-9);
  const double last = std::floor(axis->high / step + 1e-9);
  for (double k = first; k <= last; ++k) {
    axis->ticks.push_back({k * step, text_of(k * step, step, most)});
  }
}

Axis powers_of_two(double low, double high) {
  Axis axis;
  axis.logarithmic = true;
  double first = std::floor(std::log2(low));
  const double span = std::ceil(std::log2(high)) - first;
  const double step = std::max(1.0, std::ceil(span / kTicks));
  double steps = std::ceil(span / step);
  if (steps == 0) {  // a flat curve is in the middle
    first -= step;
    steps = 2;
  }
  for (double k = 0; k <= steps; ++k) {
    const double value = std::exp2(first + k * step);
    axis.ticks.push_back({value, fmt::format("{:.{}g}", value, value < 1e6 ? 6 : 3)});
  }
  axis.low = axis.ticks.front().at;
  axis.high = axis.ticks.back().at;
  return axis;
}

}  // namespace

double Axis::share(double value) const {
  if (logarithmic) return std::log2(value / low) / std::log2(high / low);
  return (value - low) / (high - low);
}

Axis make_axis(AxisKind kind, double low, double high) {
  if (kind == AxisKind::Powers && low > 0) return powers_of_two(low, high);
  Axis axis;
  axis.low = low;
  axis.high = high;
  if (kind != AxisKind::Whole) {
    axis.low = std::min(low, 0.0);
    axis.high = std::max(high, 0.0);
  }
  // A range this narrow has no digits to tell its ticks apart.
  const double least = std::max(std::abs(axis.low), std::abs(axis.high)) * 1e-9;
  if (axis.high - axis.low <= least) axis.high = axis.low + std::max(1.0, least * 1e3);
  double step = round_step((axis.high - axis.low) / kTicks);
  if (kind == AxisKind::Whole) {
    step = std::max(step, 1.0);
  } else {
    axis.low = std::floor(axis.low / step + 1e-9) * step;
    axis.high = std::ceil(axis.high / step - 1e-9) * step;
  }
  if (kind == AxisKind::Percent && high <= 100) axis.high = std::min(axis.high, 100.0);
  add_ticks(step, &axis);
  return axis;
}

}  // namespace ow::plot
