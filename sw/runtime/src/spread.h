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

  // BadInput if the mapping names a dimension that the array lacks, or if the host array is larger
  // than what the tiles of the rectangle hold.
  Spread(const ElfExport& array, const Rect& rect, const Mapping& mapping);

  // Numbers of elements of the host's array and of a tile's.
  size_t size() const;
  size_t tile_size() const;
  // The host's index of each element of tile (r, c) of the rectangle; kNone if the host array ends
  // before it.
  std::vector<size_t> of(int r, int c) const;
  // Whether the tile has any element.
  bool any(int r, int c) const;

 private:
  uint32_t tiles_of(int dim) const;  // that dimension `dim` runs over
  size_t place(int dim, uint32_t i, int r, int c) const;

  Rect rect_;
  Mapping mapping_;
  std::vector<uint32_t> dims_;
  std::vector<size_t> host_;
};

}  // namespace ow

#endif  // OW_SRC_SPREAD_H_
