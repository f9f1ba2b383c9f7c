// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow {

Table read_csv(const std::string& path, size_t max_rows, size_t max_columns) {
  // A sensible number is not longer than this, including its comma.
  constexpr size_t kBytesANumber = 32;
  // A file of up to this size is read whole, so the error can say how many rows are too many. It is
  // also the least limit of a line.
  constexpr size_t kAlwaysRead = size_t{1} << 26;
  constexpr size_t kMaxBytes = size_t{1} << 32;
  const size_t row_bytes = max_columns * kBytesANumber;
  const size_t most = max_rows < kMaxBytes / row_bytes ? max_rows * row_bytes : kMaxBytes;
  const std::string text =
      read_bytes(path, std::max(kAlwaysRead, most), std::max(kAlwaysRead, row_bytes));
  Table table;
  size_t row = 0;
  for (size_t pos = 0; pos < text.size(); ++row) {
    const auto fail = [&](const std::string& what) {
      throw BadInput(fmt::format("{}:{}: {}", path, row + 1, what));
    };
    if (row == max_rows) throw BadInput(fmt::format("{}: more than {} rows", path, max_rows));
    const size_t newline = text.find('\n', pos);
    if (newline == std::string::npos) {
      fail("the last row has no end of line: the file is truncated");
    }
    const size_t end = newline > pos && text[newline - 1] == '\r' ? newline - 1 : newline;
    size_t column = 0;
    while (true) {
      if (column == (row == 0 ? max_columns : table.columns)) {
        fail(fmt::format("more than {} columns", column));
      }
      ++column;
      double value = 0;
      const auto [next, error] = std::from_chars(text.data() + pos, text.data() + end, value);
      const size_t stop = static_cast<size_t>(next - text.data());
      if (error != std::errc() || !std::isfinite(value) || (stop < end && text[stop] != ',')) {
        fail(fmt::format("column {} is no number", column));
      }
      table.values.push_back(value);
      pos = stop + 1;
      if (stop == end) break;
    }
    if (row == 0) table.columns = column;
    if (column != table.columns) fail(fmt::format("{} columns, not {}", column, table.columns));
    pos = newline + 1;
  }
  return table;
}

}  // namespace ow
