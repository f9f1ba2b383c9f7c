// SPDX-License-Identifier: Apache-2.0
#include "ow/plot/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "ow/plot/axis.h"
#include "svg_text.h"

namespace ow::plot {
namespace {

constexpr int kMargin = 20, kTop = 44, kAbove = 34;
constexpr int kSide = 384, kMostPixels = 24;        // of a map; of a tile
constexpr int kScaleAbove = 16, kScaleHeight = 10;  // the bar of colours below a map
constexpr int kScaleBelow = 24;                     // and its numbers
constexpr int kColourSteps = 64;

// From light to dark, so that it also tells values apart in grey.
constexpr std::array<std::array<int, 3>, 5> kScale = {
    {{255, 255, 229}, {254, 217, 118}, {253, 141, 60}, {189, 0, 38}, {60, 0, 30}}};

std::string colour(int step) {
  const double at = static_cast<double>(step) / (kColourSteps - 1) * (kScale.size() - 1);
  const auto below = std::min(static_cast<size_t>(at), kScale.size() - 2);
  const double part = at - static_cast<double>(below);
  std::array<int, 3> mixed{};
  for (size_t k = 0; k < mixed.size(); ++k) {
    mixed[k] =
        static_cast<int>(std::lround(kScale[below][k] * (1 - part) + kScale[below + 1][k] * part));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

class Picture {
 public:
  Picture(int rows, int columns)
      : rows_(rows),
        columns_(columns),
        pixels_(std::clamp(kSide / std::max(rows, columns), 1, kMostPixels)),
        wide_(std::max(columns * pixels_, kSide / 2)) {}

  void draw(const HeatMap& map, size_t place) {
    const int left = kMargin + static_cast<int>(place) * (wide_ + 2 * kMargin);
    const int top = kTop + kAbove;
    const double most = *std::max_element(map.values.begin(), map.values.end());
    const Axis scale = make_axis(AxisKind::Zero, 0, most);
    out_ += "<g>\n";
    text(left, top - 12, "font-size=\"13\" font-weight=\"bold\"", escaped(map.title));
    for (int row = 0; row < rows_; ++row) {
      const auto step = [&](int column) {
        const double value = map.values[static_cast<size_t>(row * columns_ + column)];
        return static_cast<int>(std::lround(scale.share(value) * (kColourSteps - 1)));
      };
      for (int column = 0, end = 0; column < columns_; column = end) {
        while (end < columns_ && step(end) == step(column)) ++end;
        rect(left + column * pixels_, top + row * pixels_, (end - column) * pixels_, pixels_,
             colour(step(column)));
      }
    }
    const int bar = top + rows_ * pixels_ + kScaleAbove;
    for (int k = 0; k < kColourSteps; ++k) {
      const int from = k * wide_ / kColourSteps, to = (k + 1) * wide_ / kColourSteps;
      rect(left + from, bar, to - from, kScaleHeight, colour(k));
    }
    for (const Tick& tick : scale.ticks) {
      text(left + static_cast<int>(scale.share(tick.at) * wide_), bar + kScaleHeight + 14,
           "class=\"scale\" font-size=\"11\" text-anchor=\"middle\"", tick.text);
    }
    out_ += "</g>\n";
  }

  std::string finish(const std::string& title, size_t maps) const {
    const int width = static_cast<int>(maps) * (wide_ + 2 * kMargin);
    const int height = kTop + kAbove + rows_ * pixels_ + kScaleAbove + kScaleHeight + kScaleBelow;
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"sans-serif\" shape-rendering=\"crispEdges\">\n<title>{2}</title>\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n"
        "<text x=\"{3}\" y=\"24\" font-size=\"14\">{2}</text>\n{4}</svg>\n",
        width, height, escaped(title), kMargin, out_);
  }

 private:
  void rect(int x, int y, int width, int height, const std::string& fill) {
    out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x, y,
                        width, height, fill);
  }
  void text(int x, int y, const std::string& style, const std::string& words) {
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", x, y, style, words);
  }

  int rows_, columns_;
  int pixels_;  // of a tile
  int wide_;    // pixels of a map, and of its scale
  std::string out_;
};

}  // namespace

std::string draw_heat_maps(const std::string& title, int rows, int columns,
                           const std::vector<HeatMap>& maps) {
  Picture picture(rows, columns);
  for (size_t k = 0; k < maps.size(); ++k) picture.draw(maps[k], k);
  return picture.finish(title, maps.size());
}

}  // namespace ow::plot
