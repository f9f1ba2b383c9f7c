// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/measure/sparse.h"

namespace ow::bench {

CsrMatrix read_matrix_market(const std::string& path) {
  constexpr size_t kMaxBytes = size_t{1} << 30;
  std::istringstream in(read_bytes(path, kMaxBytes));
  std::string line;
  int number = 0;
  const auto fail = [&](const std::string& what) {
    throw BadInput(fmt::format("{}:{}: {}", path, number, what));
  };
  const auto next = [&] {
    while (std::getline(in, line)) {
      ++number;
      if (!line.empty() && line[0] != '%') return true;
    }
    return false;
  };
  if (!std::getline(in, line)) fail("empty file");
  number = 1;
  std::istringstream banner(line);
  std::string tag, object, form, field, symmetry;
  banner >> tag >> object >> form >> field >> symmetry;
  if (tag != "%%MatrixMarket" || object != "matrix" || form != "coordinate") {
    fail("not a Matrix Market coordinate file");
  }
  const bool pattern = field == "pattern";
  if (!pattern && field != "real" && field != "integer") fail("field must be real or pattern");
  const bool symmetric = symmetry == "symmetric";
  if (!symmetric && symmetry != "general") fail("must be general or symmetric");
  CsrMatrix m;
  size_t entries = 0;
  if (!next()) fail("sizes are missing");
  std::istringstream sizes(line);
  if (!(sizes >> m.rows >> m.cols >> entries) || m.rows == 0 || m.cols == 0) {
    fail("bad sizes");
  }
  if (m.cols > 65536) fail("more than 65,536 columns: indices have 16 bits");
  std::vector<std::vector<std::pair<uint32_t, double>>> rows(m.rows);  // (column, value)
  for (size_t k = 0; k < entries; ++k) {
    if (!next()) fail("entries are missing");
    std::istringstream entry(line);
    uint32_t i = 0;
    uint32_t j = 0;
    double v = 1;
    if (!(entry >> i >> j) || (!pattern && !(entry >> v)) || i == 0 || j == 0 || i > m.rows ||
        j > m.cols) {
      fail("bad entry");
    }
    if (v == 0) continue;
    rows[i - 1].emplace_back(j - 1, v);
    if (symmetric && i != j) rows[j - 1].emplace_back(i - 1, v);
  }
  for (auto& r : rows) {
    std::sort(r.begin(), r.end());
    for (const auto& [column, value] : r) {
      m.column.push_back(column);
      m.value.push_back(value);
    }
    m.row_start.push_back(m.column.size());
  }
  return m;
}

}  // namespace ow::bench
