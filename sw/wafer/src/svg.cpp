// SPDX-License-Identifier: Apache-2.0
// The picture of a wafer.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "ow/wafer/files.h"

namespace ow::wafer {
namespace {

constexpr int kPitch = 24, kTile = 18, kGap = 20;  // from tile to tile, its side, between reticles
constexpr int kTop = 48, kMargin = 20;
constexpr int kLegendRow = 20, kLetter = 7;  // its height; width of a letter, rounded up

// A line of the legend: a square of a colour, or a stroke.
struct Legend {
  const char* fill;  // or null
  const char* stroke;
  const char* text;
  int width() const { return 26 + kLetter * static_cast<int>(std::string(text).size()) + 14; }
};
constexpr const char* kMesh = "stroke=\"#1f3b57\" stroke-width=\"1.5\"";
constexpr const char* kBroken = "stroke=\"#d9534f\" stroke-width=\"2.5\" stroke-dasharray=\"3 2\"";
constexpr const char* kDown = "stroke=\"#e08e0b\" stroke-width=\"4\"";
constexpr const char* kChain = "stroke=\"#7d3c98\" stroke-width=\"2.5\" stroke-dasharray=\"6 3\"";
constexpr const char *kInUse = "#7fb77e", *kSpare = "#c8c8c8", *kDefective = "#d9534f";
constexpr Legend kLegend[] = {{kInUse, nullptr, "tile in use"},
                              {kSpare, nullptr, "spare or bypassed tile"},
                              {kDefective, nullptr, "defective tile"},
                              {nullptr, kMesh, "logical mesh"},
                              {nullptr, kBroken, "broken wire"},
                              {nullptr, kDown, "link between reticles that is down"},
                              {nullptr, kChain, "row whose chain is broken"}};

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return out;
}

class Picture {
 public:
  explicit Picture(const Shape& shape) : shape_(shape) {}

  std::string draw(const Defects& defects, const WaferMap* map, const std::string& title) {
    for (int d = 0; d < shape_.reticles(); ++d) {
      reticle(d, defects.reticles[static_cast<size_t>(d)], map);
    }
    if (map != nullptr) mesh(*map);
    for (int d = 0; d < shape_.reticles(); ++d) broken(d, defects);
    width_ = 2 * kMargin + shape_.reticle_cols * reticle_width();
    width_ = std::max(width_, 2 * kMargin + 8 * static_cast<int>(title.size()));
    for (const Legend& item : kLegend) width_ = std::max(width_, 2 * kMargin + item.width());
    const int height = legend(kTop + shape_.reticle_rows * reticle_height() + kMargin);
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
               "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\">\n<title>{2}</title>\n<rect "
               "width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n<text x=\"{3}\" y=\"24\" "
               "font-size=\"14\">{2}</text>\n",
               width_, height, escaped(title), kMargin) +
           out_ + "</svg>\n";
  }

 private:
  int reticle_width() const { return shape_.physical_cols() * kPitch + kGap; }
  int reticle_height() const { return shape_.physical_rows() * kPitch + kGap; }
  // Coordinates of the middle of a tile.
  int x_of(int d, int col) const {
    return kMargin + (d % shape_.reticle_cols) * reticle_width() + kGap / 2 + col * kPitch +
           kPitch / 2;
  }
  int y_of(int d, int row) const {
    return kTop + (d / shape_.reticle_cols) * reticle_height() + kGap / 2 + row * kPitch +
           kPitch / 2;
  }
  int last_col() const { return shape_.physical_cols() - 1; }
  int last_row() const { return shape_.physical_rows() - 1; }

  // The link of a slot, from the reticle to its neighbour in the east or south.
  struct Crossing {
    int x, y, to_x, to_y;
  };
  Crossing crossing(int d, bool east, int slot) const {
    if (east) {
      const int x = x_of(d, last_col()) + kPitch / 2, y = y_of(d, slot);
      return {x, y, x + kGap, y};
    }
    const int x = x_of(d, slot), y = y_of(d, last_row()) + kPitch / 2;
    return {x, y, x, y + kGap};
  }

  void line(int x1, int y1, int x2, int y2, const char* style) {
    out_ +=
        fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", x1, y1, x2, y2, style);
  }

