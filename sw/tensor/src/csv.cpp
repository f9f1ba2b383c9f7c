// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/text.h"

namespace ow {
namespace {

std::string_view without_blanks(std::string_view text) {
  constexpr const char* kBlanks = " \t";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

// A field without the blanks and the quotes around it.
std::string_view stripped(std::string_view field) {
  field = without_blanks(field);
  const bool quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quoted ? without_blanks(field.substr(1, field.size() - 2)) : field;
}

// The number of a field, or nothing. from_chars knows no plus sign, and a number that is too small
// for a double is an error to it.
std::optional<double> number_of(std::string_view field) {
  const bool plus = field.size() > 1 && field[0] == '+' && field[1] != '-';
  if (plus) field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (end != field.data() + field.size() || error == std::errc::invalid_argument) return {};
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(field).c_str(), nullptr);
  }
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string refusal(size_t column, std::string_view field) {
  if (field.empty()) return fmt::format("column {} is empty", column);
  const bool separator = field.find_first_of("; \t") != std::string_view::npos;
  return fmt::format("column {} is no number: '{}'{}", column, printable_text(std::string(field)),
                     separator ? " (commas stand between columns)" : "");
}

// The contents, of which a byte order mark and empty lines at the end are no part.
std::string_view contents_of(const std::string& path, const std::string& text) {
  std::string_view contents = text;
  if (contents.substr(0, 3) == "\xef\xbb\xbf") contents.remove_prefix(3);
  const std::string_view mark = contents.substr(0, 2);
  if (mark == "\xff\xfe" || mark == "\xfe\xff") {
    throw BadInput(path + ": is UTF-16 text: must be UTF-8");
  }
  const size_t last = contents.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return {};
  if (contents.find('\n') == std::string_view::npos && contents.find('\r') < last) {
    throw BadInput(path + ": its lines end with CR alone: must be LF or CR LF");
  }
  const size_t end = contents.find('\n', last);
  return end == std::string_view::npos ? contents : contents.substr(0, end + 1);
}

}  // namespace

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
  const std::string_view rows = contents_of(path, text);
  Table table;
  size_t row = 0;
  for (size_t pos = 0; pos < rows.size(); ++row) {
    const auto fail = [&](const std::string& what) {
      throw BadInput(fmt::format("{}:{}: {}", path, row + 1, what));
    };
    if (row == max_rows) throw BadInput(fmt::format("{}: more than {} rows", path, max_rows));
    const size_t newline = rows.find('\n', pos);
    if (newline == std::string_view::npos) {
      fail("the last row has no end of line: the file is truncated");
    }
    const size_t end = newline > pos && rows[newline - 1] == '\r' ? newline - 1 : newline;
    const std::string_view line = rows.substr(pos, end - pos);
    if (line.find_first_not_of(" \t") == std::string_view::npos) fail("is empty");
    size_t column = 0;
    for (size_t at = 0; at <= line.size(); ++column) {
      if (column == (row == 0 ? max_columns : table.columns)) {
        fail(fmt::format("more than {} columns", column));
      }
      const size_t comma = std::min(line.find(',', at), line.size());
      const std::string_view field = stripped(line.substr(at, comma - at));
      const std::optional<double> value = number_of(field);
      if (!value) fail(refusal(column + 1, field));
      table.values.push_back(*value);
      at = comma + 1;
    }
    if (row == 0) table.columns = column;
    if (column != table.columns) fail(fmt::format("{} columns, not {}", column, table.columns));
    pos = newline + 1;
  }
  return table;
}

}  // namespace ow
