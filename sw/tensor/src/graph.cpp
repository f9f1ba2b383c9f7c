// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/graph.h"

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/tensor/training.h"

namespace ow {

int Graph::giver(const std::string& tensor) const {
  for (size_t n = 0; n < layers.size(); ++n) {
    if (layers[n].name == tensor) return static_cast<int>(n);
  }
  return -1;
}

Graph chain_graph(const std::vector<LayerShape>& layers, const std::string& loss) {
  if (layers.empty()) throw BadInput("a network without layers");
  Graph graph;
  graph.features = layers.front().inputs;
  std::string tensor = kInputTensor;
  const auto add = [&](const std::string& name, const std::string& kind,
                       const std::map<std::string, double>& options) {
    graph.layers.push_back({name, kind, {tensor}, options, fmt::format("layer '{}'", name)});
    tensor = name;
  };
  int before = graph.features;
  for (size_t k = 0; k < layers.size(); ++k) {
    const LayerShape& layer = layers[k];
    if (layer.inputs < 1 || layer.outputs < 1 || layer.inputs != before) {
      throw BadInput(
          fmt::format("the layers' sizes do not fit each other: layer {} of {} inputs "
                      "and {} outputs gets {}",
                      k, layer.inputs, layer.outputs, before));
    }
    before = layer.outputs;
    const std::string name = layer_name(layer, k);
    add(name, kShortLayer, {{"outputs", layer.outputs}, {"bias", layer.bias ? 1 : 0}});
    if (layer.activation != kNoActivation) add(name + "." + layer.activation, layer.activation, {});
  }
  if (loss.empty()) return graph;
  if (layers.back().activation != kNoActivation) {
    throw BadInput("the last layer's activation is the loss");
  }
  add("loss", loss, {});
  graph.layers.back().inputs.emplace_back(kTargetsTensor);
  return graph;
}

Graph graph_of(const TrainingJob& job) { return chain_graph(job.layers, job.loss); }

}  // namespace ow
