// SPDX-License-Identifier: Apache-2.0
#include "ow/device/reticle_mesh.h"

#include <algorithm>

#include "ow/isa/isa.h"

namespace ow::wafer {
namespace {

using Fuse = isa::TileFuse;

}  // namespace

TileFuse TileFuse::of(uint16_t word) {
  TileFuse f;
  f.enable = Fuse::Enable::get(word);
  f.w_skip = static_cast<int>(Fuse::WSkip::get(word));
  f.e_skip = static_cast<int>(Fuse::ESkip::get(word));
  f.n_skip = static_cast<int>(Fuse::NSkip::get(word));
  f.n_shift = Fuse::NShift::get(word);
  f.s_skip = static_cast<int>(Fuse::SSkip::get(word));
  f.s_shift = Fuse::SShift::get(word);
  return f;
}

uint16_t TileFuse::word() const {
  return static_cast<uint16_t>(Fuse::Enable::put(enable) | Fuse::WSkip::put(w_skip) |
                               Fuse::ESkip::put(e_skip) | Fuse::NSkip::put(n_skip) |
                               Fuse::NShift::put(n_shift) | Fuse::SSkip::put(s_skip) |
                               Fuse::SShift::put(s_shift));
}

std::vector<Connection> connections(const Shape& shape, const std::vector<uint16_t>& tile_fuse,
                                    const std::vector<uint8_t>& row_fuse) {
  const Places at(shape);
  const int rows = shape.physical_rows(), cols = shape.physical_cols();
  const int sr = shape.spare_rows, sc = shape.spare_cols;
  const auto near = [](int value, int limit) { return value >= -limit && value <= limit; };
  std::vector<Connection> out;
  // A row's ends: what a tile hears from the slot, what the slot hears of the tile.
  const auto row_end = [&](int tile, int p, int side) {
    const uint32_t bits = row_fuse.at(static_cast<size_t>(p));
    const int d = side == kWest ? isa::RowFuse::WSlot::get(bits) : isa::RowFuse::ESlot::get(bits);
    const int slot = p + d;
    if (!near(d, sr) || slot < 0 || slot >= rows) return;
    out.push_back({at.edge(side, slot), tile});
    out.push_back({tile, at.edge(side, slot)});
  };
  const auto column_end = [&](int tile, int slot, int side) {
    out.push_back({at.edge(side, slot), tile});
    out.push_back({tile, at.edge(side, slot)});
  };
  for (int p = 0; p < rows; ++p) {
    for (int c = 0; c < cols; ++c) {
      const TileFuse f = TileFuse::of(tile_fuse.at(static_cast<size_t>(p * cols + c)));
      if (!f.enable) continue;
      if (f.w_skip <= sc) {
        const int from = c - 1 - f.w_skip;
        const int sink = at.tile(p, c, kWest);
        if (from >= 0) {
          out.push_back({at.tile(p, from, kEast), sink});
        } else if (from == -1) {
          row_end(sink, p, kWest);
        }
      }
      if (f.e_skip <= sc) {
        const int from = c + 1 + f.e_skip;
        const int sink = at.tile(p, c, kEast);
        if (from < cols) {
          out.push_back({at.tile(p, from, kWest), sink});
        } else if (from == cols) {
          row_end(sink, p, kEast);
        }
      }
      const int north = c + f.n_shift, south = c + f.s_shift;
      if (f.n_skip <= sr && near(f.n_shift, sc) && north >= 0 && north < cols) {
        const int from = p - 1 - f.n_skip;
        const int sink = at.tile(p, c, kNorth);
        if (from >= 0) {
          out.push_back({at.tile(from, north, kSouth), sink});
        } else if (from == -1) {
          column_end(sink, north, kNorth);
        }
      }
      if (f.s_skip <= sr && near(f.s_shift, sc) && south >= 0 && south < cols) {
        const int from = p + 1 + f.s_skip;
        const int sink = at.tile(p, c, kSouth);
        if (from < rows) {
          out.push_back({at.tile(from, south, kNorth), sink});
        } else if (from == rows) {
          column_end(sink, south, kSouth);
        }
      }
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ow::wafer
