// SPDX-License-Identifier: Apache-2.0
// Repair: from what is broken to a map of logical onto physical tiles. The rules are those of the
// muxes (docs/wafer.md):
//  - in a reticle, logical row r stands in a physical row r .. r + spare_rows, each below the one
//    before; rows that are skipped are bypassed whole;
//  - in such a row, logical column c stands in a physical column c .. c + spare_cols, each east of
//    the one before;
//  - a row whose test-access chain is broken is not used;
//  - on an edge between reticles, logical row (column) r takes a link slot r .. r + spares, each
//    after the one before;
//  - where a connection between an edge tile and a link slot does not work, a logical row or column
//    has not both, the tile as its last one and the slot.
// The map is the one that moves the least: every logical tile stays in place unless something
// before it in its row, or its row, forces it on.
#ifndef OW_WAFER_REPAIR_H_
#define OW_WAFER_REPAIR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ow/device/wafer_shape.h"

namespace ow::wafer {

// A rectangle of logical tiles, [row, row + rows) x [col, col + cols); of a reticle or of a wafer.
struct Window {
  int row = 0;
  int col = 0;
  int rows = 0;
  int cols = 0;
  long tiles() const { return static_cast<long>(rows) * cols; }
  bool operator==(const Window& o) const {
    return row == o.row && col == o.col && rows == o.rows && cols == o.cols;
  }
};

// Where the logical tiles of a window of one reticle are. Index 0 is the window's first row.
struct ReticleMap {
  Window window;
  std::vector<int> row;               // physical row
  std::vector<std::vector<int>> col;  // [logical row][logical column]: physical column
};

// Link slots of one edge: slot of each logical row or column of the window.
using EdgeMap = std::vector<int>;

struct WaferMap {
  Shape shape;
  Window window;                     // in logical tiles of the wafer
  std::vector<ReticleMap> reticles;  // row by row; rows = 0 outside the window
  std::vector<EdgeMap> east;         // of each reticle, its edge to the east (if inside the window)
  std::vector<EdgeMap> south;

  // Physical position of a logical tile of the window; `reticle` gets its number.
  Position physical(int row, int col, int* reticle) const;
};

// What repair answers: a map, or why there is none.
struct Repair {
  std::optional<WaferMap> map;
  std::string reason;  // empty if there is a map
};

// Map of a window of one reticle, or nothing. Exact: if any assignment within the rules avoids all
// defects, one is found, except that with two spare columns rows with broken wires are searched
// only while a row has at most 4,096 placements (89 columns); beyond that, only placements that
// skip columns next to a defect.
std::optional<ReticleMap> repair_reticle(const Shape& shape, const ReticleDefects& defects,
                                         const Window& window);

// The whole wafer. Exact like a reticle, while no more than 4,096 maps meet broken connections to
// link slots before one that meets none.
Repair repair_wafer(const Shape& shape, const Defects& defects);

// The largest rectangle of logical tiles that can be repaired, rows = 0 if there is none. Of equal
// ones the northernmost, then the westernmost. Every rectangle is tried on wafers of up to 32 x 32
// logical tiles; on larger ones those whose sides are borders of reticles.
Window largest_rectangle(const Shape& shape, const Defects& defects);

// The map of a rectangle that largest_rectangle has returned.
Repair repair_window(const Shape& shape, const Defects& defects, const Window& window);

// Fuses of one reticle as the hardware takes them (rtl/reticle/ow_reticle_pkg.sv).
struct ReticleFuses {
  std::vector<uint16_t> tile;  // by physical row, column: tile_fuse_t, 15 bits
  std::vector<uint8_t> row;    // by physical row: row_fuse_t, 6 bits
};

// Tiles outside the window are isolated; a side of the window that is not a side of the wafer is
// connected to nothing. On the wafer's own edges, a logical row or column has the slot of its
// number.
ReticleFuses fuses(const WaferMap& map, int reticle);

}  // namespace ow::wafer

#endif  // OW_WAFER_REPAIR_H_
