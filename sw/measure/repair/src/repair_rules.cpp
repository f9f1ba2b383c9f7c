// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/repair_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace ow::wafer::rules {
namespace {

enum Side { North, East, South, West };

// Positions of consecutive logical rows or columns: physical rows or columns, or slots.
using Places = std::vector<int>;

template <typename T>
bool has(const std::vector<T>& list, const T& wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

// All positions that logical rows (columns) first .. first + count - 1 can have: number i has one
// of i .. i + spares, and each stands after the one before.
std::vector<Places> all_places(int first, int count, int spares) {
  std::vector<Places> found = {{}};
  for (int i = first; i < first + count; ++i) {
    std::vector<Places> longer;
    for (const Places& places : found) {
      for (int at = i; at <= i + spares; ++at) {
        if (!places.empty() && at <= places.back()) continue;
        longer.push_back(places);
        longer.back().push_back(at);
      }
    }
    found = std::move(longer);
  }
  return found;
}

// The part of a reticle that is in use. A side whose border is not crossed has no slots.
class UsedPart {
 public:
  using Slots = std::array<std::optional<Places>, 4>;

  UsedPart(const Shape& shape, const ReticleDefects& broken, const Window& window)
      : shape_(shape),
        broken_(broken),
        window_(window),
        rows_(static_cast<size_t>(shape.physical_rows())) {
    const std::vector<Places> all = all_places(window.col, window.cols, shape.spare_cols);
    for (int row = 0; row < shape.physical_rows(); ++row) {
      if (has(broken.chains, row)) continue;
      for (const Places& cols : all) {
        if (row_works(row, cols)) rows_[static_cast<size_t>(row)].push_back(cols);
      }
    }
  }

  const Window& window() const { return window_; }

  // Whether all logical rows can stand below each other. For each row it keeps all positions that
  // some choice of the rows above allows.
  bool works(const Slots& slots) const {
    std::vector<Row> above;
    for (int r = 0; r < window_.rows; ++r) {
      std::vector<Row> here;
      const int logical = window_.row + r;
      for (int row = logical; row <= logical + shape_.spare_rows; ++row) {
        for (const Places& cols : rows_[static_cast<size_t>(row)]) {
          if (!sides_work(slots, r, row, cols)) continue;
          const bool below = std::any_of(above.begin(), above.end(), [&](const Row& upper) {
            return upper.row < row && joined(upper, row, cols);
          });
          if (r == 0 || below) here.push_back({row, cols});
        }
      }
      above = std::move(here);
    }
    return !above.empty();
  }

 private:
  struct Row {
    int row;
    Places cols;
  };

  bool row_works(int row, const Places& cols) const {
    for (size_t c = 0; c < cols.size(); ++c) {
      if (has(broken_.tiles, {row, cols[c]})) return false;
      if (c > 0 && has(broken_.wires, {{row, cols[c - 1]}, {row, cols[c]}})) return false;
    }
    return true;
  }

  bool joined(const Row& upper, int row, const Places& cols) const {
    for (size_t c = 0; c < cols.size(); ++c) {
      if (has(broken_.wires, {{upper.row, upper.cols[c]}, {row, cols[c]}})) return false;
    }
    return true;
  }

  // Row number r of the window at its links: its ends, and all of it if it is the first or last.
  bool sides_work(const Slots& slots, int r, int row, const Places& cols) const {
    const auto broken = [&](Side side, int col, size_t number) {
      return slots[side] && has(broken_.edges, {side, {row, col}, (*slots[side])[number]});
    };
    if (broken(West, cols.front(), static_cast<size_t>(r)) ||
        broken(East, cols.back(), static_cast<size_t>(r)))
      return false;
    for (size_t c = 0; c < cols.size(); ++c) {
      if (r == 0 && broken(North, cols[c], c)) return false;
      if (r + 1 == window_.rows && broken(South, cols[c], c)) return false;
    }
    return true;
  }

  const Shape& shape_;
  const ReticleDefects& broken_;
  Window window_;
  std::vector<std::vector<Places>> rows_;  // of each physical row, what its columns can be
};

// A rectangle of the wafer. Its reticles depend on each other through the slots of their borders.
class Rectangle {
 public:
  Rectangle(const Shape& shape, const Defects& defects, const Window& w)
      : shape_(shape), defects_(defects) {
    top_ = w.row / shape.rows;
    left_ = w.col / shape.cols;
    high_ = (w.row + w.rows - 1) / shape.rows - top_ + 1;
    wide_ = (w.col + w.cols - 1) / shape.cols - left_ + 1;
    for (int y = top_; y < top_ + high_; ++y) {
      for (int x = left_; x < left_ + wide_; ++x) {
        const int row = std::max(w.row, y * shape.rows), col = std::max(w.col, x * shape.cols);
        const int rows = std::min(w.row + w.rows, (y + 1) * shape.rows) - row;
        const int cols = std::min(w.col + w.cols, (x + 1) * shape.cols) - col;
        parts_.emplace_back(shape, defects.reticles[number(y, x)],
                            Window{row - y * shape.rows, col - x * shape.cols, rows, cols});
      }
    }
    slots_.resize(parts_.size());
  }

  bool works() {
    // Each reticle alone first: if one cannot be repaired, no choice of slots helps.
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const UsedPart& part) { return part.works({}); }) &&
           works_from(0);
  }

