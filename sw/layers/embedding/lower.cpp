// SPDX-License-Identifier: Apache-2.0
// Rows of tables. They come with the samples; the deltas of the value leave in the west, and
// MemoryX adds them to the gradients of the rows.
#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/firmware/job.h"

namespace ow::jobs {
namespace {

std::optional<size_t> positions(const Op& op) {
  return op.parameters.size() > 1 ? std::optional<size_t>(op.parameters[1]) : std::nullopt;
}

void check(const GraphLowering& l, const Op& op) {
  const auto& job = l.job();
  const auto rows = [&](size_t n) { return l.graph().parameters[op.parameters[n]].rows; };
  if (op.parameters.size() > 1 && static_cast<size_t>(job.sequence) > rows(1)) {
    throw BadInput(fmt::format("{}: sequences of {} tokens, the limit is its {} positions",
                               op.where, job.sequence, rows(1)));
  }
  const auto outputs = static_cast<size_t>(l.graph().outputs());
  if (job.sequence > 1 && outputs > rows(0)) {
    throw BadInput(fmt::format("{}: a vocabulary of {}, and the network tells {} tokens apart",
                               op.where, rows(0), outputs));
  }
}

void forward(GraphLowering& l, const Op& op) {
  check(l, op);
  l.looked_up({op.value, op.parameters[0], positions(op)});
}

void backward(GraphLowering& l, const Op& op) {
  l.send(op.value, l.delta(op.value), true, true);
  memoryx::StreamStep step{op.parameters[0], memoryx::Pass::Rows};
  step.positions = positions(op);
  l.step_stream(step);
}

}  // namespace

const Lowering& embedding_lowerings() {
  static const Lowering lowering{"embedding", nullptr, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
