// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/dataset.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "ow/error.h"

namespace ow::golden {
namespace {

// A row of 65 values of at most two digits is below 200 bytes; a file much longer than the expected
// rows is not read to its end.
constexpr size_t kMaxRowBytes = 512;

struct Closer {
  void operator()(gzFile_s* file) const { gzclose_r(file); }
};

std::string read_all(const std::string& path, size_t limit) {
  errno = 0;
  std::unique_ptr<gzFile_s, Closer> file(gzopen(path.c_str(), "rb"));
  if (!file) {
    throw BadInput(path +
                   ": cannot be opened: " + (errno != 0 ? std::strerror(errno) : "out of memory"));
  }
  std::string text;
  char buffer[1 << 16];
  while (true) {
    const int n = gzread(file.get(), buffer, sizeof buffer);
    int code = Z_OK;
    const char* message = gzerror(file.get(), &code);
    if (n < 0 || (code != Z_OK && code != Z_STREAM_END)) {
      if (code == Z_BUF_ERROR) {
        throw BadInput(path + ": the compressed data end too early: the file is truncated after " +
                       std::to_string(text.size()) + " bytes of text");
      }
      throw BadInput(path +
                     ": cannot be read: " + (code == Z_ERRNO ? std::strerror(errno) : message));
    }
    if (n == 0) break;
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > limit) {
      throw BadInput(path + ": holds more than " + std::to_string(limit) +
                     " bytes of text, the limit for the rows asked for");
    }
  }
  return text;
}

}  // namespace

std::vector<Digit> load_digits(const std::string& path, size_t rows) {
  const std::string text = read_all(path, rows * kMaxRowBytes);
  std::vector<Digit> digits;
  digits.reserve(rows);
  size_t pos = 0;
  while (pos < text.size()) {
    const std::string where = path + ":" + std::to_string(digits.size() + 1) + ": ";
    if (digits.size() == rows) {
      throw BadInput(path + ": more than " + std::to_string(rows) + " rows");
    }
    size_t end = text.find('\n', pos);
    if (end == std::string::npos) {
      throw BadInput(where + "the last row has no end of line: the file is truncated");
    }
    const size_t next = end + 1;
    if (end > pos && text[end - 1] == '\r') --end;
    Digit digit;
    int column = 0;
    while (true) {
      const size_t begin = pos;
      int value = 0;
      while (pos < end && text[pos] >= '0' && text[pos] <= '9' && pos - begin < 4) {
        value = value * 10 + (text[pos] - '0');
        ++pos;
      }
      if (pos == begin || (pos < end && text[pos] != ',')) {
        throw BadInput(where + "column " + std::to_string(column + 1) +
                       " is not a whole number of at most 4 digits");
      }
      if (column > kDigitPixels) {
        throw BadInput(where + "more than 65 columns (64 pixels and a label)");
      }
      if (column < kDigitPixels) {
        if (value > kDigitMaxPixel) {
          throw BadInput(where + "pixel " + std::to_string(value) + " in column " +
                         std::to_string(column + 1) + " is not in 0..16");
        }
        digit.pixels[static_cast<size_t>(column)] = static_cast<uint8_t>(value);
      } else {
        if (value >= kDigitClasses) {
          throw BadInput(where + "label " + std::to_string(value) + " is not in 0..9");
        }
        digit.label = static_cast<uint8_t>(value);
      }
      ++column;
      if (pos == end) break;
      ++pos;  // the comma
    }
    if (column != kDigitPixels + 1) {
      throw BadInput(where + std::to_string(column) + " columns, not 65 (64 pixels and a label)");
    }
    digits.push_back(digit);
    pos = next;
  }
  if (digits.size() != rows) {
    throw BadInput(path + ": " + std::to_string(digits.size()) + " rows, not " +
                   std::to_string(rows) + ": the file is truncated");
  }
  return digits;
}

}  // namespace ow::golden
