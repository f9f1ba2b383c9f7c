// SPDX-License-Identifier: Apache-2.0
#include "ow/plot/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "svg_text.h"

namespace ow::plot {
namespace {

constexpr int kColumns = 2, kMargin = 20, kTop = 44;
constexpr int kLeft = 56, kWidth = 400, kHeight = 210;  // of a panel: left margin, size of the plot
constexpr int kAbove = 34, kBelow = 44;                 // title above the plot, numbers below
constexpr int kPanel = kLeft + kWidth + 24;
constexpr int kLegendRow = 20, kLetter = 7;  // its height; width of a letter, rounded up
constexpr size_t kMostLetters = 40;          // of a name

// The colours of the wafer's picture come first (blue, red, green, orange).
constexpr const char* kColour[kColours] = {"#1f6fb5", "#d9534f", "#4f9a4e", "#e08e0b", "#7d3c98",
                                           "#17889b", "#8c564b", "#555555", "#b5a000"};

// A name that is too long for the legend keeps its end, as that tells files apart.
std::string shortened(const std::string& name) {
  const auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  const auto letters = static_cast<size_t>(
      std::count_if(name.begin(), name.end(), [&](char c) { return !inside(c); }));
  if (letters <= kMostLetters) return name;
  size_t from = name.size();
  for (size_t taken = 0; from > 0 && taken + 1 < kMostLetters;)
    taken += inside(name[--from]) ? 0 : 1;
  return "\u2026" + name.substr(from);
}

int legend_width(const Curve& curve) {
  const auto letters = static_cast<int>(std::min(kMostLetters, curve.name.size()));
  return 30 + kLetter * letters + 14;
}

// Parts of a curve without gaps. A value that the axis does not show is a gap.
std::vector<std::vector<Point>> pieces_of(const Curve& curve, const Axis& y) {
  std::vector<std::vector<Point>> pieces(1);
  for (const Point& p : curve.points) {
    if (std::isnan(p.y) || (y.logarithmic && p.y <= 0)) {
      if (!pieces.back().empty()) pieces.emplace_back();
    } else {
      pieces.back().push_back(p);
    }
  }
  if (pieces.back().empty()) pieces.pop_back();
  return pieces;
}

class Plot {
 public:
  Plot(const Panel& panel, const std::string& abscissa, int left, int top)
      : panel_(panel), abscissa_(abscissa), left_(left + kLeft), top_(top + kAbove) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const auto widen = [&](int k, double value) {
      low[k] = std::min(low[k], value);
      high[k] = std::max(high[k], value);
    };
    for (const Curve& curve : panel.curves) {
      for (const Point& p : curve.points) {
        widen(0, p.x);
        if (!std::isnan(p.y) && (panel.axis != AxisKind::Powers || p.y > 0)) widen(1, p.y);
      }
    }
    empty_ = low[1] > high[1];
    if (empty_) return;
    x_ = make_axis(AxisKind::Whole, low[0], high[0]);
    y_ = make_axis(panel.axis, low[1], high[1]);
  }

  bool empty() const { return empty_; }

  std::string draw() {
    out_ = "<g>\n";
    text(left_, top_ - 12, "font-size=\"13\" font-weight=\"bold\"", escaped(panel_.title));
    grid();
    for (const Curve& curve : panel_.curves) draw_curve(curve);
    legend();
    return out_ + "</g>\n";
  }

  // Height of the panel, with its legend.
  int height() const {
    return kAbove + kHeight + kBelow + kLegendRow * (legend_rows([](int, int, const Curve&) {}));
  }

 private:
  double x_of(double value) const { return left_ + x_.share(value) * kWidth; }
  double y_of(double value) const { return top_ + (1 - y_.share(value)) * kHeight; }

  void text(double x, double y, const std::string& style, const std::string& words) {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, words);
  }

