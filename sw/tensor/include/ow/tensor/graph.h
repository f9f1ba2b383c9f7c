// SPDX-License-Identifier: Apache-2.0
// The description of a network: a graph of named layers on named tensors. Here a kind of layer is
// only a word. Two tables know what it means: the compiler's (sw/compile/src/layers) and golden's
// (sw/golden/src/layers).
#ifndef OW_TENSOR_GRAPH_H_
#define OW_TENSOR_GRAPH_H_

#include <map>
#include <string>
#include <vector>

#include "ow/tensor/network.h"

namespace ow {

// Tensors that come with the samples. Every other tensor has the name of the layer that gives it.
inline constexpr char kInputTensor[] = "input";
inline constexpr char kTargetsTensor[] = "targets";

struct GraphLayer {
  std::string name;  // of its tensor, and prefix of its parameters' names: <name>.weight
  std::string kind;
  std::vector<std::string> inputs;        // tensors of the samples, or of earlier layers
  std::map<std::string, double> options;  // all options of the kind; flags are 0 and 1
  std::string where;  // its place in a file, or its name: errors begin with this
};

struct Graph {
  int features = 0;                // of `input`
  std::vector<GraphLayer> layers;  // each after those that it takes from; a loss is the last

  bool empty() const { return layers.empty(); }
  // The layer that gives a tensor; -1 for tensors of the samples.
  int giver(const std::string& tensor) const;
};

// What short descriptions stand for. A list of sizes means layers of the first kind, with the
// second kind on the outputs of all but the last. A training that names no loss has the third.
inline constexpr char kShortLayer[] = "linear";
inline constexpr char kShortActivation[] = "relu";
inline constexpr char kShortLoss[] = "softmax_cross_entropy";

// The graph of layers in a chain: each with its own name (layer_name), followed by its activation
// as <name>.<kind>. `loss`, if it is not empty, follows the last one. BadInput for no layers, sizes
// that do not fit each other, a loss after an activation.
Graph chain_graph(const std::vector<LayerShape>& layers, const std::string& loss);

}  // namespace ow

#endif  // OW_TENSOR_GRAPH_H_
