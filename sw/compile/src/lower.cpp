// SPDX-License-Identifier: Apache-2.0
#include "lower.h"

#include <fmt/format.h>

#include "layers/layer_kind.h"
#include "ow/base/error.h"

namespace ow::jobs {
namespace {

const LayerKind& kind_of(const GraphLayer& layer) {
  const LayerKind* kind = find_layer_kind(layer.kind);
  if (kind == nullptr) throw InternalError(layer.where + ": a kind that is not in the table");
  return *kind;
}

[[noreturn]] void refuse(const GraphLayer& layer, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", layer.where, what));
}

// Adds layers in their order to a chain.
class Chain {
 public:
  explicit Chain(const Graph& graph) : graph_(graph), features_(features_of(graph)) {
    for (size_t n = 0; n < graph.layers.size(); ++n) take(graph.layers[n], n);
    if (lowered_.layers.empty()) {
      refuse(graph.layers.front(), "a network needs a layer with weights");
    }
  }
  Lowered done() { return lowered_; }

 private:
  void take(const GraphLayer& layer, size_t n) {
    const LayerKind& kind = kind_of(layer);
    if (kind.streamed == nullptr && kind.finish == nullptr && kind.loss == nullptr) {
      refuse(layer, fmt::format("no program of the tiles does layers of the kind {}", layer.kind));
    }
    if (!lowered_.loss.empty()) refuse(layer, "stands behind the loss, which is the last layer");
    if (layer.inputs.front() != tensor_) {
      const int other = taker(layer.inputs.front(), n);
      refuse(layer,
             other >= 0
                 ? fmt::format("takes '{}', which '{}' takes too: the tiles' programs "
                               "do layers one behind the other",
                               layer.inputs.front(), graph_.layers[static_cast<size_t>(other)].name)
                 : fmt::format("takes '{}', so that nobody takes '{}': the tiles' "
                               "programs do layers one behind the other",
                               layer.inputs.front(), tensor_));
    }
    if (kind.streamed != nullptr) {
      lowered_.layers.push_back(kind.streamed->shape(layer, before_));
    } else if (!bare_) {
      refuse(layer,
             fmt::format("takes '{}', which no layer with weights gives: the tiles' programs "
                         "do it behind one",
                         tensor_));
    } else if (kind.finish != nullptr) {
      lowered_.layers.back().activation = kind.name;
    } else {
      lowered_.loss = kind.name;
    }
    bare_ = kind.streamed != nullptr;
    tensor_ = layer.name;
    before_ = features_[n];
  }

  // A layer before the n-th one that takes this tensor; -1 if there is none.
  int taker(const std::string& tensor, size_t n) const {
    for (size_t k = 0; k < n; ++k) {
      for (const std::string& input : graph_.layers[k].inputs) {
        if (input == tensor) return static_cast<int>(k);
      }
    }
    return -1;
  }

  const Graph& graph_;
  const std::vector<int> features_;
  Lowered lowered_;
  std::string tensor_ = kInputTensor;  // the tensor that the next layer must take
  int before_ = graph_.features;       // its features
  bool bare_ = false;                  // it comes from a streamed layer without an activation
};

}  // namespace

std::vector<int> features_of(const Graph& graph) {
  std::vector<int> features;
  for (const GraphLayer& layer : graph.layers) {
    std::vector<int> inputs;
    for (const std::string& tensor : layer.inputs) {
      if (tensor == kTargetsTensor) continue;
      const int giver = graph.giver(tensor);
      if (giver >= static_cast<int>(features.size()) || (giver < 0 && tensor != kInputTensor)) {
        throw InternalError(layer.where + ": a tensor that is not there yet");
      }
      inputs.push_back(giver < 0 ? graph.features : features[static_cast<size_t>(giver)]);
    }
    features.push_back(kind_of(layer).features(layer, inputs));
  }
  return features;
}

Lowered lower(const Graph& graph) { return Chain(graph).done(); }

}  // namespace ow::jobs
