// SPDX-License-Identifier: Apache-2.0
#include "ow/device/reticle_mesh.h"
#include "ow/isa/isa.h"
#include "ow/wafer/repair.h"

namespace ow::wafer {

ReticleFuses fuses(const WaferMap& map, int reticle) {
  const Shape& s = map.shape;
  const int y = reticle / s.reticle_cols;
  const int x = reticle % s.reticle_cols;
  const ReticleMap& r = map.reticles.at(static_cast<size_t>(reticle));
  ReticleFuses out;
  out.tile.resize(static_cast<size_t>(s.physical_rows()) * s.physical_cols());
  out.row.resize(static_cast<size_t>(s.physical_rows()));
  if (r.window.rows == 0) return out;

  // The slots of an edge: the logical numbers on the wafer's own edge, those of the map between
  // reticles.
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
    out.row[static_cast<size_t>(p)] =
        static_cast<uint8_t>(isa::RowFuse::WSlot::put(w_slot) | isa::RowFuse::ESlot::put(e_slot));
    for (int j = 0; j < w.cols; ++j) {
      const auto col = static_cast<size_t>(j);
      const int c = r.col[at][col];
      TileFuse f;
      f.enable = true;
      f.w_skip = j > 0 ? c - r.col[at][col - 1] - 1 : west.empty() ? kNoSkip : c;
      f.e_skip = j + 1 < w.cols ? r.col[at][col + 1] - c - 1
                 : east.empty() ? kNoSkip
                                : s.physical_cols() - 1 - c;
      f.n_skip = f.s_skip = kNoSkip;
      if (i > 0) {
        f.n_skip = p - r.row[at - 1] - 1;
        f.n_shift = r.col[at - 1][col] - c;
      } else if (!north.empty()) {
        f.n_skip = p;
        f.n_shift = north[col] - c;
      }
      if (i + 1 < w.rows) {
        f.s_skip = r.row[at + 1] - p - 1;
        f.s_shift = r.col[at + 1][col] - c;
      } else if (!south.empty()) {
        f.s_skip = s.physical_rows() - 1 - p;
        f.s_shift = south[col] - c;
      }
      out.tile[static_cast<size_t>(p) * s.physical_cols() + c] = f.word();
    }
  }
  return out;
}

}  // namespace ow::wafer
