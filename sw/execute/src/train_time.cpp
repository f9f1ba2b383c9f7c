// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/train_time.h"
#include "ow/compile/lowering.h"

#include <algorithm>
#include <utility>

namespace ow::jobs {
namespace {

// Bits of samples with their classes or values.
uint64_t sample_bits(const Plan& plan, int samples, bool labelled) {
  constexpr uint64_t kHalf = 16;
  uint64_t each = kHalf * static_cast<uint64_t>(plan.values.front().features);
  if (labelled)
    each += target_bits(plan.loss, plan.values[static_cast<size_t>(plan.output)].features);
  return static_cast<uint64_t>(samples) * each;
}

}  // namespace

TrainTime::TrainTime(Device& device, const std::vector<StreamPort>& in,
                     const std::vector<StreamPort>& out, const Plan& plan, const TimeModel& model)
    : device_(device),
      plan_(plan),
      edge_(device, in, out, model),
      skipped_(device.cycle()),
      clock_(model, plan.grid.rows, memoryx::taken_first(plan.streams.step)),
      gradients_(static_cast<size_t>(plan.grid.rows)) {
  const memoryx::StreamSchedule schedule = plan.streams.step;
  passes_ = memoryx::passes_of(schedule);
  first_of_.resize(passes_.back() + 1);
  for (size_t k = 0; k < schedule.size(); ++k) {
    const size_t parameter = schedule[k].parameter;
    if (parameter >= streamed_.size()) streamed_.resize(parameter + 1);
    if (!memoryx::sends_weights(schedule[k]) || streamed_[parameter]) continue;
    streamed_[parameter] = true;
    first_of_[passes_[k]] = parameter;
  }
  leaving_.streamed.resize(streamed_.size());
  left_ = leaving_;
  weights_.streamed.resize(streamed_.size());
}

void TrainTime::begin(uint64_t between, const memoryx::WaferSide& memory) {
  skipped_ += between;
  edge_.skip(between);
  wait_ = memoryx::updates_wait(memory.job());
  if (memory.step() != step_) {
    left_ = leaving_;
    const uint64_t rest = device_.cycle() - skipped_;
    tail_ = all_left() - std::min(all_left(), rest);
  }
  if (const memoryx::SwarmTimes* times = memory.times()) {
    weights_ = times->weights;
    reduces_ = times->reduces;
    if (memory.step() == step_) weights_.update = 0;
  } else if (memory.step() != step_) {
    // A training that was resumed from a checkpoint has no earlier step here.
    const bool any =
        std::any_of(gradients_.begin(), gradients_.end(),
                    [](const swarmx::RowGradients& row) { return !row.cycles.empty(); });
    if (any) clock_.gradients({gradients_});
    weights_ = clock_.next(memory.updated() > 0, wait_);
  } else {
    weights_.update = 0;
  }
  step_ = memory.step();
}

uint64_t TrainTime::all_left() const {
  return std::max(left_.resident, *std::max_element(left_.streamed.begin(), left_.streamed.end()));
}

// All times are in cycles of the device.
EdgeReady TrainTime::ready(uint64_t left, const memoryx::ReadyTime& time) const {
  return {left + skipped_, time.came + skipped_, time.ready + skipped_};
}

void TrainTime::open(int samples, bool labelled, std::vector<uint64_t> biases) {
  const TimeModel& model = edge_.model();
  const auto rows = static_cast<uint64_t>(plan_.grid.rows);
  const uint64_t last = all_left();
  EdgeStream stream;
  stream.phases = passes_;
  stream.sample_bits = (sample_bits(plan_, samples, labelled) + rows - 1) / rows;
  for (const std::optional<size_t>& parameter : first_of_) {
    stream.weights.emplace_back();
    if (!parameter) continue;
    const uint64_t left = wait_ ? last : left_.streamed[*parameter];
    stream.weights.back() = ready(left, weights_.streamed[*parameter]);
  }
  stream.biases = std::move(biases);
  stream.biases_ready = ready(wait_ ? last : left_.resident, weights_.resident);
  stream.reduces = reduces_;
  alone_ = model.samples.cycles(stream.sample_bits) + model.way_in();
  if (weights_.update > 0) alone_ += tail_ + model.way_out() + weights_.update;
  edge_.open(std::move(stream));
}

void TrainTime::begin_gradients() {
  for (swarmx::RowGradients& row : gradients_) row = {};
  std::fill(leaving_.streamed.begin(), leaving_.streamed.end(), 0);
  leaving_.resident = 0;
}

void TrainTime::gradient(int row, size_t parameter, bool updated, size_t number, uint64_t cycle) {
  const std::vector<uint64_t>* left = edge_.left(row);
  const uint64_t at = (left != nullptr ? left->at(number) : cycle) - skipped_;
  gradients_[static_cast<size_t>(row)].add(parameter, updated, at);
  uint64_t* of = streamed_[parameter] ? &leaving_.streamed[parameter] : &leaving_.resident;
  *of = std::max(*of, at);
}

}  // namespace ow::jobs
