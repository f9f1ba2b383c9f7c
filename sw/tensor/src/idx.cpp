// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/idx.h"

#include <algorithm>

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/base/file.h"

namespace ow {
namespace {

struct Code {
  uint8_t code;
  TensorType type;
};
constexpr Code kCodes[] = {{0x08, TensorType::U8},  {0x09, TensorType::I8},
                           {0x0B, TensorType::I16}, {0x0C, TensorType::I32},
                           {0x0D, TensorType::F32}, {0x0E, TensorType::F64}};
constexpr size_t kMaxDimensions = 8;

}  // namespace

Tensor read_idx(const std::string& path, size_t limit) {
  const std::string file = read_bytes(path, limit);
  const auto byte = [&file](size_t k) { return static_cast<uint8_t>(file[k]); };
  if (file.size() < 4 || byte(0) != 0 || byte(1) != 0) {
    throw BadInput(path +
                   ": is no IDX file: it must begin with two zero bytes, a type and a "
                   "number of dimensions");
  }
  const auto* code = std::find_if(std::begin(kCodes), std::end(kCodes),
                                  [&](const Code& c) { return c.code == byte(2); });
  if (code == std::end(kCodes)) {
    throw BadInput(
        fmt::format("{}: type 0x{:02x} of the elements is not one of IDX", path, byte(2)));
  }
  const size_t dimensions = byte(3);
  if (dimensions < 1 || dimensions > kMaxDimensions) {
    throw BadInput(
        fmt::format("{}: {} dimensions: must be 1 to {}", path, dimensions, kMaxDimensions));
  }
  const size_t begin = 4 + 4 * dimensions;
  if (file.size() < begin) throw BadInput(path + ": is cut short in its dimensions");
  Tensor t;
  t.type = code->type;
  const size_t size = type_bytes(t.type);
  const size_t there = file.size() - begin;
  uint64_t wanted = size;  // in bytes; it stops growing once it is beyond the file
  for (size_t k = 0; k < dimensions; ++k) {
    uint64_t n = 0;
    for (size_t b = 0; b < 4; ++b) n = n << 8 | byte(4 + 4 * k + b);
    t.shape.push_back(n);
  }
  const bool empty = std::find(t.shape.begin(), t.shape.end(), 0u) != t.shape.end();
  for (const uint64_t n : t.shape) {
    if (wanted <= there) wanted *= n;
  }
  if (empty) wanted = 0;
  if (wanted != there) {
    throw BadInput(
        fmt::format("{}: {} of shape {} does not take the {} bytes that are there: cut "
                    "short, or damaged",
                    path, type_name(t.type), t.shape_text(), there));
  }
  t.bytes.resize(there);
  for (size_t k = 0; k < there; ++k) {
    t.bytes[k] = byte(begin + k / size * size + (size - 1 - k % size));
  }
  return t;
}

}  // namespace ow
