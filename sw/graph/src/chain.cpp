// SPDX-License-Identifier: Apache-2.0
#include "ow/graph/chain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <regex>

#include "ow/base/error.h"
#include "ow/base/text.h"
#include "ow/graph/kind.h"
#include "ow/graph/training.h"

namespace ow {

Graph chain_graph(const std::vector<LayerShape>& layers, const std::string& loss) {
  if (layers.empty()) throw BadInput("a network without layers");
  Graph graph(layers.front().inputs);
  std::string tensor = kInputTensor;
  const auto add = [&](const std::string& name, const std::string& kind,
                       const std::map<std::string, double>& attributes) {
    std::vector<std::string> inputs = {tensor};
    if (kind == loss) inputs.emplace_back(kTargetsTensor);
    graph.add({name, kind, std::move(inputs), attributes, fmt::format("layer '{}'", name), {}});
    tensor = name;
  };
  for (size_t k = 0; k < layers.size(); ++k) {
    const LayerShape& layer = layers[k];
    const int before = graph.values.back().features;
    if (layer.inputs < 1 || layer.outputs < 1 || layer.inputs != before) {
      throw BadInput(
          fmt::format("the layers' sizes do not fit each other: layer {} of {} inputs "
                      "and {} outputs gets {}",
                      k, layer.inputs, layer.outputs, before));
    }
    const std::string name = layer_name(layer, k);
    add(name, kShortLayer, {{"outputs", layer.outputs}, {"bias", layer.bias ? 1 : 0}});
    if (layer.activation != kNoActivation) add(name + "." + layer.activation, layer.activation, {});
  }
  if (loss.empty()) return graph;
  if (layers.back().activation != kNoActivation) {
    throw BadInput("the last layer's activation is the loss");
  }
  add("loss", loss, {});
  return graph;
}

bool is_chain_of(const Graph& graph, const std::vector<LayerShape>& layers,
                 const std::string& loss) {
  size_t n = 0;
  std::string tensor = kInputTensor;
  const auto next = [&](const std::string& kind) {
    if (n == graph.ops.size()) return false;
    const Op& op = graph.ops[n++];
    const bool follows = op.kind == kind && op.inputs.front() == tensor && op.shared.empty();
    tensor = op.name;
    return follows;
  };
  for (const LayerShape& layer : layers) {
    if (!next(kShortLayer)) return false;
    if (layer.activation != kNoActivation && !next(layer.activation)) return false;
  }
  return (loss.empty() || next(loss)) && n == graph.ops.size();
}

std::string op_text(const Op& op) {
  std::string text = fmt::format("{}: {}({})", op.name, op.kind, fmt::join(op.inputs, ", "));
  for (const auto& [key, value] : op.attributes) text += fmt::format(", {} {}", key, value);
  for (const auto& [suffix, name] : op.shared) text += fmt::format(", {} is {}", suffix, name);
  return text;
}

Op op_of_text(const std::string& text, const std::string& where) {
  static const std::regex kLine(R"(([\w.-]+): (\w+)\(([^()]*)\)((?:, [^,]+)*))");
  static const std::regex kName(R"([\w.-]+)");
  static const std::regex kOption(R"(, (\w+) (is )?([^\s,]+))");
  const std::sregex_iterator end;
  std::smatch parts;
  if (!std::regex_match(text, parts, kLine)) {
    throw BadInput(fmt::format("{}: '{}' is no operation", where, printable_text(text, 80)));
  }
  Op op;
  op.name = parts[1];
  op.kind = parts[2];
  op.where = where;
  const std::string inputs = parts[3], options = parts[4];
  for (std::sregex_iterator i(inputs.begin(), inputs.end(), kName); i != end; ++i) {
    op.inputs.push_back(i->str());
  }
  for (std::sregex_iterator i(options.begin(), options.end(), kOption); i != end; ++i) {
    if ((*i)[2].matched) {
      op.shared[(*i)[1]] = (*i)[3];
    } else {
      op.attributes[(*i)[1]] = std::strtod((*i)[3].str().c_str(), nullptr);
    }
  }
  return op;
}

Graph graph_of(const TrainingJob& job) {
  return job.graph.empty() ? chain_graph(job.layers, job.loss) : job.graph;
}

}  // namespace ow
