// SPDX-License-Identifier: Apache-2.0
// What a job needs of everything outside the wafer, from its estimate without time.
#include <algorithm>

#include "estimate_samples.h"
#include "ow/compile/estimate.h"

namespace ow::jobs {

TimeModel time_of(const TimeOptions& options, const EstimateShape& shape,
                  const std::vector<LayerWeights>& weights, int stages) {
  if (!options.wants_needs()) return make_time(options, {}, stages);
  return make_time(options, needs_of(shape, estimate_job(shape, weights, {})), stages);
}

// The engine takes a row of weights at its own rate, however long the reducers take. A pass that
// gets its weights at that rate does not wait for any. Gradients are made at that rate, too.
TimeNeeds needs_of(const EstimateShape& shape, const Estimate& ideal) {
  TimeNeeds needs;
  for (const PhaseEstimate& phase : ideal.phases) {
    if (phase.wavelets == 0) continue;
    const uint64_t cycles = std::max(phase.engine, phase.wavelets);
    // Keeps the phase with the largest wavelets / cycles.
    if (needs.weight_cycles == 0 || phase.wavelets * needs.weight_cycles > needs.weights * cycles) {
      needs.weights = phase.wavelets;
      needs.weight_cycles = cycles;
    }
    if (phase.name != "gradient") continue;
    if (needs.update_cycles == 0 || phase.wavelets * needs.update_cycles > needs.updates * cycles) {
      needs.updates = phase.wavelets;
      needs.update_cycles = cycles;
    }
  }
  const auto rows = static_cast<uint64_t>(shape.grid.rows);
  needs.samples =
      (sample_bits(shape) + rows - 1) / rows * static_cast<uint64_t>(shape.micro_batches);
  needs.step_cycles = ideal.cycles;
  return needs;
}

}  // namespace ow::jobs
