// SPDX-License-Identifier: Apache-2.0
// Words of the machine that every part of the library uses: the grid and its edges, rectangles of
// tiles, wavelets.
#ifndef OPENWAFER_GRID_H_
#define OPENWAFER_GRID_H_

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

inline Rect whole(GridShape shape) { return Rect{0, 0, shape.rows, shape.cols}; }

// Edges of the grid, in the order of the router's ports. Edge ports of the west and east sides are
// numbered by grid row, those of the north and south sides by grid column.
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
