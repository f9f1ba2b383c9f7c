// SPDX-License-Identifier: Apache-2.0
// Which elements of the host's array each tile holds.
#ifndef OW_SRC_SPREAD_H_
#define OW_SRC_SPREAD_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "openwafer/mapping.h"
#include "ow/runtime/elf.h"

namespace ow {

class Spread {
 public:
  static constexpr size_t kNone = ~size_t{0};

  // Elements that follow one another in a tile, and every `step`-th element of the host's array.
  struct Piece {
    size_t at = 0;  // the first element of the tile
    size_t count = 0;
    size_t host = 0;  // the first of the host's array; kNone if that ends before them
    size_t step = 1;
  };

  // BadInput if the mapping names a dimension that the array lacks, if the host array is larger
  // than what the tiles of the rectangle hold, or if a slice leaves the host array.
  Spread(const ElfExport& array, const Rect& rect, const Mapping& mapping);

  // Number of elements of the host's array.
  size_t size() const;
  // The elements of tile (r, c) of the rectangle that the copy is of, ascending. If the mapping has
  // no slice these are all of the tile.
  std::vector<Piece> of(int r, int c) const;
  // Whether all tiles have the same elements.
  bool same() const { return !mapping_.each && mapping_.row_dim < 0 && mapping_.col_dim < 0; }

 private:
  // The part of the host array along a dimension that is copied.
  struct Range {
    size_t first = 0, count = 0;
  };
  // Indices of a tile along a dimension; those from `end` on the host array does not have.
  struct Local {
    size_t begin = 0, end = 0, all = 0;
    size_t host = 0, step = 1;  // index in the copied part: of `begin`, and from one to the next
  };

  void take_slices(const std::string& what);
  uint32_t tiles_of(int dim) const;  // that dimension `dim` runs over
  Local local(int dim, int r, int c) const;

  Rect rect_;
  Mapping mapping_;
  std::vector<uint32_t> dims_;
  std::vector<size_t> host_;
  std::vector<Range> part_;  // by dimension
};

}  // namespace ow

#endif  // OW_SRC_SPREAD_H_