  void reticle(int d, const ReticleDefects& defects, const WaferMap* map) {
    out_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#f2f2f2\" "
        "stroke=\"#999999\"/>\n",
        x_of(d, 0) - kPitch / 2 - 4, y_of(d, 0) - kPitch / 2 - 4, reticle_width() - kGap + 8,
        reticle_height() - kGap + 8);
    const std::set<Position> dead(defects.tiles.begin(), defects.tiles.end());
    std::set<Position> used;
    if (map != nullptr) {
      const ReticleMap& r = map->reticles[static_cast<size_t>(d)];
      for (size_t y = 0; y < r.row.size(); ++y) {
        for (int col : r.col[y]) used.insert({r.row[y], col});
      }
    }
    for (int row = 0; row < shape_.physical_rows(); ++row) {
      for (int col = 0; col < shape_.physical_cols(); ++col) {
        const char* fill = dead.count({row, col}) != 0   ? kDefective
                           : used.count({row, col}) != 0 ? kInUse
                                                         : kSpare;
        out_ += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" fill=\"{}\"/>\n",
            x_of(d, col) - kTile / 2, y_of(d, row) - kTile / 2, kTile, kTile, fill);
      }
    }
  }

  // Lines between logical neighbours, through their physical places. Between reticles a line goes
  // through the link slot that the repair has chosen.
  void mesh(const WaferMap& map) {
    const Window& w = map.window;
    for (int row = w.row; row < w.row + w.rows; ++row) {
      for (int col = w.col; col < w.col + w.cols; ++col) {
        int d = 0;
        const Position p = map.physical(row, col, &d);
        const auto join = [&, p = p](int to_row, int to_col) {
          int e = 0;
          const Position q = map.physical(to_row, to_col, &e);
          const int x = x_of(d, p.col), y = y_of(d, p.row);
          const int to_x = x_of(e, q.col), to_y = y_of(e, q.row);
          if (e == d) return line(x, y, to_x, to_y, kMesh);
          const bool east = to_row == row;
          const EdgeMap& slots = (east ? map.east : map.south)[static_cast<size_t>(d)];
          const Window& own = map.reticles[static_cast<size_t>(d)].window;
          const int at = east ? row % shape_.rows - own.row : col % shape_.cols - own.col;
          const Crossing c = crossing(d, east, slots[static_cast<size_t>(at)]);
          line(x, y, c.x, c.y, kMesh);
          line(c.x, c.y, c.to_x, c.to_y, kMesh);
          line(c.to_x, c.to_y, to_x, to_y, kMesh);
        };
        if (col + 1 < w.col + w.cols) join(row, col + 1);
        if (row + 1 < w.row + w.rows) join(row + 1, col);
      }
    }
  }

  void broken(int d, const Defects& defects) {
    const auto i = static_cast<size_t>(d);
    for (const Wire& w : defects.reticles[i].wires) {
      line(x_of(d, w.from.col), y_of(d, w.from.row), x_of(d, w.to.col), y_of(d, w.to.row), kBroken);
    }
    for (int row : defects.reticles[i].chains) {
      const int y = y_of(d, row) + kTile / 2;
      line(x_of(d, 0) - kPitch / 2, y, x_of(d, last_col()) + kPitch / 2, y, kChain);
    }
    for (const EdgeWire& w : defects.reticles[i].edges) {
      const int depth = kPitch / 2 + kGap / 2;
      const int x = w.side == 1   ? x_of(d, last_col()) + depth
                    : w.side == 3 ? x_of(d, 0) - depth
                                  : x_of(d, w.slot);
      const int y = w.side == 0   ? y_of(d, 0) - depth
                    : w.side == 2 ? y_of(d, last_row()) + depth
                                  : y_of(d, w.slot);
      line(x_of(d, w.tile.col), y_of(d, w.tile.row), x, y, kBroken);
    }
    for (const bool east : {true, false}) {
      for (int slot : (east ? defects.east_links : defects.south_links)[i]) {
        const Crossing c = crossing(d, east, slot);
        line(c.x, c.y, c.to_x, c.to_y, kDown);
      }
    }
  }

  // Draws as many items per row as fit, from y on; returns the height of the picture.
  int legend(int y) {
    int x = kMargin;
    for (const Legend& item : kLegend) {
      if (x > kMargin && x + item.width() > width_ - kMargin) {
        x = kMargin;
        y += kLegendRow;
      }
      if (item.fill != nullptr) {
        out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                            x + 4, y, item.fill);
      } else {
        line(x, y + 6, x + 20, y + 6, item.stroke);
      }
      out_ += fmt::format("<text class=\"legend\" x=\"{}\" y=\"{}\" font-size=\"12\">{}</text>\n",
                          x + 26, y + 11, item.text);
      x += item.width();
    }
    return y + kLegendRow + kMargin;
  }

  const Shape& shape_;
  int width_ = 0;
  std::string out_;
};

}  // namespace

std::string svg(const Shape& shape, const Defects& defects, const WaferMap* map,
                const std::string& title) {
  return Picture(shape).draw(defects, map, title);
}

}  // namespace ow::wafer
