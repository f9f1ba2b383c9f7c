// SPDX-License-Identifier: Apache-2.0
// The key `network`: a list of sizes, or one of named layers.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lower.h"
#include "ow/base/file.h"
#include "ow/compile/lowering.h"
#include "params_parts.h"

namespace ow::jobs {
namespace {

constexpr int kMaxWidth = 65535;
constexpr size_t kMaxSizes = 9;
constexpr size_t kMaxNamed = 1000;
constexpr size_t kMaxName = 64;

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

// A name becomes part of the tensors' names in checkpoints, and patterns are matched with it.
std::string read_word(const Yaml& value) {
  std::string word = value.text();
  const auto good = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  if (!std::all_of(word.begin(), word.end(), good) || word.size() > kMaxName ||
      std::isalpha(static_cast<unsigned char>(word.front())) == 0) {
    value.fail(
        fmt::format("must be at most {} letters, digits, _, - and ., a letter first", kMaxName));
  }
  return word;
}

std::string read_name(const Yaml& value, const Graph& graph) {
  const std::string name = read_word(value);
  if (name == kInputTensor || name == kTargetsTensor) {
    value.fail(fmt::format("is '{}', which comes with the samples", name));
  }
  if (name.rfind("optimizer.", 0) == 0) {
    value.fail("begins with 'optimizer.', as the optimizer's tensors in a checkpoint do");
  }
  if (graph.giver(name) >= 0) value.fail(fmt::format("is '{}', as a layer above is", name));
  return name;
}

// Reads the inputs of a layer: tensors of earlier layers. `names`: those of all layers, later ones
// too.
void read_inputs(const Yaml& value, const Kind& kind, const std::vector<std::string>& names,
                 const Graph& graph, Op* op) {
  std::vector<Yaml> list;
  if (value.is_list()) {
    list = value.list(1, kMaxNamed, "names");
  } else {
    list.push_back(value);
  }
  for (size_t n = 0; n < list.size(); ++n) {
    const std::string tensor = read_word(list[n]);
    const bool targets = kind.is_loss() && n + 1 == kind.inputs;
    if (list.size() == kind.inputs && targets != (tensor == kTargetsTensor)) {
      list[n].fail(
          targets ? fmt::format("must be '{}', the last input of a loss", kTargetsTensor)
          : kind.is_loss()
              ? fmt::format("is '{}', which must be the last input of a loss", kTargetsTensor)
              : fmt::format("is '{}', which only a loss takes", kTargetsTensor));
    }
    const bool given =
        tensor == kInputTensor || tensor == kTargetsTensor || graph.giver(tensor) >= 0;
    if (!given && std::find(names.begin(), names.end(), tensor) != names.end()) {
      list[n].fail(
          fmt::format("is '{}', which this layer or one below gives: a layer takes from "
                      "those above it, so that none waits for itself",
                      tensor));
    }
    if (!given) list[n].fail(fmt::format("is '{}', which no layer gives", tensor));
    op->inputs.push_back(tensor);
  }
  if (list.size() != kind.inputs) {
    value.fail(fmt::format("must be {} tensors for the kind {}, not {}", kind.inputs, kind.name,
                           list.size()));
  }
}

double read_option(YamlMap* map, const KindOption& option) {
  if (option.fallback && !map->has(option.key)) {
    map->find(option.key);  // known in any case
    return *option.fallback;
  }
  const Yaml value = (*map)[option.key];
  if (option.form == KindOption::Form::Flag) return value.flag() ? 1 : 0;
  if (option.form == KindOption::Form::Real) return value.real(option.low, option.high);
  return static_cast<double>(
      value.integer(static_cast<int64_t>(option.low), static_cast<int64_t>(option.high)));
}

// Parameters of layers above that this one uses: `share: {weight: embedding.weight}`.
void read_share(const Yaml& value, Op* op) {
  for (const auto& [suffix, name] : value.map().items()) op->shared[suffix] = name.text();
}

Graph read_graph(YamlMap* network, const std::vector<Yaml>& list) {
  Graph graph(static_cast<int>((*network)["inputs"].integer(1, kMaxWidth)));
  std::vector<std::string> names;
  for (const Yaml& item : list) names.push_back(item.map()["name"].text());
  for (const Yaml& item : list) {
    YamlMap map = item.map();
    Op op;
    op.name = read_name(map["name"], graph);
    op.kind = map["kind"].one_of(kind_names());
    op.where = fmt::format("{} ('{}')", item.where(), op.name);
    const Kind& kind = *find_kind(op.kind);
    read_inputs(map["inputs"], kind, names, graph, &op);
    for (const KindOption& option : kind.options) {
      op.attributes[option.key] = read_option(&map, option);
    }
    if (kind.parameters != nullptr) {
      if (const auto share = map.find("share")) read_share(*share, &op);
    }
    map.close();
    graph.add(std::move(op));
  }
  return graph;
}

}  // namespace

void read_network(const std::string& path, YamlMap network, RunParams* params) {
  const Yaml layers = network["layers"];
  const auto begins_with_map = [&] {
    const std::vector<Yaml> list = layers.list(0, SIZE_MAX);
    return !list.empty() && list.front().is_map();
  };
  if (layers.is_list() && begins_with_map()) {
    params->graph = read_graph(&network, layers.list(1, kMaxNamed, "layers"));
    Lowered lowered = lower(params->graph);
    params->layers = std::move(lowered.layers);
    params->loss = std::move(lowered.loss);
  } else {
    read_sizes(&network, layers, params);
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
