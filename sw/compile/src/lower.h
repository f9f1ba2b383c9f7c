// SPDX-License-Identifier: Apache-2.0
// Turns a graph of layers into what the tiles' programs run: streamed passes one after another,
// each with a function of its outputs, and a loss after the last.
#ifndef OW_COMPILE_SRC_LOWER_H_
#define OW_COMPILE_SRC_LOWER_H_

#include <string>
#include <vector>

#include "ow/tensor/graph.h"

namespace ow::jobs {

// The features of each layer's tensor. BadInput, which begins with the layer's place, if tensors do
// not fit their kind.
std::vector<int> features_of(const Graph& graph);

struct Lowered {
  std::vector<LayerShape> layers;
  std::string loss;  // its kind; empty: none
};

// BadInput, as above, if no program of the tiles can run the graph: a kind without a program, a
// tensor that several layers or none take, or an activation or loss that does not follow a streamed
// layer.
Lowered lower(const Graph& graph);

}  // namespace ow::jobs

#endif  // OW_COMPILE_SRC_LOWER_H_
