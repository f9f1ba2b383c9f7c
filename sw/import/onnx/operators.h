// SPDX-License-Identifier: Apache-2.0
// What the operators of ONNX compute, in double. It folds constants, and gives the numbers by which
// a part of a graph is recognised.
#ifndef OW_IMPORT_ONNX_OPERATORS_H_
#define OW_IMPORT_ONNX_OPERATORS_H_

#include <vector>

#include "exported.h"

namespace ow::exported {

// The node's outputs. A null input is not given. BadInput, by Node::fail: an operator that is not
// known; shapes that do not fit; more elements than 2^28.
std::vector<Array> evaluate(const Node& node, const std::vector<const Array*>& inputs);

// Whether an operator only moves the elements of its first input (of all of them: Concat).
bool moves(const Node& node);

// Index of an element of `from` in an array of the shape `to`, to which it is broadcast: one for
// each element of `to`.
std::vector<size_t> broadcast(const Node& node, const std::vector<int64_t>& from,
                              const std::vector<int64_t>& to);

}  // namespace ow::exported

#endif  // OW_IMPORT_ONNX_OPERATORS_H_
