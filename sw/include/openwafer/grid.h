// SPDX-License-Identifier: Apache-2.0
// Terms that every part of the library uses: the grid and its edges, rectangles of tiles, wavelets.
#ifndef OPENWAFER_GRID_H_
#define OPENWAFER_GRID_H_

#include <algorithm>
#include <cstdint>

namespace ow {

// Grid rows count from the north, grid columns from the west.
struct GridShape {
  int rows = 0;
  int cols = 0;
};
inline bool operator==(GridShape a, GridShape b) { return a.rows == b.rows && a.cols == b.cols; }
inline bool operator!=(GridShape a, GridShape b) { return !(a == b); }

// A rectangle of tiles.
struct Rect {
  int row = 0;
  int col = 0;
  int rows = 1;
  int cols = 1;
};

inline bool operator==(const Rect& a, const Rect& b) {
  return a.row == b.row && a.col == b.col && a.rows == b.rows && a.cols == b.cols;
}
inline bool operator!=(const Rect& a, const Rect& b) { return !(a == b); }

inline Rect whole(GridShape shape) { return Rect{0, 0, shape.rows, shape.cols}; }
// Whether the rectangle has a tile and lies within the grid.
inline bool fits(const Rect& rect, GridShape shape) {
  return rect.row >= 0 && rect.col >= 0 && rect.rows >= 1 && rect.cols >= 1 &&
         rect.rows <= shape.rows - rect.row && rect.cols <= shape.cols - rect.col;
}
// Whether a tile is in both. No rectangle has a negative row or column.
inline bool overlap(const Rect& a, const Rect& b) {
  return a.row - b.row < b.rows && b.row - a.row < a.rows && a.col - b.col < b.cols &&
         b.col - a.col < a.cols;
}
// The smallest rectangle that contains both.
inline Rect around(const Rect& a, const Rect& b) {
  const int row = std::min(a.row, b.row), col = std::min(a.col, b.col);
  return Rect{row, col, std::max(a.row + a.rows, b.row + b.rows) - row,
              std::max(a.col + a.cols, b.col + b.cols) - col};
}

// Edges of the grid, in the order of the router's ports. Ports of the west and east edges are
// numbered by grid row, those of the north and south edges by grid column.
enum class Side { North = 0, East = 1, South = 2, West = 3 };
constexpr int kSides = 4;
const char* side_name(Side side);

// The unit of the fabric.
struct Wavelet {
  uint8_t colour = 0;
  bool ctrl = false;
  uint32_t data = 0;
};
inline bool operator==(const Wavelet& a, const Wavelet& b) {
  return a.colour == b.colour && a.ctrl == b.ctrl && a.data == b.data;
}
inline bool operator!=(const Wavelet& a, const Wavelet& b) { return !(a == b); }

}  // namespace ow

#endif  // OPENWAFER_GRID_H_
