// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/lower.h"

#include <fmt/format.h>

#include <map>

#include "ow/base/error.h"
#include "ow/compile/lowering.h"

namespace ow::jobs {
namespace {

[[noreturn]] void refuse(const Op& op, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", op.where, what));
}

[[noreturn]] void refuse_finish(const Op& op) {
  refuse(op, fmt::format("takes '{}', which no layer with weights gives: the tiles' programs do it "
                         "behind one",
                         op.inputs.front()));
}

// A layer before the n-th one that takes this tensor; -1 if there is none.
int taker(const Graph& graph, const std::string& tensor, size_t n) {
  for (size_t k = 0; k < n; ++k) {
    for (const std::string& input : graph.ops[k].inputs) {
      if (input == tensor) return static_cast<int>(k);
    }
  }
  return -1;
}

}  // namespace

Lowered lower(const Graph& graph) {
  Lowered lowered;
  std::map<std::string, size_t> giver;  // of values of layers without an activation yet
  for (const Op& op : graph.ops) {
    const Lowering* kind = find_lowering(op.kind);
    if (kind == nullptr) {
      refuse(op, fmt::format("no program of the tiles runs layers of the kind {}", op.kind));
    }
    if (kind->streamed != nullptr) {
      const auto input = static_cast<size_t>(op.input_values.front());
      giver[op.name] = lowered.layers.size();
      lowered.layers.push_back(kind->streamed->shape(op, graph.values[input].features));
    } else if (kind->loss != nullptr) {
      lowered.loss = kind->name;
    } else if (kind->finish != nullptr) {
      if (lowered.layers.empty() && graph.ops.size() == 1) refuse_finish(op);
      const auto at = giver.find(op.inputs.front());
      if (at == giver.end()) continue;
      lowered.layers[at->second].activation = kind->name;
      giver.erase(at);
    }
  }
  if (lowered.layers.empty()) refuse(graph.ops.front(), "a network needs a layer with weights");
  return lowered;
}

void check_chain(const Graph& graph) {
  std::string tensor = kInputTensor;  // that the next layer must take
  bool bare = false;                  // it comes from a streamed layer without an activation
  for (size_t n = 0; n < graph.ops.size(); ++n) {
    const Op& op = graph.ops[n];
    const Lowering* kind = find_lowering(op.kind);
    if (kind == nullptr ||
        (kind->streamed == nullptr && kind->finish == nullptr && kind->loss == nullptr)) {
      refuse(op, fmt::format("a network's run takes chains of layers, which have none of the kind "
                             "{}; a training takes any graph",
                             op.kind));
    }
    if (kind->streamed != nullptr &&
        static_cast<size_t>(graph.values[static_cast<size_t>(op.value)].features) !=
            graph.parameters[op.parameters.front()].rows) {
      refuse(op, "a network's run copies no outputs; a training does");
    }
    if (op.inputs.front() != tensor) {
      const int other = taker(graph, op.inputs.front(), n);
      refuse(op, other >= 0
                     ? fmt::format("takes '{}', which '{}' takes too: a network's run does layers "
                                   "one after the other",
                                   op.inputs.front(), graph.ops[static_cast<size_t>(other)].name)
                     : fmt::format("takes '{}', so that no layer takes '{}': a network's run does "
                                   "layers one after the other",
                                   op.inputs.front(), tensor));
    }
    if (kind->streamed == nullptr && !bare) refuse_finish(op);
    bare = kind->streamed != nullptr;
    tensor = op.name;
  }
}

}  // namespace ow::jobs
