// SPDX-License-Identifier: Apache-2.0
// How host arrays are spread over tiles, for copies and for parameters of a program.
#ifndef OPENWAFER_MAPPING_H_
#define OPENWAFER_MAPPING_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "openwafer/grid.h"

namespace ow {

// Block: a tile has consecutive elements, as many as its array is long. Cyclic: each of n tiles has
// every n-th element.
enum class Distribution { Block, Cyclic };

// How a host array is spread over a rectangle of R x C tiles. `row_dim` and `col_dim` name the
// dimensions of the exported array (from 0) that run over grid rows and over grid columns. Each has
// its own distribution, and the host array is R or C times as long there. One dimension may run
// over both with one distribution; tiles then count row by row. All arrays are row-major.
//
// If the host array ends before the tiles are full, call with_shape(). The last blocks are then
// shorter or missing. The rest of a tile's array is written as 0 and not read.
//
// The rectangle holds all tiles whose firmware exports the array, or the tiles given to on_tiles().
//
// slice() makes a copy one of a part: a range of the host array's indices along a dimension. All
// other elements of the tiles stay as they are, and nothing is filled up with 0. The copy reads and
// writes 32-bit words. So a tile must not change elements next to the part while it is written.
struct Mapping {
  int row_dim = -1;
  int col_dim = -1;
  Distribution by_row = Distribution::Block;
  Distribution by_col = Distribution::Block;
  bool each = false;
  // Shape of the host array along the exported dimensions (with tiles(): of each tile's part).
  // Empty: as much as the tiles hold.
  std::vector<size_t> shape;
  // Rows and columns are relative to the Run's rectangle. None: all tiles that have the array.
  std::optional<Rect> only;
  struct Slice {
    int dim = 0;
    size_t first = 0, count = 0;
  };
  std::vector<Slice> slices;

  // [R][C] and then the exported dimensions: tile after tile.
  static Mapping tiles() {
    Mapping m;
    m.each = true;
    return m;
  }
  // The same in all tiles. A read returns the first tile's.
  static Mapping same() { return {}; }
  // A matrix in blocks, element by element in turns, or each dimension in its own way; a vector
  // along the grid rows or columns.
  static Mapping grid(int row_dim, Distribution by_row, int col_dim, Distribution by_col) {
    Mapping m;
    m.row_dim = row_dim;
    m.col_dim = col_dim;
    m.by_row = by_row;
    m.by_col = by_col;
    return m;
  }
  static Mapping blocks(int row_dim = 0, int col_dim = 1) {
    return grid(row_dim, Distribution::Block, col_dim, Distribution::Block);
  }
  static Mapping cyclic(int row_dim = 0, int col_dim = 1) {
    return grid(row_dim, Distribution::Cyclic, col_dim, Distribution::Cyclic);
  }
  static Mapping along_rows(int dim = 0, Distribution how = Distribution::Block) {
    return grid(dim, how, -1, how);
  }
  static Mapping along_columns(int dim = 0, Distribution how = Distribution::Block) {
    return grid(-1, how, dim, how);
  }
  // The same mapping for a host array of this shape.
  Mapping with_shape(std::vector<size_t> host) const {
    Mapping m = *this;
    m.shape = std::move(host);
    return m;
  }
  // The same mapping for these tiles only, all of which must have the array.
  Mapping on_tiles(const Rect& tiles) const {
    Mapping m = *this;
    m.only = tiles;
    return m;
  }
  // The same mapping, but only indices first to first + count - 1 along a dimension; the array that
  // is given or read is `count` long there. At most one for each dimension.
  Mapping slice(int dim, size_t first, size_t count) const {
    Mapping m = *this;
    m.slices.push_back({dim, first, count});
    return m;
  }
};

}  // namespace ow

#endif  // OPENWAFER_MAPPING_H_
