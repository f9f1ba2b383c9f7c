// SPDX-License-Identifier: Apache-2.0
// How arrays of the host are spread over tiles: of copies, and of what is loaded with a program.
#ifndef OPENWAFER_MAPPING_H_
#define OPENWAFER_MAPPING_H_

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "openwafer/grid.h"

namespace ow {

// Block: a tile has neighbouring elements, as many as its array is long. Cyclic: of n tiles each
// has every n-th element.
enum class Distribution { Block, Cyclic };

// How an array of the host is spread over the tiles of a rectangle of R x C. `row_dim` and
// `col_dim` name dimensions of the exported array (from 0) that run over grid rows and over grid
// columns, each with its own distribution: of them the host's array has R or C times as many. A
// dimension may run over both, with one distribution; tiles count row by row then. All arrays are
// row-major.
//
// A host's array that ends before the tiles are full says its shape with of(): the last blocks are
// shorter, or missing. What a tile has beyond it is written as 0 and not read.
//
// The rectangle is of all tiles whose firmware exports the array, or, with in(), of those that it
// names, which may be a single one.
struct Mapping {
  int row_dim = -1;
  int col_dim = -1;
  Distribution by_row = Distribution::Block;
  Distribution by_col = Distribution::Block;
  bool each = false;
  // Of the host's array, along the exported dimensions (with tiles(): of each tile's part); empty:
  // as much as the tiles hold.
  std::vector<size_t> shape;
  // Rows and columns are those of the program's rectangle; none: all tiles that have the array.
  std::optional<Rect> only;

  // [R][C] and then the exported dimensions: tile after tile.
  static Mapping tiles() {
    Mapping m;
    m.each = true;
    return m;
  }
  // The same for all; a read takes the first tile's.
  static Mapping same() { return {}; }
  // A matrix cut into blocks, or dealt out, or each dimension in its own way; a vector along the
  // grid rows, or columns.
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
  static Mapping deal(int row_dim = 0, int col_dim = 1) {
    return grid(row_dim, Distribution::Cyclic, col_dim, Distribution::Cyclic);
  }
  static Mapping along_rows(int dim = 0, Distribution how = Distribution::Block) {
    return grid(dim, how, -1, how);
  }
  static Mapping along_columns(int dim = 0, Distribution how = Distribution::Block) {
    return grid(-1, how, dim, how);
  }
  // The same for a host's array of this shape.
  Mapping of(std::vector<size_t> host) const {
    Mapping m = *this;
    m.shape = std::move(host);
    return m;
  }
  // The same with these tiles alone, all of which must have the array.
  Mapping in(const Rect& tiles) const {
    Mapping m = *this;
    m.only = tiles;
    return m;
  }
};

}  // namespace ow

#endif  // OPENWAFER_MAPPING_H_
