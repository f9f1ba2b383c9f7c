// SPDX-License-Identifier: Apache-2.0
// The tensors of an ONNX file, as far as it is recognised.
#ifndef OW_IMPORT_ONNX_TENSOR_H_
#define OW_IMPORT_ONNX_TENSOR_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kinds.h"

namespace ow::exported {

struct Tensor {
  Array array;  // its numbers, for the drawn input
  // Of a constant, where it is from; of a view, its places in the value.
  std::string origin;
  std::shared_ptr<const Places> places;
  int value = -1;             // of a view
  std::set<int> leaves;       // of an open tensor: values. A constant has neither
  std::vector<View> views;    // what it was computed or moved from
  std::vector<View> product;  // queries and keys, if it comes of their product
  std::vector<const Node*> nodes;

  bool known() const { return value >= 0; }
  bool open() const { return !leaves.empty(); }
  bool constant() const { return !known() && !open(); }
  View view() const { return {value, array.shape, places}; }
};
using TensorInputs = std::vector<const Tensor*>;  // of a node; null: not given

// BadInput if an input is not given that the operator must have.
void check_inputs(const Node& node, const TensorInputs& inputs);

// 0 .. n - 1.
Places counted(size_t n);
std::shared_ptr<const Places> places_in(const Array& array);

std::shared_ptr<const Constant> constant_of(const Tensor& tensor);

// BadInput: names the node at which the part begins that an open tensor is of.
[[noreturn]] void refuse(const Tensor& tensor);

// What a node gives for its inputs' numbers.
std::vector<Array> numbers(const Node& node, const TensorInputs& inputs);
// The places of the elements of what it moves: its first input, of Concat all.
std::vector<Array> moved_places(const Node& node, const TensorInputs& inputs);
// What the views of an open tensor, the first input, are after its elements have moved.
std::vector<View> moved_views(const Node& node, const TensorInputs& inputs);

// Without those that are there already, up to a limit.
void add_views(const std::vector<View>& from, std::vector<View>* to);
// The last two axes in the other order.
View turned(const View& view);
// The one view that queries or keys are, if they were scaled.
std::optional<View> factor(const Tensor& t);

}  // namespace ow::exported

#endif  // OW_IMPORT_ONNX_TENSOR_H_
