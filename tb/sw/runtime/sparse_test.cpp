// SPDX-License-Identifier: Apache-2.0
// A user's program with a sparse matrix: packed by the library, multiplied by the tiles.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "openwafer/openwafer.h"
#include "random_matrix.h"

namespace ow {
namespace {

// Larger than one tile: each tile of a row gets a part of its own, and all of them the same x.
TEST(Library, MultipliesASparseMatrixThatItPacks) {
  constexpr uint32_t kWords = 1024, kLongest = 256;  // as sparse_kernel.c has them
  Rng rng(7);
  const CsrMatrix matrix = random_matrix(&rng, 200);
  std::vector<f16> x;
  for (uint32_t c = 0; c < matrix.cols; ++c) x.push_back(f16(rng.uniform() - 0.5));

  SpmvRoom room;
  room.image_bytes = 4 * kWords;
  room.rows = kLongest;
  const SpmvPlan plan = pack_spmv(matrix, ElementType::F16, room);
  const int tiles = static_cast<int>(plan.parts.size());
  ASSERT_GT(tiles, 1);
  Runtime machine = open("sim:1x" + std::to_string(tiles));
  ow::Run run = machine.load(Program(OW_KERNEL_DIR "/sparse_kernel.elf"));
  std::vector<uint32_t> images;
  for (const SpmvPart& part : plan.parts) {
    const std::vector<uint32_t> image = part.image(kWords);
    images.insert(images.end(), image.begin(), image.end());
  }
  run.write("matrix", images);
  run.write("x", plan.place_x(x), Mapping::same().with_shape({matrix.cols}));
  run.launch("multiply").wait();
  std::vector<double> y;
  for (int t = 0; t < tiles; ++t) {
    plan.place_y(plan.parts[static_cast<size_t>(t)],
                 run.read<f16>("y", Mapping::tiles().on_tiles({0, t, 1, 1})), &y);
  }

  ASSERT_EQ(y.size(), matrix.rows);
  for (uint32_t r = 0; r < matrix.rows; ++r) {
    double sum = 0, size = 0;
    for (size_t k = matrix.row_start[r]; k < matrix.row_start[r + 1]; ++k) {
      const double term = matrix.value[k] * static_cast<double>(x[matrix.column[k]]);
      sum += term;
      size += std::abs(term);
    }
    // Values and results are rounded to binary16 once each.
    EXPECT_NEAR(y[r], sum, 0x1.2p-10 * size + 0x1p-24) << "row " << r;
  }
}

}  // namespace
}  // namespace ow
