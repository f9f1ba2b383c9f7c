// SPDX-License-Identifier: Apache-2.0
// Rows of tables. They come with the samples; the deltas of the value leave in the west, and
// MemoryX adds them to the gradients of the rows.
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/firmware/job.h"

namespace ow::jobs {
namespace {

std::optional<size_t> positions(const Op& op) {
  return op.parameters.size() > 1 ? std::optional<size_t>(op.parameters[1]) : std::nullopt;
}

void forward(GraphLowering& l, const Op& op) {
  l.looked_up({op.value, op.parameters[0], positions(op)});
}

void backward(GraphLowering& l, const Op& op) {
  const Rows delta = l.delta(op.value);
  SendCost cost;
  for (int r = 0; r < l.rows(); ++r)
    cost.words.push_back(l.dealt(op.value).of(r) * l.samples() / 2);
  cost.west = true;
  l.draft().add("send", {delta.slot}, cost, [&l, delta, value = op.value](int r) {
    return ow_send{l.at(delta, value, r), l.dealt(value).of(r) * l.samples() / 2};
  });
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
