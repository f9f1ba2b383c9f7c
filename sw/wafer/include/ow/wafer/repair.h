// SPDX-License-Identifier: Apache-2.0
// Repair: maps logical tiles onto physical tiles that work. The rules follow from the muxes
// (docs/wafer.md):
//  - In a reticle, logical row r is in a physical row r to r + spare_rows, below the logical row
//    before it. A skipped row is bypassed as a whole.
//  - In such a row, logical column c is in a physical column c to c + spare_cols, east of the
//    logical column before it.
//  - A row with a broken test-access chain is not used.
//  - On an edge between reticles, logical row (column) r takes a link slot r to r + spares, after
//    the slot of the row before it.
//  - If the connection between an edge tile and a link slot is broken, no logical row or column
//    ends in this tile and takes this slot.
// The repair finds the map that moves the least. A logical tile stays in place unless a defect
// before it in its row, or in its row as a whole, moves it.
#ifndef OW_WAFER_REPAIR_H_
#define OW_WAFER_REPAIR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ow/device/wafer_shape.h"

namespace ow::wafer {

// A rectangle of logical tiles of a reticle or a wafer: [row, row + rows) x [col, col + cols).
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

// The result of a repair: a map, or the reason why there is none.
struct Repair {
  std::optional<WaferMap> map;
  std::string reason;  // empty if there is a map
};

// The map of a window of one reticle, or nothing. The search is exact: if an assignment within the
// rules avoids all defects, it finds one. There is one exception. With two spare columns, a row
// with broken wires can have more than 4,096 placements (from 90 columns on). Then only placements
// that skip columns next to a defect are tried.
std::optional<ReticleMap> repair_reticle(const Shape& shape, const ReticleDefects& defects,
                                         const Window& window);

// The whole wafer. The search is exact as for a reticle, unless more than 4,096 maps in a row use a
// broken connection to a link slot.
Repair repair_wafer(const Shape& shape, const Defects& defects);

// The largest rectangle of logical tiles that can be repaired; rows = 0 if there is none. If
// several are equally large, it is the northernmost, then the westernmost. On wafers of up to 32 x
// 32 logical tiles every rectangle is tried. On larger wafers only rectangles whose sides are
// borders of reticles are tried.
Window largest_rectangle(const Shape& shape, const Defects& defects);

// The map of a rectangle that largest_rectangle returned.
Repair repair_window(const Shape& shape, const Defects& defects, const Window& window);

// Fuses of one reticle as the hardware takes them (rtl/reticle/ow_reticle_pkg.sv).
struct ReticleFuses {
  std::vector<uint16_t> tile;  // by physical row, column: tile_fuse_t, 15 bits
  std::vector<uint8_t> row;    // by physical row: row_fuse_t, 6 bits
};

// Tiles outside the window are isolated. A side of the window inside the wafer is connected to
// nothing. On the wafer's own edges, a logical row or column takes the slot of its number.
ReticleFuses fuses(const WaferMap& map, int reticle);

}  // namespace ow::wafer

#endif  // OW_WAFER_REPAIR_H_
