// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <utility>

#include "ow/base/error.h"
#include "ow/base/text.h"

namespace ow {
namespace {

using Values = std::vector<uint16_t>;

[[noreturn]] void fail(const std::string& path, const std::string& name, const std::string& what) {
  throw BadInput(fmt::format("{}: tensor '{}' {}", path, printable_text(name, 60), what));
}

Values transposed(const Values& from, size_t rows, size_t columns) {
  Values to(from.size());
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
  }
  return to;
}

// Rows 2 i and 2 i + 1 of each head become its rows i and i + size / 2.
Values halves_of_neighbours(const Values& from, size_t size, size_t columns) {
  Values to(from.size());
  for (size_t row = 0; row < from.size() / columns; ++row) {
    const size_t k = row % size, half = k % 2 == 0 ? 0 : size / 2;
    const size_t at = (row - k + half + k / 2) * columns;
    for (size_t c = 0; c < columns; ++c) to[at + c] = from[row * columns + c];
  }
  return to;
}

void check(const TensorSource& source, const ModelPart& part, const std::string& asker) {
  const auto found = source.tensors().find(part.name);
  if (found == source.tensors().end()) {
    fail(source.path(), part.name, "is missing: " + names_text(source.tensors()));
  }
  const Tensor& tensor = found->second;
  if (tensor.shape != part.shape) {
    Tensor wanted;
    wanted.shape = part.shape;
    fail(source.path(), part.name,
         fmt::format("has the shape {}, {} asks for {}", tensor.shape_text(), asker,
                     wanted.shape_text()));
  }
  switch (tensor.type) {
    case TensorType::F16:
    case TensorType::BF16:
    case TensorType::F32:
    case TensorType::F64:
      return;
    default:
      fail(source.path(), part.name,
           fmt::format("is {}, must be F16, BF16, F32 or F64", type_name(tensor.type)));
  }
}

}  // namespace

void place_values(const ModelPart& part, Values values) {
  if (part.transposed) values = transposed(values, part.shape[0], part.shape[1]);
  const size_t inputs = part.transposed ? part.shape[0] : part.shape.back();
  if (part.neighbours > 0) {
    values = halves_of_neighbours(values, static_cast<size_t>(part.neighbours), inputs);
  }
  if (part.values.size() == 1) {
    *part.values[0] = std::move(values);
    return;
  }
  const auto each = static_cast<std::ptrdiff_t>(values.size() / part.values.size());
  auto from = values.begin();
  for (Values* to : part.values) {
    to->assign(from, from + each);
    from += each;
  }
}

void check_finite(const std::string& path, const std::string& name, HalfType type,
                  const Values& values) {
  for (size_t k = 0; k < values.size(); ++k) {
    if (half_is_finite(type, values[k])) continue;
    fail(path, name,
         fmt::format("holds a number that is not finite in {}, at {}", half_name(type), k));
  }
}

void read_parts(const TensorSource& source, const std::vector<ModelPart>& parts, HalfType type,
                const std::string& asker, const std::function<bool(const std::string&)>& ignored) {
  std::set<std::string> known;
  for (const ModelPart& part : parts) {
    check(source, part, asker);
    known.insert(part.name);
  }
  for (const auto& [name, tensor] : source.tensors()) {
    if (known.count(name) == 0 && !ignored(name)) {
      fail(source.path(), name, "is not one of the model's");
    }
  }
  for (const ModelPart& part : parts) {
    Values values = source.read(part.name, type);
    check_finite(source.path(), part.name, type, values);
    place_values(part, std::move(values));
  }
}

}  // namespace ow
