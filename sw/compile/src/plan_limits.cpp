// SPDX-License-Identifier: Apache-2.0
// How long a step may take before something must be wrong.
#include <algorithm>

#include "ow/compile/plan.h"

namespace ow::jobs {
namespace {

// Deltas of the first matrix's input: something before it is trained.
bool first_has_deltas(const Plan& plan) {
  const size_t first = plan.streams.forward.front().parameter;
  return std::any_of(plan.streams.step.begin(), plan.streams.step.end(), [first](const auto& s) {
    return s.parameter == first && s.pass == memoryx::Pass::Delta;
  });
}

}  // namespace

uint64_t train_stream_limit(const Plan& plan) {
  uint64_t wavelets = 0;
  // Wavelets of all outputs with their ends. A grid row gets its own inputs of all outputs, or all
  // inputs of its own outputs.
  const auto column = [&](int inputs, int outputs) {
    return static_cast<uint64_t>(outputs) * (plan.most_owned(inputs) + 1);
  };
  const auto either = [&](int inputs, int outputs) {
    return std::max(column(inputs, outputs),
                    plan.most_owned(outputs) * (static_cast<uint64_t>(inputs) + 1));
  };
  for (size_t k = 0; k < plan.layers.size(); ++k) {
    const LayerShape& layer = plan.layers[k];
    const uint64_t piece = std::max<uint64_t>(plan.choices.piece, 1);
    const uint64_t heads = (static_cast<uint64_t>(layer.outputs) + piece - 1) / piece;
    wavelets += either(layer.inputs, layer.outputs) + column(layer.inputs, layer.outputs) + heads;
    if (k > 0 || first_has_deltas(plan)) wavelets += either(layer.outputs, layer.inputs);
  }
  return wavelets;
}

uint64_t train_cycle_limit(const Plan& plan) {
  constexpr uint64_t kStart = 1000000;
  constexpr uint64_t kTimes = 8;
  constexpr uint64_t kAnOutput = 400;
  const auto samples = static_cast<uint64_t>(plan.samples);
  const uint64_t beats = samples / static_cast<uint64_t>(plan.tile.lanes);
  const auto columns = static_cast<uint64_t>(plan.grid.cols);
  // Samples and targets come in through all edges; this limit is enough for a single port.
  uint64_t limit =
      kStart + kTimes * samples * columns *
                   static_cast<uint64_t>(plan.values.front().features +
                                         plan.values[static_cast<size_t>(plan.output)].features);
  for (const LayerShape& layer : plan.layers) {
    const auto inputs = static_cast<uint64_t>(layer.inputs);
    const auto outputs = static_cast<uint64_t>(layer.outputs);
    const uint64_t rows = static_cast<uint64_t>(plan.grid.rows);
    limit += kTimes * (3 * (inputs / rows + 1) * (outputs + rows) * beats +
                       (inputs + outputs) * samples + outputs * kAnOutput);
  }
  return limit;
}

}  // namespace ow::jobs
