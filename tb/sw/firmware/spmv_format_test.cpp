// SPDX-License-Identifier: Apache-2.0
// The host's sparse format: all of a matrix within the room of its tiles, and its files.
#include "ow/measure/spmv_format.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "ow/base/error.h"
#include "random_matrix.h"

namespace ow::bench {
namespace {

TEST(SpmvFormat, HoldsTheWholeMatrixWithinTheRoom) {
  Rng rng(5);
  const SparseMatrix m = random_matrix(&rng, 300);
  for (const golden::Type type : {golden::Type::Mixed, golden::Type::F32}) {
    const SpmvPlan plan = make_spmv_plan(m, type, 4096, 6000, 1024);
    size_t nonzeros = 0;
    uint32_t rows = 0;
    for (const SpmvTile& tile : plan.tiles) {
      EXPECT_LE(4 * tile.words.size(), 6000u);
      EXPECT_EQ(tile.first_row, rows);
      rows += tile.y_elements;
      nonzeros += tile.nonzeros;
    }
    EXPECT_EQ(rows, m.rows);
    EXPECT_EQ(nonzeros, m.nonzeros());
    EXPECT_GT(plan.tiles.size(), 1u);
  }
}

TEST(SpmvFormat, ReadsTheMatricesOfTheBench) {
  const SparseMatrix bus =
      read_matrix_market(std::string(OW_SOURCE_DIR) + "/data/matrices/494_bus.mtx.gz");
  EXPECT_EQ(bus.rows, 494u);
  EXPECT_EQ(bus.nonzeros(), 1666u);
  const SparseMatrix dwt =
      read_matrix_market(std::string(OW_SOURCE_DIR) + "/data/matrices/dwt_992.mtx.gz");
  EXPECT_EQ(dwt.nonzeros(), 16744u);
  EXPECT_THROW(read_matrix_market("no such file"), BadInput);
}

TEST(SpmvFormat, RefusesBadFiles) {
  const std::string path = ::testing::TempDir() + "bad.mtx";
  const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
  const auto message = [&] {
    try {
      read_matrix_market(path);
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  write("");
  EXPECT_NE(message().find("empty"), std::string::npos);
  write("%%MatrixMarket matrix array real general\n2 2\n");
  EXPECT_NE(message().find(":1:"), std::string::npos);
  write("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n");
  EXPECT_NE(message().find(":3: bad entry"), std::string::npos);
  write("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n");
  EXPECT_NE(message().find("entries are missing"), std::string::npos);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace ow::bench
