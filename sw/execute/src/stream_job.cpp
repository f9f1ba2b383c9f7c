// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/stream_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ow/base/error.h"
#include "resident.h"
#include "tile_blocks.h"

namespace ow::jobs {
namespace {

TrainingJob with_batch(TrainingJob job, const Plan& plan) {
  job.samples = plan.samples;
  return job;
}

}  // namespace

StreamJob::StreamJob(const Runtime& machine, const ElfImage& firmware, const Plan& plan,
                     TrainingJob job)
    : whole_(plan),
      plan_(plan),
      job_(with_batch(std::move(job), plan)),
      memory_(job_, {}),
      executor_(machine, firmware, plan.executable),
      held_(plan.batch()) {
  if (!plan.loss.empty() || plan.executable.exit != Exit::BothSides) {
    throw InternalError("the plan is not of a forward pass alone");
  }
  memory_.begin();
  write_resident(plan_, resident_of(plan_, memory_), &executor_);
}

void StreamJob::write_input(const Activations& x) {
  if (x.features != plan_.values.front().features || x.samples < 1 || x.samples > whole_.batch()) {
    throw InternalError("the input does not fit the plan");
  }
  const int samples = std::min(
      whole_.samples, share_of(static_cast<size_t>(x.samples), whole_.grid, whole_.tile.lanes));
  if (samples != plan_.samples) {
    plan_ = samples == whole_.samples ? whole_ : with_samples(whole_, job_, samples);
    executor_.set_phases(plan_.executable);
  }
  held_ = x.samples;
  executor_.write(plan_.values.front().addr, x);
}

void StreamJob::set_time(const TimeModel& model) {
  edge_ = std::make_unique<EdgeTime>(device_of(executor_.machine()), executor_.weight_ports(),
                                     std::vector<StreamPort>(), model);
}

// The samples of a batch are loaded while the one before it is worked on.
void StreamJob::open_edge() {
  if (!edge_) return;
  constexpr uint64_t kHalfBits = 16;
  const auto rows = static_cast<uint64_t>(plan_.grid.rows);
  const auto features = static_cast<uint64_t>(plan_.values.front().features);
  const uint64_t bits = kHalfBits * features * static_cast<uint64_t>(held_);
  const uint64_t now = executor_.cycle();
  EdgeStream stream;
  stream.sample_bits = (bits + rows - 1) / rows;
  stream.phases = memoryx::passes_of(plan_.streams.forward);
  stream.weights = {EdgeReady{now, now, now}};
  edge_->open(std::move(stream));
}

uint64_t StreamJob::cycle_limit() const {
  constexpr uint64_t kStart = 100000;
  // A tile for area (SmallTile) takes 29 cycles for a sample where two lanes take half a one.
  constexpr uint64_t kTimes = 64;
  const auto samples = static_cast<uint64_t>(plan_.samples);
  const uint64_t beats = samples / static_cast<uint64_t>(plan_.tile.lanes);
  uint64_t limit = kStart;
  uint64_t wavelets = 0;
  for (const LayerShape& layer : plan_.layers) {
    const auto outputs = static_cast<uint64_t>(layer.outputs);
    const uint64_t weights = static_cast<uint64_t>(plan_.owned(layer.inputs, 0)) * outputs;
    limit += kTimes * std::max(weights * beats + outputs, samples * outputs);
    wavelets += weights + outputs;
  }
  for (const ValuePlan& value : plan_.values) {
    limit += kTimes * samples * static_cast<uint64_t>(plan_.owned(value.features, 0));
  }
  return limit + (edge_ ? edge_->longest_wait(wavelets) : 0);
}

void StreamJob::take_outputs(const std::vector<StreamPort>& ports, int first, int step, int columns,
                             StreamRun* result) {
  for (size_t p = 0; p < ports.size(); ++p) {
    const int row = static_cast<int>(p);
    const int owned = plan_.owned(output().features, row);
    const auto words = static_cast<size_t>(owned * plan_.samples / 2);
    const std::vector<Left> left = executor_.take(ports[p]);
    if (left.size() != words * static_cast<size_t>(columns)) {
      throw ProtocolError(fmt::format("{} edge, grid row {}: {} result wavelets, not {}",
                                      side_name(ports[p].side), row, left.size(),
                                      words * static_cast<size_t>(columns)));
    }
    if (left.empty()) continue;
    result->wavelets_out += left.size();
    result->last_cycle = std::max(result->last_cycle, left.back().cycle);
    for (int c = 0; c < columns; ++c) {
      std::vector<uint32_t> block;
      for (size_t w = 0; w < words; ++w)
        block.push_back(left[static_cast<size_t>(c) * words + w].data);
      unpack_block(block, plan_.grid.rows, plan_.samples, row, first + c * step, &result->outputs);
    }
  }
}

void StreamJob::take_times(const Launched& launched, StreamRun* result) const {
  const std::vector<Phase>& phases = plan_.executable.phases;
  result->times.resize(plan_.layers.size());
  for (size_t k = 0; k < result->times.size(); ++k) {
    const auto of_layer = [k](const Phase& phase) {
      return phase.part == Phase::Part::Forward && phase.layer == k;
    };
    const auto first = std::find_if(phases.begin(), phases.end(), of_layer);
    const auto end = std::find_if_not(first, phases.end(), of_layer);
    for (const std::vector<uint32_t>& ends : launched.ends) {
      result->times[k].push_back({ends[static_cast<size_t>(first - phases.begin())],
                                  ends[static_cast<size_t>(end - phases.begin())]});
    }
  }
}

StreamRun StreamJob::run(bool dense) {
  const GridShape grid = plan_.grid;
  StreamRun result;
  memoryx::StreamOptions options = plan_.streams.options;
  options.dense = dense;
  const auto weights = memory_.stream(plan_.streams.forward, options);
  open_edge();
  const Launched launched = executor_.launch(plan_.executable.phases.size(), 1, weights.get(),
                                             cycle_limit(), edge_.get());
  result.first_cycle = launched.first_cycle;
  for (int r = 0; r < grid.rows; ++r) {
    result.wavelets_in += weights->wavelets(r);
    result.multiply_adds += weights->weights(r) * static_cast<uint64_t>(held_);
  }
  result.outputs = Activations::zero(output().features, held_);
  const int west = plan_.west_columns();
  take_outputs(executor_.west_ports(), 0, 1, west, &result);
  take_outputs(executor_.east_ports(), grid.cols - 1, -1, grid.cols - west, &result);
  if (edge_) result.edge = edge_->report();
  take_times(launched, &result);
  return result;
}

void StreamJob::spoil_values() {
  constexpr uint32_t kNeverWritten = 0x7FED7FED;  // NaNs of both types that no operation makes
  for (size_t v = 1; v < whole_.values.size(); ++v) {
    const ValuePlan& value = whole_.values[v];
    if (value.addr == 0) continue;
    const int local = whole_.owned(value.features, 0);  // of the grid row that has most
    executor_.write_all(
        value.addr,
        std::vector<uint32_t>(static_cast<size_t>(local * whole_.samples / 2), kNeverWritten));
  }
}

Activations StreamJob::read_value(int value) {
  const ValuePlan& at = plan_.values.at(static_cast<size_t>(value));
  return executor_.read(at.addr, at.features, held_);
}

}  // namespace ow::jobs
