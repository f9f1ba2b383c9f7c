// SPDX-License-Identifier: Apache-2.0
// The key `network`: a list of sizes, or one of named layers.
#include <fmt/format.h>

#include "graph_reader.h"
#include "ow/base/file.h"
#include "ow/compile/lower.h"
#include "ow/compile/lowering.h"
#include "params_parts.h"

namespace ow::jobs {
namespace {

constexpr int kMaxWidth = 65535;
constexpr size_t kMaxSizes = 9;

// One value for all layers, or a list with one for each.
template <typename Take>
void each_layer(const Yaml& value, std::vector<LayerShape>* layers, const Take& take) {
  if (!value.is_list()) {
    for (LayerShape& layer : *layers) take(value, &layer);
    return;
  }
  const std::vector<Yaml> list = value.list(layers->size(), layers->size(), "values, one a layer");
  for (size_t k = 0; k < layers->size(); ++k) take(list[k], &(*layers)[k]);
}

// Reads sizes from input to output, with the keys that go with them.
void read_sizes(YamlMap* network, const Yaml& layers, RunParams* params) {
  const std::vector<int> sizes = layers.integers(2, kMaxSizes, 1, kMaxWidth);
  for (size_t k = 0; k + 1 < sizes.size(); ++k) {
    const bool last = k + 2 == sizes.size();
    params->layers.push_back(
        {sizes[k], sizes[k + 1], last ? kNoActivation : kShortActivation, true});
  }
  if (const auto activations = network->find("activations")) {
    each_layer(*activations, &params->layers, [](const Yaml& value, LayerShape* layer) {
      layer->activation = value.one_of(activation_names());
    });
  }
  if (const auto bias = network->find("bias")) {
    each_layer(*bias, &params->layers,
               [](const Yaml& value, LayerShape* layer) { layer->bias = value.flag(); });
  }
}

}  // namespace

void read_network(const std::string& path, YamlMap network, RunParams* params) {
  if (const auto file = network.find("graph")) {
    for (const char* key : {"family", "inputs", "layers"}) {
      if (network.has(key)) network[key].fail("stands beside network.graph, whose file has it");
    }
    YamlMap top = Yaml::read(beside(path, file->text())).map();
    params->graph = read_graph(&top);
    top.close();
  } else if (network.has("family") || is_graph(network["layers"])) {
    params->graph = read_graph(&network);
  } else {
    read_sizes(&network, network["layers"], params);
  }
  if (!params->graph.empty()) {
    Lowered lowered = lower(params->graph);
    params->layers = std::move(lowered.layers);
    params->loss = std::move(lowered.loss);
  }
  if (const auto type = network.find("type")) {
    params->type = type->one_of({"binary16", "bfloat16"}) == "binary16" ? HalfType::Binary16
                                                                        : HalfType::Bfloat16;
  }
  if (const auto weights = network.find("weights")) params->weights = beside(path, weights->text());
  if (const auto training = network.find("training")) {
    if (!params->weights.empty()) training->fail("trains what network.weights has: one of the two");
    params->training_file = beside(path, training->text());
  }
  network.close();
}

}  // namespace ow::jobs
