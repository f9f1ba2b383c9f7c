// SPDX-License-Identifier: Apache-2.0
// The rule for the orders of sums of a training.
#include <algorithm>

#include "ow/compile/lowering.h"
#include "ow/compile/plan.h"
#include "ow/compile/sum_order.h"
#include "ow/firmware/job.h"
#include "ow/memoryx/schedule.h"
#include "ow/memoryx/sparsity.h"

namespace ow::jobs {
namespace {

constexpr uint64_t kAlign = 64;           // bytes: the SRAM's banks repeat
constexpr uint64_t kMaxElements = 65535;  // limit of a descriptor, and of the rows of a drain
constexpr uint64_t kWindows = 4;          // of the deltas, at most, for the sake of whole sums

uint64_t up(uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

// What a step keeps, for the rule: the bytes that a chain's step took when the rule was made. The
// order of sums fixes the bits, so this must not change although buffers now share more of them.
class Kept {
 public:
  explicit Kept(const TrainingJob& job)
      : job_(job), pitch_(2 * static_cast<uint64_t>(job.samples)) {}

  uint64_t pitch() const { return pitch_; }
  uint64_t local(int features) const {
    return static_cast<uint64_t>(owned_elements(features, 0, job_.grid_rows));
  }

  // The first byte after all of it, with windows of `window` features, from byte `at` on.
  uint64_t end(uint64_t at, uint64_t window) const {
    const auto take = [&at](uint64_t bytes) { at = up(at + bytes); };
    at = up(at);
    for (const LayerShape& layer : job_.layers) take(layer.bias ? 4 * local(layer.outputs) : 0);
    const int outputs = job_.layers.back().outputs;
    const uint64_t last = pitch_ * local(outputs);
    const bool classes = targets_of(job_.loss) == TargetForm::Classes;
    take(classes ? 2 * pitch_ : last);  // targets
    take(last);                         // outputs
    if (classes) take(last);            // their deltas, which otherwise replace the targets
    take(window * pitch_);
    for (size_t k = job_.layers.size(); k-- > 0;) take(pitch_ * local(job_.layers[k].inputs));
    take(2 * pitch_ * work_rows(loss_part(job_.loss), job_.samples, local(outputs)));
    // Values shared no place with the last deltas.
    if (!classes) at += up(last);
    return at + kAlign;
  }

 private:
  const TrainingJob& job_;
  const uint64_t pitch_;  // bytes of the samples of a feature
};

}  // namespace

namespace {

// The name of a layer's matrix, which layers may share.
std::string matrix_name(const TrainingJob& job, size_t layer) {
  for (const Op& op : job.graph.ops) {
    if (find_lowering(op.kind)->streamed == nullptr || layer-- > 0) continue;
    return job.graph.parameters[op.parameters.front()].name;
  }
  return weight_name(job.layers[layer], layer);
}

}  // namespace

double density_at(const TrainingJob& job, size_t layer, uint64_t step) {
  const LayerShape& shape = job.layers[layer];
  memoryx::TensorSpec spec;
  spec.name = matrix_name(job, layer);
  spec.shape = {static_cast<uint64_t>(shape.outputs), static_cast<uint64_t>(shape.inputs)};
  const int at = memoryx::group_of(job.sparsity, spec);
  if (at < 0) return 1;
  const SparsityGroup& group = job.sparsity[static_cast<size_t>(at)];
  if (step == kForever && group.algorithm != SparsityGroup::Algorithm::Static) {
    return memoryx::value_at_last(group.density);
  }
  const bool fixed = group.algorithm == SparsityGroup::Algorithm::Static;
  if (step == 0 && group.init == SparsityGroup::Init::Zeros) return 0;
  if (step == 0 && group.init == SparsityGroup::Init::Dense) return 1;
  return memoryx::value_at(group.density, fixed ? 0 : step);
}

uint64_t kept_at_last(const TrainingJob& job, size_t layer) {
  const LayerShape& shape = job.layers[layer];
  const double all = static_cast<double>(shape.outputs) * static_cast<double>(shape.inputs);
  return static_cast<uint64_t>(density_at(job, layer, kForever) * all);
}

TrainingJob with_sum_orders(TrainingJob job) {
  if (!job.forward.empty() || !job.delta.empty() || job.layers.empty()) return job;
  job.forward.assign(job.layers.size(), SumOrder::Column);
  job.delta = job.forward;
  const bool tokens =
      !job.graph.empty() && job.graph.values.front().element == Value::Element::Token;
  if (job.grid_rows < 2 || job.samples < kFullTile.lanes || tokens) return job;
  const Kept kept(job);
  uint64_t inputs = 1, deltas = 0;  // of a grid row
  for (size_t k = 0; k < job.layers.size(); ++k) {
    inputs = std::max(inputs, kept.local(job.layers[k].inputs));
    if (k > 0) deltas = std::max(deltas, kept.local(job.layers[k].inputs));
  }
  const uint64_t end = kFullTile.sram_bytes;
  const uint64_t used = kept.end(kProgramBytes, (deltas + kWindows - 1) / kWindows);
  const uint64_t room = used < end ? (end - used) / kept.pitch() : 0;
  const uint64_t most =
      std::min({room, kMaxElements * static_cast<uint64_t>(kFullTile.lanes) / inputs,
                kMaxElements / static_cast<uint64_t>(job.samples)});
  const auto choose = [&](size_t k, int from, int to, bool gathered) {
    const SumPass pass{job.grid_rows,        job.samples, kFullTile.lanes, from, to,
                       kept_at_last(job, k), gathered};
    const bool fits = static_cast<uint64_t>(from) <= most;
    return fits && whole_cycles(pass) < column_cycles(pass) ? SumOrder::Whole : SumOrder::Column;
  };
  for (size_t k = 0; k < job.layers.size(); ++k) {
    const LayerShape& layer = job.layers[k];
    job.forward[k] = choose(k, layer.inputs, layer.outputs, false);
    // The inputs of this pass are the deltas that the gradient pass has gathered.
    if (k > 0) job.delta[k] = choose(k, layer.outputs, layer.inputs, true);
  }
  return job;
}

}  // namespace ow::jobs
