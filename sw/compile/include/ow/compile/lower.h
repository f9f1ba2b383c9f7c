// SPDX-License-Identifier: Apache-2.0
// What jobs take from a graph: its layers with matrices, and its loss.
#ifndef OW_COMPILE_LOWER_H_
#define OW_COMPILE_LOWER_H_

#include <string>
#include <vector>

#include "ow/graph/graph.h"
#include "ow/tensor/network.h"

namespace ow::jobs {

struct Lowered {
  std::vector<LayerShape> layers;
  std::string loss;  // its kind; empty: none
};

// BadInput, which begins with the operation's place, for a kind that no program of the tiles runs,
// and for a graph without a matrix. A layer has the activation that its pass does for it.
Lowered lower(const Graph& graph);

}  // namespace ow::jobs

#endif  // OW_COMPILE_LOWER_H_