 private:
  size_t number(int y, int x) const { return static_cast<size_t>(y * shape_.reticle_cols + x); }

  // Reticles from `i` on, row by row, with some choice of slots for their east and south borders.
  bool works_from(size_t i) {
    if (i == parts_.size()) return true;
    const int y = static_cast<int>(i) / wide_, x = static_cast<int>(i) % wide_;
    for (const auto& east : choices(East, y, x, x + 1 < wide_)) {
      for (const auto& south : choices(South, y, x, y + 1 < high_)) {
        slots_[i][East] = east;
        slots_[i][South] = south;
        if (x + 1 < wide_) slots_[i + 1][West] = east;
        if (y + 1 < high_) slots_[i + static_cast<size_t>(wide_)][North] = south;
        if (parts_[i].works(slots_[i]) && works_from(i + 1)) return true;
      }
    }
    return false;
  }

  // The choices of links for a border. If all its connections to tiles work, nothing depends on the
  // choice, so the first one stands for all.
  std::vector<std::optional<Places>> choices(Side side, int y, int x, bool crossed) const {
    if (!crossed) return {std::nullopt};
    const size_t d = number(top_ + y, left_ + x);
    const size_t beyond = side == East ? d + 1 : d + static_cast<size_t>(shape_.reticle_cols);
    const Window& w = parts_[static_cast<size_t>(y * wide_ + x)].window();
    const std::vector<int>& down = side == East ? defects_.east_links[d] : defects_.south_links[d];
    const bool free = !touches(d, side) && !touches(beyond, side == East ? West : North);
    std::vector<std::optional<Places>> found;
    for (const Places& slots : side == East ? all_places(w.row, w.rows, shape_.spare_rows)
                                            : all_places(w.col, w.cols, shape_.spare_cols)) {
      const bool up = std::none_of(slots.begin(), slots.end(), [&](int s) { return has(down, s); });
      if (up && (found.empty() || !free)) found.emplace_back(slots);
    }
    return found;
  }

  bool touches(size_t d, Side side) const {
    const std::vector<EdgeWire>& edges = defects_.reticles[d].edges;
    return std::any_of(edges.begin(), edges.end(),
                       [&](const EdgeWire& w) { return w.side == side; });
  }

  const Shape& shape_;
  const Defects& defects_;
  int top_ = 0, left_ = 0, high_ = 0, wide_ = 0;  // in reticles
  std::vector<UsedPart> parts_;
  std::vector<UsedPart::Slots> slots_;
};

}  // namespace

bool repairable(const Shape& shape, const Defects& defects, const Window& window) {
  return Rectangle(shape, defects, window).works();
}

long most_tiles(const Shape& shape, const Defects& defects) {
  long most = 0;
  for (int y0 = 0; y0 < shape.logical_rows(); ++y0) {
    for (int y1 = y0 + 1; y1 <= shape.logical_rows(); ++y1) {
      for (int x0 = 0; x0 < shape.logical_cols(); ++x0) {
        for (int x1 = x0 + 1; x1 <= shape.logical_cols(); ++x1) {
          const Window w{y0, x0, y1 - y0, x1 - x0};
          if (w.tiles() > most && repairable(shape, defects, w)) most = w.tiles();
        }
      }
    }
  }
  return most;
}

}  // namespace ow::wafer::rules
