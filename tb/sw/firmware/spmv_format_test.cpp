// SPDX-License-Identifier: Apache-2.0
// Packed sparse matrices: all of a matrix within the room of its parts; files of matrices.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include "openwafer/sparse.h"
#include "ow/base/error.h"
#include "ow/measure/sparse.h"
#include "random_matrix.h"

namespace ow::bench {
namespace {

TEST(SpmvFormat, HoldsTheWholeMatrixWithinTheRoom) {
  Rng rng(5);
  const CsrMatrix m = random_matrix(&rng, 300);
  SpmvRoom together, apart;
  together.bytes = 6000;
  apart.image_bytes = 5000;
  apart.rows = 80;
  for (const ElementType type : {ElementType::F16, ElementType::F32}) {
    for (const SpmvRoom& room : {together, apart}) {
      const SpmvPlan plan = pack_spmv(m, type, room);
      size_t entries = 0;
      uint32_t rows = 0;
      for (const SpmvPart& part : plan.parts) {
        EXPECT_LE(4 * part.words.size(), room.image_bytes);
        EXPECT_LE(4 * part.words.size() + part.rows * element_bytes(type), room.bytes);
        EXPECT_LE(part.rows, room.rows);
        EXPECT_EQ(part.first_row, rows);
        rows += part.rows;
        entries += part.entries;
      }
      EXPECT_EQ(rows, m.rows);
      EXPECT_EQ(entries, m.value.size());
      EXPECT_GT(plan.parts.size(), 1u);
    }
    EXPECT_EQ(pack_spmv(m, type, {}).parts.size(), 1u);
  }
}

TEST(SpmvFormat, RefusesWhatIsNoMatrix) {
  const auto refused = [](const std::function<void(CsrMatrix*)>& change, SpmvRoom room = {}) {
    CsrMatrix m;
    m.rows = m.cols = 2;
    m.row_start = {0, 1, 3};
    m.column = {0, 0, 1};
    m.value = {1, 2, 3};
    change(&m);
    try {
      pack_spmv(m, ElementType::F16, room);
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refused([](CsrMatrix*) {}), "nothing");
  EXPECT_NE(refused([](CsrMatrix* m) { m->rows = 0; }).find("empty"), std::string::npos);
  EXPECT_NE(refused([](CsrMatrix* m) { m->cols = 65537; }).find("65,536"), std::string::npos);
  EXPECT_NE(refused([](CsrMatrix* m) { m->rows = 3; }).find("must be 4"), std::string::npos);
  EXPECT_NE(refused([](CsrMatrix* m) { m->row_start[1] = 4; }).find("ascend"), std::string::npos);
  EXPECT_NE(refused([](CsrMatrix* m) { m->value.pop_back(); }).find("2 values"), std::string::npos);
  EXPECT_NE(refused([](CsrMatrix* m) { m->column[2] = 2; }).find("column 2 of 2"),
            std::string::npos);
  EXPECT_NE(refused([](CsrMatrix* m) {
              m->value[1] = std::numeric_limits<double>::infinity();
            }).find("entry 1 is not finite"),
            std::string::npos);
  SpmvRoom small;
  small.bytes = 64;
  EXPECT_NE(refused([](CsrMatrix*) {}, small).find("row 1 has 2 entries"), std::string::npos);
  EXPECT_THROW(pack_spmv(CsrMatrix{}, ElementType::I16, {}), BadInput);
}

TEST(SpmvFormat, ReadsTheMatricesOfTheBench) {
  const CsrMatrix bus =
      read_matrix_market(std::string(OW_SOURCE_DIR) + "/data/matrices/494_bus.mtx.gz");
  EXPECT_EQ(bus.rows, 494u);
  EXPECT_EQ(bus.value.size(), 1666u);
  const CsrMatrix dwt =
      read_matrix_market(std::string(OW_SOURCE_DIR) + "/data/matrices/dwt_992.mtx.gz");
  EXPECT_EQ(dwt.value.size(), 16744u);
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