  void line(double x1, double y1, double x2, double y2, const char* style) {
    out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1,
                        y1, x2, y2, style);
  }

  void grid() {
    constexpr const char* kFaint = "stroke=\"#dddddd\"";
    constexpr const char* kFirm = "stroke=\"#666666\"";
    for (const Tick& tick : x_.ticks) {
      const double x = x_of(tick.at);
      line(x, top_, x, top_ + kHeight, kFaint);
      text(x, top_ + kHeight + 16, "class=\"x\" font-size=\"11\" text-anchor=\"middle\"",
           tick.text);
    }
    for (const Tick& tick : y_.ticks) {
      const double y = y_of(tick.at);
      line(left_, y, left_ + kWidth, y, kFaint);
      text(left_ - 6, y + 4, "class=\"y\" font-size=\"11\" text-anchor=\"end\"", tick.text);
    }
    line(left_, top_, left_, top_ + kHeight, kFirm);
    line(left_, top_ + kHeight, left_ + kWidth, top_ + kHeight, kFirm);
    text(left_ + kWidth / 2.0, top_ + kHeight + 32, "font-size=\"11\" text-anchor=\"middle\"",
         escaped(abscissa_));
  }

  void draw_curve(const Curve& curve) {
    const char* colour = kColour[curve.colour];
    for (const std::vector<Point>& piece : pieces_of(curve, y_)) {
      if (piece.size() > 1) {
        out_ += fmt::format(
            "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{} points=\"{}\"/>\n",
            colour, curve.marked ? " stroke-dasharray=\"5 3\"" : "", places(piece));
      }
      if (!curve.marked && piece.size() > 1) continue;
      for (const Point& p : piece) {
        out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n",
                            x_of(p.x), y_of(p.y), colour);
      }
    }
  }

  // In pixels: of the points in one pixel only the first, the least, the largest and the last, in
  // their order.
  std::string places(const std::vector<Point>& piece) const {
    std::string out;
    const auto add = [&](const Point& p) {
      out += fmt::format("{}{:.1f},{:.1f}", out.empty() ? "" : " ", x_of(p.x), y_of(p.y));
    };
    for (size_t first = 0, end = 0; first < piece.size(); first = end) {
      const double pixel = std::floor(x_of(piece[first].x));
      while (end < piece.size() && std::floor(x_of(piece[end].x)) == pixel) ++end;
      const auto [least, most] =
          std::minmax_element(piece.begin() + static_cast<std::ptrdiff_t>(first),
                              piece.begin() + static_cast<std::ptrdiff_t>(end),
                              [](const Point& a, const Point& b) { return a.y < b.y; });
      size_t kept[4] = {first, static_cast<size_t>(least - piece.begin()),
                        static_cast<size_t>(most - piece.begin()), end - 1};
      std::sort(kept, kept + 4);
      for (const size_t* k = kept; k != std::unique(kept, kept + 4); ++k) add(piece[*k]);
    }
    return out;
  }

  // Puts as many items in a row as fit; calls `each` with the place of every one. Returns the
  // number of rows.
  template <class Each>
  int legend_rows(Each each) const {
    const int end = left_ + kWidth;
    int x = left_, row = 0;
    for (const Curve& curve : panel_.curves) {
      if (x > left_ && x + legend_width(curve) > end) {
        x = left_;
        ++row;
      }
      each(x, row, curve);
      x += legend_width(curve);
    }
    return row + 1;
  }

  void legend() {
    const int top = top_ + kHeight + kBelow;
    legend_rows([&](int x, int row, const Curve& curve) {
      const double y = top + row * kLegendRow;
      out_ += fmt::format(
          "<line x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\" stroke=\"{3}\" "
          "stroke-width=\"2\"{4}/>\n",
          x, y, x + 22, kColour[curve.colour], curve.marked ? " stroke-dasharray=\"5 3\"" : "");
      text(x + 28, y + 4, "class=\"legend\" font-size=\"12\"", escaped(shortened(curve.name)));
    });
  }

  const Panel& panel_;
  const std::string& abscissa_;
  int left_, top_;  // of the plot
  bool empty_ = true;
  Axis x_, y_;
  std::string out_;
};

}  // namespace

std::string draw_chart(const std::string& title, const std::string& abscissa,
                       const std::vector<Panel>& panels) {
  std::string out;
  int column = 0, top = kTop, row_height = 0;
  for (const Panel& panel : panels) {
    Plot plot(panel, abscissa, kMargin + column * kPanel, top);
    if (plot.empty()) continue;
    out += plot.draw();
    row_height = std::max(row_height, plot.height());
    if (++column < kColumns) continue;
    top += row_height + kMargin;
    column = row_height = 0;
  }
  if (column > 0) top += row_height + kMargin;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
             "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\">\n<title>{2}</title>\n<rect "
             "width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n<text x=\"{3}\" y=\"28\" "
             "font-size=\"15\">{2}</text>\n",
             2 * kMargin + kColumns * kPanel, top, escaped(title), kMargin) +
         out + "</svg>\n";
}

}  // namespace ow::plot
