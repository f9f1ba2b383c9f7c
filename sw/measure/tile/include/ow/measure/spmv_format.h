// SPDX-License-Identifier: Apache-2.0
// Sparse matrices for the kernel ow_spmv: reads Matrix Market files, orders rows, cuts the matrix
// into tiles and lays each out in the format of ow/spmv.h.
#ifndef OW_MEASURE_SPMV_FORMAT_H_
#define OW_MEASURE_SPMV_FORMAT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ow/golden/kernels.h"

namespace ow::bench {

struct SparseMatrix {
  std::string name;
  uint32_t rows = 0;
  uint32_t cols = 0;
  // By row: (column, value), ascending columns.
  std::vector<std::vector<std::pair<uint32_t, double>>> row;
  size_t nonzeros() const;
};

// A Matrix Market coordinate file, real or pattern, general or symmetric, plain or gzip. Entries
// stored as 0 are dropped. BadInput, with file and line, for anything else.
SparseMatrix read_matrix_market(const std::string& path);

// A tile's part: rows `order[first_row ..]` of the matrix. Columns are in x's order.
struct SpmvTile {
  struct Slice {
    bool long_row = false;
    uint32_t y_offset = 0;
    // By piece: entries in the order in which they are added, padding included (value +0).
    std::vector<std::vector<golden::Weight>> pieces;
  };
  std::vector<uint32_t> words;  // the image, for the address given to make_spmv_tiles
  std::vector<Slice> slices;
  uint32_t y_elements = 0;
  uint32_t first_row = 0;  // position in SpmvPlan::order of y's first element
  size_t nonzeros = 0;
  size_t padding = 0;
};

struct SpmvPlan {
  golden::Type type = golden::Type::Mixed;  // Mixed: binary16 values; F32
  double scale = 1;                         // of the values, a power of two
  std::vector<uint32_t> order;       // rows by position; columns likewise if the matrix is square
  std::vector<uint32_t> x_position;  // of each column in x
  std::vector<SpmvTile> tiles;
};

// `address` and `bytes`: where a tile's image goes and the room for it, y and padding to 16 bytes
// excluded. `x_address` decides how entries are scheduled over the banks. BadInput if a row does
// not fit.
SpmvPlan make_spmv_plan(const SparseMatrix& matrix, golden::Type type, uint32_t address,
                        uint32_t bytes, uint32_t x_address);

// What the kernel must give for a tile.
golden::Vec spmv(golden::Type type, const SpmvTile& tile, const golden::Vec& x);

}  // namespace ow::bench

#endif  // OW_MEASURE_SPMV_FORMAT_H_
