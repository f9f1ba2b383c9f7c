// SPDX-License-Identifier: Apache-2.0
// Sparse matrices for the kernels ow_spmv_f16 and ow_spmv_f32 (openwafer/tile/kernels.h).
//
//   ow::SpmvRoom room;
//   room.image_bytes = 4 * kWords;  // of the array `matrix` in the tile
//   const ow::SpmvPlan plan = ow::pack_spmv(matrix, ow::ElementType::F16, room);
//   run.write("x", plan.place_x(x));
//   for (const ow::SpmvPart& part : plan.parts) {
//     run.write("matrix", part.image(kWords));
//     run.launch("multiply").wait();
//     plan.place_y(part, run.read<ow::f16>("y"), &product);
//   }
//
// A matrix that is larger than a tile is cut into parts. Parts may follow each other in one tile or
// lie in several tiles.
#ifndef OPENWAFER_SPARSE_H_
#define OPENWAFER_SPARSE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "openwafer/number.h"

namespace ow {

// Compressed sparse rows: the entries of row r are row_start[r] to row_start[r + 1] - 1. The
// columns of a row may have any order.
struct CsrMatrix {
  uint32_t rows = 0;
  uint32_t cols = 0;  // at most 65,536
  std::vector<size_t> row_start = {0};
  std::vector<uint32_t> column;  // of each entry
  std::vector<double> value;     // of each entry
};

// What a part may take. The rows of a part are the elements of its y.
struct SpmvRoom {
  static constexpr uint32_t kAny = std::numeric_limits<uint32_t>::max();
  uint32_t image_bytes = kAny;
  uint32_t rows = kAny;
  uint32_t bytes = kAny;  // of image and y together
};

// Some rows of a matrix, as the kernel reads them.
struct SpmvPart {
  std::vector<uint32_t> words;  // the image, for an address that is a multiple of 8
  uint32_t first_row = 0;       // position of y[0] in SpmvPlan::row_order
  uint32_t rows = 0;            // elements of y
  size_t entries = 0;           // of the matrix
  size_t padding = 0;           // entries of value 0 that the format needs

  // The image at the start of an array of `size` words. BadInput if it is longer.
  std::vector<uint32_t> image(size_t size) const;
};

struct SpmvPlan {
  ElementType type = ElementType::F16;
  double scale = 1;                  // stored values are `scale` x those of the matrix
  std::vector<uint32_t> row_order;   // the matrix's row at each position of y, longest rows first
  std::vector<uint32_t> x_position;  // of each column's element in the tile's x
  std::vector<SpmvPart> parts;

  // x as the tile reads it.
  template <typename T>
  std::vector<T> place_x(const std::vector<T>& x) const {
    std::vector<T> out(x_position.size());
    for (size_t c = 0; c < out.size(); ++c) out[x_position[c]] = x.at(c);
    return out;
  }
  // Puts a part's y into the product, in the matrix's order of rows and without the scale. y may
  // have more elements than the part has rows.
  template <typename T>
  void place_y(const SpmvPart& part, const std::vector<T>& y, std::vector<double>* product) const {
    product->resize(row_order.size());
    for (uint32_t k = 0; k < part.rows; ++k) {
      product->at(row_order[part.first_row + k]) = static_cast<double>(y.at(k)) / scale;
    }
  }
};

// Packs a matrix for ow_spmv_f16 (`type` F16) or ow_spmv_f32 (F32). Values are scaled by a power of
// two so that the largest one is above 1/2 and at most 1, and rounded once. A square matrix has x
// in the order of y, so that y can be the next x. BadInput if the arrays do not describe a matrix,
// if a value is not finite, or if one row needs more than the room.
//
// Entries are ordered for the banks of a tile's memory. The kernel is fastest if image and x begin
// at multiples of 64 bytes; x at any multiple of its elements gives the same bits.
SpmvPlan pack_spmv(const CsrMatrix& matrix, ElementType type, const SpmvRoom& room);

}  // namespace ow

#endif  // OPENWAFER_SPARSE_H_
