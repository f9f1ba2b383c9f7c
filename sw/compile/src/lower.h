// SPDX-License-Identifier: Apache-2.0
// Turns a graph into what the tiles' programs run: streamed passes one after another,
// each with a function of its outputs, and a loss after the last.
#ifndef OW_COMPILE_SRC_LOWER_H_
#define OW_COMPILE_SRC_LOWER_H_

#include <string>
#include <vector>

#include "ow/graph/graph.h"
#include "ow/tensor/network.h"

namespace ow::jobs {

struct Lowered {
  std::vector<LayerShape> layers;
  std::string loss;  // its kind; empty: none
};

// BadInput, which begins with the operation's place, if no program of the tiles can run the graph:
// a kind without a program, a tensor that several layers or none take, or an activation or loss
// that does not follow a streamed layer.
Lowered lower(const Graph& graph);

}  // namespace ow::jobs

#endif  // OW_COMPILE_SRC_LOWER_H_
