// SPDX-License-Identifier: Apache-2.0
// What the operators share.
#ifndef OW_IMPORT_ONNX_OPERATOR_PARTS_H_
#define OW_IMPORT_ONNX_OPERATOR_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "exported.h"

namespace ow::exported {

using Shape = std::vector<int64_t>;
using Inputs = std::vector<const Array*>;
using Outputs = std::vector<Array>;
using Operator = std::function<Outputs(const Node&, const Inputs&)>;

constexpr size_t kMaxElements = size_t{1} << 28;  // of an array

// BadInput: above the most elements.
size_t count_of(const Node& node, const Shape& shape);
// Of zeros.
Array array(const Node& node, Shape shape, bool whole = false);
const Array& input(const Node& node, const Inputs& inputs, size_t k);
inline bool given(const Inputs& inputs, size_t k) {
  return k < inputs.size() && inputs[k] != nullptr;
}
// "To the end" is the largest 64-bit number, which no double holds: it becomes 9e15.
Shape whole_numbers(const Array& a);
size_t axis_of(const Node& node, int64_t axis, int64_t rank);
// The axes in an attribute, or in an input.
std::set<size_t> axes_of(const Node& node, const Inputs& inputs, size_t k, int64_t rank);
// That two shapes are broadcast to.
Shape joined_shape(const Node& node, const Shape& a, const Shape& b);

// Sizes before, at and after an axis.
struct Around {
  Around(const Shape& shape, size_t axis) {
    for (size_t k = 0; k < shape.size(); ++k) {
      size_t& part = k < axis ? before : k == axis ? size : after;
      part *= static_cast<size_t>(shape[k]);
    }
  }
  size_t before = 1, size = 1, after = 1;
};

// Those that move elements.
const std::map<std::string, Operator>& moving_operators();

}  // namespace ow::exported

#endif  // OW_IMPORT_ONNX_OPERATOR_PARTS_H_
