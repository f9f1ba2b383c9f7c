// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/train_grid.h"
#include "ow/compile/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ow/base/error.h"
#include "ow/execute/causes.h"
#include "ow/memoryx/tables.h"
#include "resident.h"
#include "tile_blocks.h"

namespace ow::jobs {
namespace {

using memoryx::WaferSide;

// The device must be the plan's before its program is loaded.
const Runtime& checked(const Runtime& machine, const Plan& plan) {
  const TileConfig& tile = tile_of(machine);
  const int colours = colours_of(plan.grid, Exit::West);
  if (tile.lanes != plan.tile.lanes || tile.sram_bytes < plan.tile.sram_bytes ||
      tile.threads < plan.tile.threads || tile.colours < colours) {
    throw BadInput(fmt::format(
        "the device has {} lanes, {} threads, {} colours and {} bytes of SRAM; the plan is for {}, "
        "{}, {} and {}",
        tile.lanes, tile.threads, tile.colours, tile.sram_bytes, plan.tile.lanes, plan.tile.threads,
        colours, plan.tile.sram_bytes));
  }
  check_units(machine.info().description, plan.type, plan.loss, tile);
  return machine;
}

}  // namespace

void add_times(const TrainTimes& from, TrainTimes* to) {
  to->forward += from.forward;
  to->loss += from.loss;
  to->gradients += from.gradients;
  to->deltas += from.deltas;
}

TrainGrid::TrainGrid(const Runtime& machine, const ElfImage& firmware, const Plan& plan)
    : plan_(plan), executor_(checked(machine, plan), firmware, plan_.executable) {}

void TrainGrid::set_time(const TimeModel& model) {
  time_ = std::make_unique<TrainTime>(device_of(executor_.machine()), executor_.weight_ports(),
                                      executor_.west_ports(), plan_, model);
  rest_at_ = executor_.cycle();
}

// What the host has read since the grid came to rest is no time of the training.
uint64_t TrainGrid::begin_passes(const WaferSide& memory) {
  const uint64_t now = executor_.cycle();
  if (time_) time_->begin(now - rest_at_, memory);
  return now;
}

void TrainGrid::write_samples(const WaferSide& memory, const Samples& samples) {
  if (samples.of_tokens() != plan_.of_tokens()) {
    throw InternalError("tokens for a network of numbers, or the reverse");
  }
  if (samples.of_tokens()) return write_tokens(memory, samples.tokens);
  const Activations& x = samples.numbers;
  if (x.features != plan_.values.front().features || x.samples < 1 || x.samples > plan_.batch()) {
    throw InternalError("the input does not fit the plan");
  }
  executor_.write(plan_.values.front().addr, x);
}

void TrainGrid::write_tokens(const WaferSide& memory, const Tokens& tokens) {
  if (tokens.ids.size() != static_cast<size_t>(plan_.batch())) {
    throw InternalError("the tokens do not fit the plan");
  }
  for (const Lookup& l : plan_.lookups) {
    executor_.write(plan_.values[static_cast<size_t>(l.value)].addr,
                    memoryx::looked_up(memory.store(), plan_.type, l.tokens, l.positions, tokens));
  }
  for (const Plan::Feed& feed : plan_.feeds) {
    std::vector<uint32_t> words;
    for (int r = 0; r < plan_.grid.rows; ++r) {
      for (int c = 0; c < plan_.grid.cols; ++c) {
        const std::vector<uint32_t> here = feed.make(tokens, r, c);
        words.insert(words.end(), here.begin(), here.end());
      }
    }
    executor_.write_tiles(feed.addr, words, feed.words);
  }
}

void TrainGrid::write_targets(const Targets& targets) {
  const GridShape grid = plan_.grid;
  const auto n = static_cast<size_t>(plan_.samples);
  if (targets_of(plan_.loss) == TargetForm::Classes) {
    if (targets.classes.size() != n * static_cast<size_t>(grid.cols)) {
      throw InternalError("the targets do not fit the plan");
    }
    std::vector<uint32_t> words;  // the same in all tiles of a column
    for (int r = 0; r < grid.rows; ++r) {
      words.insert(words.end(), targets.classes.begin(), targets.classes.end());
    }
    executor_.write_tiles(plan_.targets_addr, words, n);
    return;
  }
  if (targets.values.features != plan_.values[static_cast<size_t>(plan_.output)].features ||
      targets.values.samples != plan_.batch()) {
    throw InternalError("the targets do not fit the plan");
  }
  executor_.write(plan_.targets_addr, targets.values);
}

void TrainGrid::open(const WaferSide& memory, int samples, bool labelled) {
  Resident resident = resident_of(plan_, memory);
  const bool others = resident != resident_;
  if (time_) {
    std::vector<uint64_t> words(others ? static_cast<size_t>(plan_.grid.rows) : 0, 0);
    for (const auto& vector : resident) {
      for (size_t r = 0; r < words.size(); ++r) words[r] += vector[r].size();
    }
    time_->open(samples, labelled, std::move(words));
    time_->edge().await_biases(progress_);
  }
  if (!others) return;
  write_resident(plan_, resident, &executor_);
  resident_ = std::move(resident);
}

Launched TrainGrid::launch(size_t phases, float scale, memoryx::WeightStream* weights,
                           const std::vector<uint64_t>& numbers, memoryx::GradientSink* sink,
                           std::vector<std::vector<uint32_t>>* outputs) {
  std::vector<uint64_t> taken(numbers.size(), 0);
  EdgeTime* edge = time_ ? &time_->edge() : nullptr;
  const bool modelled = edge != nullptr && edge->modelled();
  if (time_ && sink != nullptr) time_->begin_gradients();
  const auto take = [&](size_t row, const Left& left) {
    const uint64_t number = taken[row]++;
    if (number >= numbers[row]) return;  // too many
    if (outputs != nullptr && number < output_words(static_cast<int>(row))) {
      (*outputs)[row].push_back(left.data);
      return;
    }
    float value;
    std::memcpy(&value, &left.data, sizeof value);
    const int r = static_cast<int>(row);
    const memoryx::GradientSink::Taken of = sink->take(r, value);
    if (!of.filling && modelled) {
      time_->gradient(r, of.parameter, of.updated, number, left.cycle);
    }
  };
  // A number's time on its way out is only known when it has left.
  executor_.on_west(modelled ? nullptr : std::function<void(size_t, const Left&)>(take));
  uint64_t limit = train_cycle_limit(plan_);
  if (edge != nullptr) {
    const uint64_t most = *std::max_element(numbers.begin(), numbers.end());
    limit += edge->longest_wait(std::max(train_stream_limit(plan_), most));
    limit += edge->longest_stay();
  }
  const int features = plan_.values[static_cast<size_t>(plan_.output)].features;
  const float factor = loss_part(plan_.loss).factor(scale, features);
  Launched launched;
  try {
    launched = executor_.launch(phases, factor, weights, limit, edge);
  } catch (...) {
    executor_.on_west(nullptr);  // what comes later has no sink any more
    throw;
  }
  executor_.on_west(nullptr);
  rest_at_ = launched.rest_cycle;
  for (size_t r = 0; r < numbers.size(); ++r) {
    for (const Left& left : executor_.take(executor_.west_ports()[r])) take(r, left);
    if (taken[r] != numbers[r]) {
      throw ProtocolError(
          fmt::format("west edge, grid row {}: {} numbers, not {}", r, taken[r], numbers[r]));
    }
  }
  return launched;
}

uint64_t TrainGrid::take_times(const Launched& launched, TrainRun* run) const {
  run->layers.resize(plan_.layers.size());
  run->phases.resize(plan_.executable.phases.size());
  uint64_t longest = 0;
  for (const std::vector<uint32_t>& ends : launched.ends) {
    TrainTimes tile;
    std::vector<LayerPassTimes> layers(plan_.layers.size());
    for (size_t k = 0; k + 1 < ends.size(); ++k) {
      const Phase& phase = plan_.executable.phases[k];
      const uint32_t cycles = ends[k + 1] - ends[k];
      LayerPassTimes& layer = layers[phase.layer];
      run->phases[k] = std::max<uint64_t>(run->phases[k], cycles);
      if (phase.part == Phase::Part::Loss) tile.loss += cycles;
      if (phase.part == Phase::Part::Forward) layer.forward += cycles;
      const bool leaves = phase.part == Phase::Part::Send;
      if (phase.part == Phase::Part::Gradient || leaves) layer.gradient += cycles;
      if (phase.part == Phase::Part::Delta) layer.delta += cycles;
    }
    for (size_t k = 0; k < layers.size(); ++k) {
      LayerPassTimes& most = run->layers[k];
      tile.forward += layers[k].forward;
      tile.gradients += layers[k].gradient;
      tile.deltas += layers[k].delta;
      most.forward = std::max(most.forward, layers[k].forward);
      most.gradient = std::max(most.gradient, layers[k].gradient);
      most.delta = std::max(most.delta, layers[k].delta);
    }
    run->times.forward = std::max(run->times.forward, tile.forward);
    run->times.loss = std::max(run->times.loss, tile.loss);
    run->times.gradients = std::max(run->times.gradients, tile.gradients);
    run->times.deltas = std::max(run->times.deltas, tile.deltas);
    longest = std::max<uint64_t>(longest, ends.back() - ends.front());
  }
  return longest;
}

namespace {

// Cycles of a micro-batch if its parts did not overlap. `longest`: the cycles of its slowest tile.
uint64_t one_by_one(const TrainRun& run, uint64_t longest, uint64_t alone) {
  uint64_t parts = run.times.loss;
  for (const LayerPassTimes& layer : run.layers) {
    parts += layer.forward + layer.gradient + layer.delta;
  }
  // What was waited for is in the parts, and alone again.
  return std::max(run.cycles, run.cycles - longest + parts + alone - run.edge.held());
}

}  // namespace

TrainRun TrainGrid::train(WaferSide& memory, const Samples& samples, const Targets& targets) {
  if (samples.count() != plan_.batch()) throw InternalError("a micro-batch fills the grid");
  TrainRun run;
  const GridCounters counted = tile_counters(executor_.run());
  const uint64_t begin = begin_passes(memory);
  const auto weights = memory.stream(plan_.streams.step, plan_.streams.options);
  write_samples(memory, samples);
  write_targets(targets);
  run.loaded = executor_.cycle() - begin;
  open(memory, samples.count(), true);
  const memoryx::GradientOptions options{plan_.grid.rows, plan_.tile.lanes,
                                         samples.of_tokens() ? &samples.tokens : nullptr};
  const memoryx::GradientCounts counts =
      memoryx::gradient_counts(memory, plan_.streams.step, options);
  memoryx::GradientSink sink(memory, plan_.streams.step, options);
  std::vector<uint64_t> numbers = counts.sent;
  std::vector<std::vector<uint32_t>> outputs(numbers.size());
  for (size_t r = 0; r < numbers.size(); ++r) numbers[r] += output_words(static_cast<int>(r));
  const Launched launched = launch(plan_.executable.phases.size(), memory.loss_scale(),
                                   weights.get(), numbers, &sink, &outputs);
  const GridCounters after = tile_counters(executor_.run());
  add_counters(counted, after, &run.counters);
  sink.finish();
  run.cycles = rest_at_ - begin;
  if (counts_ != nullptr) counts_->add(plan_.grid, counted, after, run.cycles);
  for (int r = 0; r < plan_.grid.rows; ++r) {
    const auto row = static_cast<size_t>(r);
    run.wavelets_in += weights->wavelets(r);
    run.gradients += counts.sent[row];
    run.row_wavelets = std::max(run.row_wavelets, weights->wavelets(r));
    run.row_gradients = std::max(run.row_gradients, counts.meant[row]);
  }
  run.outputs =
      plan_.choices.outputs_leave ? outputs_of(outputs) : read_value(plan_.output, samples.count());
  if (time_) run.edge = time_->edge().report();
  const bool last = memory.times() == nullptr || memory.times()->reduces;
  if (time_ && last && time_->edge().modelled()) run.left = time_->gradients();
  const uint64_t longest = take_times(launched, &run);
  run.one_by_one = one_by_one(run, longest, time_ ? time_->alone() : 0);
  return run;
}

TrainRun TrainGrid::forward(const WaferSide& memory, const Samples& samples) {
  TrainRun run;
  const uint64_t begin = begin_passes(memory);
  const auto weights = memory.stream(plan_.streams.forward, plan_.streams.options);
  write_samples(memory, samples);
  open(memory, samples.count(), false);
  launch(plan_.executable.forward, 1, weights.get(),
         std::vector<uint64_t>(static_cast<size_t>(plan_.grid.rows), 0));
  run.cycles = rest_at_ - begin;
  for (int r = 0; r < plan_.grid.rows; ++r) {
    run.wavelets_in += weights->wavelets(r);
    run.row_wavelets = std::max(run.row_wavelets, weights->wavelets(r));
  }
  run.outputs = read_value(plan_.output, samples.count());
  return run;
}

uint64_t TrainGrid::output_words(int row) const {
  if (!plan_.choices.outputs_leave) return 0;
  const ValuePlan& output = plan_.values[static_cast<size_t>(plan_.output)];
  return static_cast<uint64_t>(plan_.owned(output.features, row)) *
         static_cast<uint64_t>(plan_.batch()) / 2;
}

// Tile by tile, as they leave.
Activations TrainGrid::outputs_of(const std::vector<std::vector<uint32_t>>& words) const {
  const ValuePlan& output = plan_.values[static_cast<size_t>(plan_.output)];
  Activations y = Activations::zero(output.features, plan_.batch());
  for (int row = 0; row < plan_.grid.rows; ++row) {
    const std::vector<uint32_t>& of_row = words[static_cast<size_t>(row)];
    const auto each = static_cast<std::ptrdiff_t>(of_row.size()) / plan_.grid.cols;
    for (int col = 0; col < plan_.grid.cols; ++col) {
      const auto first = of_row.begin() + each * col;
      unpack_block({first, first + each}, plan_.grid.rows, plan_.samples, row, col, &y);
    }
  }
  return y;
}

Activations TrainGrid::read_value(int value, int samples) {
  const ValuePlan& at = plan_.values.at(static_cast<size_t>(value));
  return executor_.read(at.addr, at.features, samples);
}

Activations TrainGrid::read_deltas(int value) {
  const ValuePlan& at = plan_.values.at(static_cast<size_t>(value));
  return executor_.read(at.delta_addr, at.features, plan_.batch(), at.gathered);
}

}  // namespace ow::jobs
