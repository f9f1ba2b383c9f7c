// SPDX-License-Identifier: Apache-2.0
// Reader of the handwritten digits (data/optdigits).
#ifndef OW_GOLDEN_DATASET_H_
#define OW_GOLDEN_DATASET_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ow::golden {

constexpr int kDigitPixels = 64;
constexpr int kDigitMaxPixel = 16;
constexpr int kDigitClasses = 10;

struct Digit {
  std::array<uint8_t, kDigitPixels> pixels{};  // 0..16, row by row
  uint8_t label = 0;                           // 0..9
};

// Reads a CSV file, gzip-compressed or plain, of exactly `rows` rows of 64 pixels and a label.
// Throws BadInput, one line with the file, the line and the limit, if it is missing, damaged,
// truncated, or a row has another number of columns or a value out of range.
std::vector<Digit> load_digits(const std::string& path, size_t rows);

}  // namespace ow::golden

#endif  // OW_GOLDEN_DATASET_H_
