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

// The ring: a count of complete records, a count of those that were begun, the records.
constexpr uint32_t kBegun = 1, kRecords = 2;  // words
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
      ring->dims[0] % kRecordWords != kRecords) {
    throw BadInput(fmt::format("{}: ow_print_ring is {}: must be u32[{} + {} n]", image.path,
                               ring->shape(), kRecords, kRecordWords));
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

// `begun` was read after the words of the ring: records that the tile may have overwritten by then
// are lost.
void PrintReader::take_tile(size_t i, uint32_t to, const std::vector<uint32_t>& ring,
                            uint32_t begun, std::vector<Print>* prints) {
  const Rect at = tile(i);
  const uint32_t from = taken_[i];
  const uint32_t kept = begun - from > records_ ? begun - records_ : from;
  const uint32_t first = to - from < kept - from ? to : kept;
  lost_[i] += first - from;
  for (uint32_t n = first; n != to; ++n) {
    const auto record = ring.begin() + static_cast<std::ptrdiff_t>(n % records_ * kRecordWords);
    Print p;
    p.row = at.row;
    p.col = at.col;
    p.cycle = record[1];
    p.text = format_print(image_, image_.format_string(record[0]),
                          {record + 2, record + 2 + kArguments});
    prints->push_back(std::move(p));
  }
  taken_[i] = to;
}

std::vector<Print> PrintReader::take_prints(const Rect& of) {
  std::vector<Print> prints;
  if (ring_ == 0 || !overlap(of, rect_)) return prints;
  const std::vector<std::vector<uint32_t>> counts = control_.read_rect(rect_, ring_, 1);
  std::vector<size_t> printed;  // tiles with new records
  std::vector<ControlPlane::ReadRequest> reads;
  for (size_t i = 0; i < counts.size(); ++i) {
    const Rect at = tile(i);
    if (!overlap(of, at)) continue;
    if (counts[i][0] < taken_[i]) taken_[i] = 0;  // the program was started again
    if (counts[i][0] == taken_[i]) continue;
    printed.push_back(i);
    // A tile answers in this order. It keeps running meanwhile.
    reads.push_back({at.row, at.col, ring_ + 4 * kRecords, records_ * kRecordWords});
    reads.push_back({at.row, at.col, ring_ + 4 * kBegun, 1});
  }
  const std::vector<std::vector<uint32_t>> words = control_.read_many(reads);
  for (size_t k = 0; k < printed.size(); ++k) {
    take_tile(printed[k], counts[printed[k]][0], words[2 * k], words[2 * k + 1][0], &prints);
  }
  std::stable_sort(prints.begin(), prints.end(),
                   [](const Print& a, const Print& b) { return a.cycle < b.cycle; });
  return prints;
}

}  // namespace ow
