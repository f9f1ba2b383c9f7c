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

}  // namespace ow::jobs
