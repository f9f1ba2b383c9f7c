// SPDX-License-Identifier: Apache-2.0
// Graphs from short descriptions: a list of layers, one after the other.
#ifndef OW_GRAPH_CHAIN_H_
#define OW_GRAPH_CHAIN_H_

#include <string>
#include <vector>

#include "ow/graph/graph.h"
#include "ow/tensor/network.h"

namespace ow {

// What short descriptions stand for. A list of sizes means layers of the first kind, with the
// second kind on the outputs of all but the last. A training that names no loss has the third.
inline constexpr char kShortLayer[] = "linear";
inline constexpr char kShortActivation[] = "relu";
inline constexpr char kShortLoss[] = "softmax_cross_entropy";

// The graph of layers in a chain: each with its own name (layer_name), followed by its activation
// as <name>.<kind>. `loss`, if it is not empty, follows the last one. BadInput for no layers, sizes
// that do not fit each other, a loss after an activation.
Graph chain_graph(const std::vector<LayerShape>& layers, const std::string& loss);

// Whether the graph is the chain of these layers, with this loss if it is not empty.
bool is_chain_of(const Graph& graph, const std::vector<LayerShape>& layers,
                 const std::string& loss);

// An operation on one line: its name, kind, inputs, options and shared parameters.
std::string op_text(const Op& op);
// The operation of such a line. BadInput, beginning with `where`, if it is none.
Op op_of_text(const std::string& text, const std::string& where);

}  // namespace ow

#endif  // OW_GRAPH_CHAIN_H_
