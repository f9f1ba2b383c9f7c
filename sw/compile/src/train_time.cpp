// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/train_time.h"

#include <algorithm>

#include "losses/loss_kind.h"

namespace ow::jobs {
namespace {

// Of samples, with their classes or values.
uint64_t sample_bits(const TrainPlan& plan, int samples, bool labelled) {
  constexpr uint64_t kHalf = 16;
  uint64_t each = kHalf * static_cast<uint64_t>(plan.layers.front().inputs);
  if (labelled) each += target_bits(loss_kind(plan.loss), plan.layers.back().outputs);
  return static_cast<uint64_t>(samples) * each;
}

}  // namespace

TrainTime::TrainTime(Device& device, const TrainPlan& plan, const TimeModel& model)
    : plan_(plan),
      edge_(device, plan.colours.weights, model),
      updates_(model.optimizer, plan.grid.rows, plan.layers.size()),
      ready_(plan.layers.size(), device.cycle()) {}

void TrainTime::begin(uint64_t between, const memoryx::WaferSide& memory) {
  update_ = 0;
  // A training that goes on from a checkpoint has no step behind it here.
  if (memory.step() != step_ && updates_.last() > 0) {
    if (memory.updated() > 0) {
      ready_ = updates_.ready(memoryx::updates_wait(memory.job()));
      update_ = updates_.alone();
    } else {  // that a step is skipped nobody knows before the last gradient
      for (uint64_t& cycle : ready_) cycle = std::max(cycle, updates_.last());
    }
  }
  step_ = memory.step();
  for (uint64_t& cycle : ready_) cycle += between;
  edge_.skip(between);
}

void TrainTime::open(int samples, bool labelled) {
  const TimeModel& model = edge_.model();
  const auto rows = static_cast<uint64_t>(plan_.grid.rows);
  const uint64_t bits = (sample_bits(plan_, samples, labelled) + rows - 1) / rows;
  edge_.open(bits, ready_);
  alone_ = model.samples.cycles(bits) + model.store.latency + model.edge.latency + update_;
}

}  // namespace ow::jobs
