// SPDX-License-Identifier: Apache-2.0
// Networks as they are described: a graph of named layers on named tensors. What a kind of layer
// means is known to who compiles it (sw/compile/src/layers) and to who computes it for comparison
// (sw/golden/src/layers), each in a table of its own; here a kind is a word.
#ifndef OW_TENSOR_GRAPH_H_
#define OW_TENSOR_GRAPH_H_

#include <map>
#include <string>
#include <vector>

#include "ow/tensor/network.h"

namespace ow {

// Tensors that come with the samples. All others have the name of the layer that gives them.
inline constexpr char kInputTensor[] = "input";
inline constexpr char kTargetsTensor[] = "targets";

struct GraphLayer {
  std::string name;  // of its tensor; its parameters' begin with it: <name>.weight
  std::string kind;
  std::vector<std::string> inputs;        // tensors: those of the samples, or of layers above
  std::map<std::string, double> options;  // of the kind, all of them; flags are 0 and 1
  std::string where;                      // in a file, or its name: what errors begin with
};

struct Graph {
  int features = 0;                // of `input`
  std::vector<GraphLayer> layers;  // each behind those that it takes from; a loss is the last one

  bool empty() const { return layers.empty(); }
  // The layer that gives a tensor; -1 for those of the samples.
  int giver(const std::string& tensor) const;
};

// What short descriptions stand for: sizes one behind the other are layers of the first kind, with
// the second one on the outputs of all but the last, and without a loss of its own a training has
// the third.
inline constexpr char kShortLayer[] = "linear";
inline constexpr char kShortActivation[] = "relu";
inline constexpr char kShortLoss[] = "softmax_cross_entropy";

// The graph of layers one behind the other: each with its own name (layer_name), its activation as
// <name>.<kind> behind it; `loss`, if it is not empty, is behind the last one. BadInput for no
// layers, sizes that do not fit each other, a loss behind an activation.
Graph chain_graph(const std::vector<LayerShape>& layers, const std::string& loss);

}  // namespace ow

#endif  // OW_TENSOR_GRAPH_H_
