// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/prints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <tuple>

#include "ow/base/error.h"

namespace ow {
namespace {

constexpr uint32_t kRecordWords = 8;
constexpr uint32_t kArguments = 6;

// A conversion of a format: "%-8.3lx" has flags "-", width "8", precision ".3" and letter 'x'.
struct Conversion {
  std::string options;  // flags, width and precision as C has them
  char letter = 0;      // 0: not one that is known
  size_t length = 0;    // of the text of the format
};

Conversion parse_conversion(std::string_view text) {
  Conversion c;
  size_t i = 1;
  const auto skip = [&](const char* set) {
    while (i < text.size() && std::strchr(set, text[i]) != nullptr) ++i;
  };
  skip("-+ #0");
  const size_t width = i;
  skip("0123456789");
  const size_t point = i;
  if (i < text.size() && text[i] == '.') ++i;
  skip("0123456789");
  // Three digits are enough; more would allow a text of any length.
  const bool sane = point - width <= 3 && i - point <= 4;
  c.options = std::string(text.substr(1, i - 1));
  skip("hlz");
  if (sane && i < text.size() && std::strchr("diuxXocpfFeEgGs%", text[i]) != nullptr) {
    c.letter = text[i];
    c.length = i + 1;
  }
  return c;
}

template <class T>
std::string print_c(const std::string& options, const char* letter, T value) {
  const std::string format = "%" + options + letter;
  char buffer[1100];  // a width or precision of 999 and the longest float
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int n = std::snprintf(buffer, sizeof(buffer), format.c_str(), value);
#pragma GCC diagnostic pop
  return {buffer, std::min(static_cast<size_t>(std::max(n, 0)), sizeof(buffer) - 1)};
}

// A constant string of the program.
std::string string_at(const ElfImage& image, uint32_t addr) {
  std::string text;
  for (;; ++addr) {
    const char c = static_cast<char>(image.loaded_word(addr & ~3u) >> (8 * (addr % 4)));
    if (c == 0) return text;
    text += c;
  }
}

std::string convert(const ElfImage& image, const Conversion& c, uint32_t word) {
  const char letter[2] = {c.letter, 0};
  switch (c.letter) {
    case 'd':
    case 'i':
    case 'c':
      return print_c(c.options, letter, static_cast<int32_t>(word));
    case 'p':
      return fmt::format("0x{:x}", word);
    case 's':
      return print_c(c.options, letter, string_at(image, word).c_str());
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return print_c(c.options, letter, word);
    default: {
      float value;
      std::memcpy(&value, &word, sizeof(value));
      return print_c(c.options, letter, static_cast<double>(value));
    }
  }
}

}  // namespace

std::string Print::line() const {
  return fmt::format("tile ({}, {}), cycle {}: {}", row, col, cycle, text);
}

std::string format_print(const ElfImage& image, const std::string& format,
                         const std::vector<uint32_t>& arguments) {
  std::string text;
  size_t next = 0;
  for (size_t i = 0; i < format.size();) {
    const Conversion c =
        format[i] == '%' ? parse_conversion(std::string_view(format).substr(i)) : Conversion{};
    if (c.letter == '%') {
      text += '%';
      i += c.length;
    } else if (c.letter != 0 && next < arguments.size()) {
      text += convert(image, c, arguments[next++]);
      i += c.length;
    } else {
      text += format[i++];
    }
  }
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

PrintReader::PrintReader(ControlPlane& control, const Rect& rect, const ElfImage& image)
    : control_(control), rect_(rect), image_(image) {
  const size_t tiles = static_cast<size_t>(rect.rows) * static_cast<size_t>(rect.cols);
  taken_.assign(tiles, 0);
  lost_.assign(tiles, 0);
  const auto& exports = image.exports();
  const auto ring = std::find_if(exports.begin(), exports.end(),
                                 [](const ElfExport& e) { return e.name == "ow_print_ring"; });
  if (ring == exports.end()) return;
  if (ring->type != ElementType::U32 || ring->dims.size() != 1 || ring->dims[0] <= kRecordWords ||
      ring->dims[0] % kRecordWords != 1) {
    throw BadInput(fmt::format("{}: ow_print_ring is {}: must be u32[1 + {} n]", image.path,
                               ring->shape(), kRecordWords));
  }
  ring_ = ring->addr;
  records_ = ring->dims[0] / kRecordWords;
}

uint64_t PrintReader::lost(const Rect& of) const {
  uint64_t lost = 0;
  for (size_t i = 0; i < lost_.size(); ++i) {
    if (overlap(of, tile(i))) lost += lost_[i];
  }
  return lost;
}

Rect PrintReader::tile(size_t i) const {
  const int n = static_cast<int>(i);
  return Rect{rect_.row + n / rect_.cols, rect_.col + n % rect_.cols, 1, 1};
}

void PrintReader::take_tile(size_t i, uint32_t to, std::vector<Print>* prints) {
  const auto [row, col, rows, cols] = tile(i);
  const uint32_t from = taken_[i];
  const std::vector<uint32_t> words =
      control_.read_tile(row, col, ring_ + 4, records_ * kRecordWords);
  // The tile keeps running while it is read. Records that it may have overwritten by now are lost.
  const uint32_t now = control_.read_tile(row, col, ring_);
  const uint32_t kept = now - from > records_ ? now - records_ : from;
  const uint32_t first = to - from < kept - from ? to : kept;
  lost_[i] += first - from;
  for (uint32_t n = first; n != to; ++n) {
    const auto record = words.begin() + static_cast<std::ptrdiff_t>(n % records_ * kRecordWords);
    Print p;
    p.row = row;
    p.col = col;
    p.cycle = record[1];
    p.text = format_print(image_, image_.format_string(record[0]),
                          {record + 2, record + 2 + kArguments});
    prints->push_back(std::move(p));
  }
}

std::vector<Print> PrintReader::take_prints(const Rect& of) {
  std::vector<Print> prints;
  if (ring_ == 0 || !overlap(of, rect_)) return prints;
  const std::vector<std::vector<uint32_t>> counts = control_.read_rect(rect_, ring_, 1);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (!overlap(of, tile(i))) continue;
    const uint32_t written = counts[i][0];
    if (written < taken_[i]) taken_[i] = 0;  // the program was started again
    if (written == taken_[i]) continue;
    take_tile(i, written, &prints);
    taken_[i] = written;
  }
  std::stable_sort(prints.begin(), prints.end(),
                   [](const Print& a, const Print& b) { return a.cycle < b.cycle; });
  return prints;
}

}  // namespace ow
