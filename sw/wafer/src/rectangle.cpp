// SPDX-License-Identifier: Apache-2.0
// The search for the largest rectangle that can be repaired.
#include <map>

#include "ow/wafer/repair.h"
#include "repair_parts.h"

namespace ow::wafer {
namespace {

// Remembers answers for windows: the search for the largest rectangle asks for the same ones again.
class Oracle {
 public:
  Oracle(const Shape& shape, const Defects& defects) : shape_(shape), defects_(defects) {
    for (const ReticleDefects& r : defects.reticles) edges_ |= !r.edges.empty();
  }

  bool works(const Window& w) {
    if (edges_) return repair_window(shape_, defects_, w).map.has_value();
    for (int y = w.row / shape_.rows; y * shape_.rows < w.row + w.rows; ++y) {
      for (int x = w.col / shape_.cols; x * shape_.cols < w.col + w.cols; ++x) {
        if (!reticle_works(y, x, part(shape_, w, y, x)) || !edges_work(w, y, x)) return false;
      }
    }
    return true;
  }

 private:
  bool reticle_works(int y, int x, const Window& p) {
    const int d = y * shape_.reticle_cols + x;
    const auto key = std::make_pair(
        d, std::make_pair(std::make_pair(p.row, p.rows), std::make_pair(p.col, p.cols)));
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    const bool ok =
        repair_reticle(shape_, defects_.reticles[static_cast<size_t>(d)], p).has_value();
    known_[key] = ok;
    return ok;
  }

  bool edges_work(const Window& w, int y, int x) const {
    const auto d = static_cast<size_t>(y * shape_.reticle_cols + x);
    const Window p = part(shape_, w, y, x);
    if (w.col + w.cols > (x + 1) * shape_.cols &&
        !place_links(defects_.east_links[d], p.row, p.rows, shape_.spare_rows, {})) {
      return false;
    }
    return w.row + w.rows <= (y + 1) * shape_.rows ||
           place_links(defects_.south_links[d], p.col, p.cols, shape_.spare_cols, {}).has_value();
  }

  const Shape& shape_;
  const Defects& defects_;
  bool edges_ = false;  // connections to link slots are broken: reticles depend on each other
  std::map<std::pair<int, std::pair<std::pair<int, int>, std::pair<int, int>>>, bool> known_;
};

}  // namespace

Window largest_rectangle(const Shape& shape, const Defects& defects) {
  const auto cuts = [](int total, int pitch) {
    std::vector<int> at;
    const int step = total <= 32 ? 1 : pitch;
    for (int i = 0; i <= total; i += step) at.push_back(i);
    return at;
  };
  const std::vector<int> ys = cuts(shape.logical_rows(), shape.rows);
  const std::vector<int> xs = cuts(shape.logical_cols(), shape.cols);
  Oracle oracle(shape, defects);
  Window best;
  for (size_t y0 = 0; y0 < ys.size(); ++y0) {
    for (size_t x0 = 0; x0 < xs.size(); ++x0) {
      // A smaller part of a window that works also works. So the widest window never grows as rows
      // are added.
      size_t x1 = xs.size() - 1;
      for (size_t y1 = y0 + 1; y1 < ys.size() && x1 > x0; ++y1) {
        Window w{ys[y0], xs[x0], ys[y1] - ys[y0], 0};
        for (; x1 > x0; --x1) {
          w.cols = xs[x1] - xs[x0];
          if (w.tiles() <= best.tiles() && y1 + 1 == ys.size()) break;
          if (oracle.works(w)) break;
        }
        w.cols = xs[x1] - xs[x0];
        if (x1 > x0 && w.tiles() > best.tiles() && oracle.works(w)) best = w;
      }
    }
  }
  return best;
}

}  // namespace ow::wafer
