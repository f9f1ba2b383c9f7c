// SPDX-License-Identifier: Apache-2.0
// Tables of numbers in CSV files: one row a line, commas between, no heading. Numbers may stand in
// quotes and between blanks. A byte order mark at the beginning and empty lines at the end are
// skipped.
#ifndef OW_TENSOR_CSV_H_
#define OW_TENSOR_CSV_H_

#include <cstddef>
#include <string>
#include <vector>

namespace ow {

struct Table {
  size_t columns = 0;
  std::vector<double> values;  // row by row
  size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  double at(size_t row, size_t column) const { return values[row * columns + column]; }
};

// Plain or gzip-compressed. Row r is line r + 1. BadInput with file, line and column: anything that
// is no finite number, an empty line before the last row, a row whose length differs from the
// first, a last line without a line end (the file is cut short), more than `max_rows` rows or
// `max_columns` columns, a file of more than 2^32 bytes, a line of more than 2^26 bytes or of more
// than 32 bytes per column.
Table read_csv(const std::string& path, size_t max_rows, size_t max_columns);

}  // namespace ow

#endif  // OW_TENSOR_CSV_H_
