// SPDX-License-Identifier: Apache-2.0
#include "lower.h"

#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/compile/lowering.h"

namespace ow::jobs {
namespace {

[[noreturn]] void refuse(const Op& op, const std::string& what) {
  throw BadInput(fmt::format("{}: {}", op.where, what));
}

// Adds layers in their order to a chain.
class Chain {
 public:
  explicit Chain(const Graph& graph) : graph_(graph) {
    for (size_t n = 0; n < graph.ops.size(); ++n) take(graph.ops[n], n);
    if (lowered_.layers.empty()) {
      refuse(graph.ops.front(), "a network needs a layer with weights");
    }
  }
  Lowered done() { return lowered_; }

 private:
  void take(const Op& op, size_t n) {
    const Lowering* kind = find_lowering(op.kind);
    if (kind == nullptr ||
        (kind->streamed == nullptr && kind->finish == nullptr && kind->loss == nullptr)) {
      refuse(op, fmt::format("a command runs chains of layers, which have none of the kind {}",
                             op.kind));
    }
    if (op.inputs.front() != tensor_) {
      const int other = taker(op.inputs.front(), n);
      refuse(op, other >= 0
                     ? fmt::format("takes '{}', which '{}' takes too: the tiles' programs "
                                   "do layers one behind the other",
                                   op.inputs.front(), graph_.ops[static_cast<size_t>(other)].name)
                     : fmt::format("takes '{}', so that nobody takes '{}': the tiles' "
                                   "programs do layers one behind the other",
                                   op.inputs.front(), tensor_));
    }
    if (kind->streamed != nullptr) {
      lowered_.layers.push_back(kind->streamed->shape(op, before_));
    } else if (!bare_) {
      refuse(op, fmt::format("takes '{}', which no layer with weights gives: the tiles' programs "
                             "do it behind one",
                             tensor_));
    } else if (kind->finish != nullptr) {
      lowered_.layers.back().activation = kind->name;
    } else {
      lowered_.loss = kind->name;
    }
    bare_ = kind->streamed != nullptr;
    tensor_ = op.name;
    if (op.value >= 0) before_ = graph_.values[static_cast<size_t>(op.value)].features;
  }

  // A layer before the n-th one that takes this tensor; -1 if there is none.
  int taker(const std::string& tensor, size_t n) const {
    for (size_t k = 0; k < n; ++k) {
      for (const std::string& input : graph_.ops[k].inputs) {
        if (input == tensor) return static_cast<int>(k);
      }
    }
    return -1;
  }

  const Graph& graph_;
  Lowered lowered_;
  std::string tensor_ = kInputTensor;  // the tensor that the next layer must take
  int before_ = graph_.features();     // its features
  bool bare_ = false;                  // it comes from a streamed layer without an activation
};

}  // namespace

Lowered lower(const Graph& graph) { return Chain(graph).done(); }

}  // namespace ow::jobs
