// SPDX-License-Identifier: Apache-2.0
#include "parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ow/base/error.h"
#include "ow/base/text.h"
#include "tensor.h"

namespace ow::exported {
namespace {

// The tensor of the module, with the one part of it that these rows and columns are.
ModuleTensor place_of(const Constant& c, const std::vector<uint64_t>& shape, const Node& node,
                      const Places& rows, const Places& columns) {
  const auto all_rows = static_cast<size_t>(c.array.shape[0]);
  const auto all_columns = static_cast<size_t>(c.array.shape[1]);
  ModuleTensor tensor{c.origin, shape, false, {{"", rows, columns}}};
  ModulePart& part = tensor.parts.front();
  if (shape.size() == 1 && all_columns == 1) {
    for (size_t& row : part.rows) row = c.places[row];
    return tensor;
  }
  const auto refuse = [&] {
    node.fail(fmt::format("uses the parameter '{}' in an order that no module has",
                          printable_text(c.origin)));
  };
  if (!is_matrix(shape)) refuse();
  const size_t wide = shape.back();
  const auto at = [&](size_t r, size_t k) { return c.places[r * all_columns + k]; };
  tensor.transposed = all_columns > 1 ? at(0, 0) / wide != at(0, 1) / wide
                                      : all_rows > 1 && at(0, 0) / wide == at(1, 0) / wide;
  const auto row_at = [&](size_t p) { return tensor.transposed ? p % wide : p / wide; };
  const auto column_at = [&](size_t p) { return tensor.transposed ? p / wide : p % wide; };
  for (size_t r = 0; r < all_rows; ++r) {
    for (size_t k = 0; k < all_columns; ++k) {
      if (row_at(at(r, k)) != row_at(at(r, 0)) || column_at(at(r, k)) != column_at(at(0, k))) {
        refuse();
      }
    }
  }
  for (size_t& row : part.rows) row = row_at(at(row, 0));
  for (size_t& column : part.columns) column = column_at(at(0, column));
  return tensor;
}

}  // namespace

std::string scope(const Node& node) {
  std::string name = node.name.substr(0, node.name.rfind('/') + 1);
  std::replace(name.begin(), name.end(), '/', '.');
  const size_t first = name.find_first_not_of('.');
  const size_t last = name.find_last_not_of('.');
  return first == std::string::npos ? "" : name.substr(first, last - first + 1);
}

bool named(const Constant& c) {
  return !c.origin.empty() && c.origin.rfind("onnx::", 0) != 0 && !c.places.empty();
}

std::string tensor_name(const Constant& c, const Node& node, const char* suffix) {
  if (named(c)) return c.origin;
  const std::string module = scope(node);
  return module.empty() ? suffix : module + "." + suffix;
}

Constant column(const Constant& c) {
  Constant out = c;
  out.array.shape = {static_cast<int64_t>(c.array.elements()), 1};
  return out;
}

ModuleTensor& Parameters::tensor_of(const Node& node, ModuleTensor wanted) {
  for (ModuleTensor& tensor : map) {
    if (tensor.name != wanted.name) continue;
    if (tensor.shape != wanted.shape || tensor.transposed != wanted.transposed) {
      node.fail(fmt::format("uses the parameter '{}' in another form than a node above",
                            printable_text(wanted.name)));
    }
    return tensor;
  }
  wanted.parts.clear();
  map.push_back(std::move(wanted));
  return map.back();
}

std::string Parameters::add(const std::string& name, const Constant& c, const Node& node,
                            const char* suffix, const Places& rows, const Places& columns) {
  const auto wide = static_cast<size_t>(c.array.shape[1]);
  ModuleTensor wanted{tensor_name(c, node, suffix),
                      {static_cast<uint64_t>(c.array.shape[0]), wide},
                      false,
                      {{name, rows, columns}}};
  if (named(c)) {
    const auto& shape = values_.constants.at(c.origin).shape;
    wanted = place_of(c, {shape.begin(), shape.end()}, node, rows, columns);
  } else if (columns == Places{0} && wide == 1) {
    wanted.shape.pop_back();  // a vector
  }
  ModulePart part = wanted.parts.front();
  part.parameter = name;
  ModuleTensor& tensor = tensor_of(node, std::move(wanted));
  for (const ModulePart& other : tensor.parts) {
    if (other.rows == part.rows && other.columns == part.columns) return other.parameter;
  }
  tensor.parts.push_back(std::move(part));
  std::vector<float>& numbers = values[name];
  for (const size_t r : rows) {
    for (const size_t k : columns) {
      numbers.push_back(static_cast<float>(c.array.data[r * wide + k]));
    }
  }
  return "";
}

Constant Parameters::whole(const Constant& c) const {
  Constant out;
  out.array = values_.constants.at(c.origin);
  out.origin = c.origin;
  out.places = counted(out.array.elements());
  return out;
}

bool Parameters::has(const std::string& tensor) const {
  return std::any_of(map.begin(), map.end(),
                     [&](const ModuleTensor& known) { return known.name == tensor; });
}

std::string Parameters::table_of(const Constant& c, const Places& rows,
                                 const Places& columns) const {
  if (named(c) || rows != counted(rows.size()) || columns != counted(columns.size())) return "";
  for (const Value& value : values_.all) {
    if (value.kind != Value::Kind::Embedding || value.first->array.shape != c.array.shape ||
        value.first->array.data != c.array.data) {
      continue;
    }
    for (const ModuleTensor& tensor : map) {
      if (tensor.name == value.first->origin) return tensor.parts.front().parameter;
    }
  }
  return "";
}

void Parameters::check() const {
  for (const ModuleTensor& tensor : map) {
    size_t count = 1, parts = 0;
    for (const uint64_t size : tensor.shape) count *= size;
    for (const ModulePart& part : tensor.parts) parts += part.rows.size() * part.columns.size();
    if (parts == count) continue;
    throw BadInput(fmt::format("{}: of the {} numbers of the parameter '{}' the network uses {}",
                               values_.file, count, printable_text(tensor.name), parts));
  }
}

}  // namespace ow::exported
