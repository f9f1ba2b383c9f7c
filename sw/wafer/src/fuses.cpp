// SPDX-License-Identifier: Apache-2.0
#include "ow/wafer/repair.h"

namespace ow::wafer {
namespace {

constexpr int kNowhere = 3;  // a skip that no wire has

uint16_t tile_fuse(int w_skip, int e_skip, int n_skip, int n_shift, int s_skip, int s_shift) {
  return static_cast<uint16_t>(1 << 14 | w_skip << 12 | e_skip << 10 | n_skip << 8 |
                               (n_shift & 7) << 5 | s_skip << 3 | (s_shift & 7));
}

}  // namespace

ReticleFuses fuses(const WaferMap& map, int reticle) {
  const Shape& s = map.shape;
  const int y = reticle / s.reticle_cols;
  const int x = reticle % s.reticle_cols;
  const ReticleMap& r = map.reticles.at(static_cast<size_t>(reticle));
  ReticleFuses out;
  out.tile.resize(static_cast<size_t>(s.physical_rows()) * s.physical_cols());
  out.row.resize(static_cast<size_t>(s.physical_rows()));
  if (r.window.rows == 0) return out;

  // The slots of an edge: of the wafer's own, the logical numbers; between reticles, the map's.
  const auto own = [](int first, int n) {
    EdgeMap slots;
    for (int i = 0; i < n; ++i) slots.push_back(first + i);
    return slots;
  };
  const Window& w = r.window;
  EdgeMap west, east, north, south;
  if (w.col == 0) {
    if (x == 0)
      west = own(w.row, w.rows);
    else
      west = map.east.at(static_cast<size_t>(reticle - 1));
  }
  if (w.col + w.cols == s.cols) {
    if (x + 1 == s.reticle_cols)
      east = own(w.row, w.rows);
    else
      east = map.east.at(static_cast<size_t>(reticle));
  }
  if (w.row == 0) {
    if (y == 0)
      north = own(w.col, w.cols);
    else
      north = map.south.at(static_cast<size_t>(reticle - s.reticle_cols));
  }
  if (w.row + w.rows == s.rows) {
    if (y + 1 == s.reticle_rows)
      south = own(w.col, w.cols);
    else
      south = map.south.at(static_cast<size_t>(reticle));
  }

  for (int i = 0; i < w.rows; ++i) {
    const auto at = static_cast<size_t>(i);
    const int p = r.row[at];
    const int w_slot = west.empty() ? 0 : west[at] - p;
    const int e_slot = east.empty() ? 0 : east[at] - p;
    out.row[static_cast<size_t>(p)] = static_cast<uint8_t>((w_slot & 7) << 3 | (e_slot & 7));
    for (int j = 0; j < w.cols; ++j) {
      const auto col = static_cast<size_t>(j);
      const int c = r.col[at][col];
      const int w_skip = j > 0 ? c - r.col[at][col - 1] - 1 : west.empty() ? kNowhere : c;
      const int e_skip = j + 1 < w.cols ? r.col[at][col + 1] - c - 1
                         : east.empty() ? kNowhere
                                        : s.physical_cols() - 1 - c;
      int n_skip = kNowhere, n_shift = 0, s_skip = kNowhere, s_shift = 0;
      if (i > 0) {
        n_skip = p - r.row[at - 1] - 1;
        n_shift = r.col[at - 1][col] - c;
      } else if (!north.empty()) {
        n_skip = p;
        n_shift = north[col] - c;
      }
      if (i + 1 < w.rows) {
        s_skip = r.row[at + 1] - p - 1;
        s_shift = r.col[at + 1][col] - c;
      } else if (!south.empty()) {
        s_skip = s.physical_rows() - 1 - p;
        s_shift = south[col] - c;
      }
      out.tile[static_cast<size_t>(p) * s.physical_cols() + c] =
          tile_fuse(w_skip, e_skip, n_skip, n_shift, s_skip, s_shift);
    }
  }
  return out;
}

}  // namespace ow::wafer
