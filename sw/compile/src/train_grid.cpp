// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/train_grid.h"
#include "ow/compile/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "ow/base/error.h"
#include "ow/compile/causes.h"
#include "ow/device/tile_map.h"
#include "ow/firmware/train.h"
#include "ow/isa/isa.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"
#include "tile_blocks.h"

namespace ow::jobs {
namespace {

using memoryx::WaferSide;

template <typename Block>
std::vector<uint32_t> words_of(const Block& block) {
  static_assert(sizeof block % 4 == 0, "the block is made of words");
  std::vector<uint32_t> words(sizeof block / 4);
  std::memcpy(words.data(), &block, sizeof block);
  return words;
}

}  // namespace

void add_times(const TrainTimes& from, TrainTimes* to) {
  to->forward += from.forward;
  to->loss += from.loss;
  to->gradients += from.gradients;
  to->deltas += from.deltas;
}

TrainGrid::TrainGrid(ControlPlane& control, const ElfImage& firmware, const TrainPlan& plan)
    : control_(control),
      firmware_(firmware),
      plan_(plan),
      streams_(streams_of(plan_)),
      parameters_(memoryx::parameters_of(plan_.layers)) {
  const Rect all = whole(plan_.grid);
  check_device();
  load_program(control_, all, firmware_);
  set_identity(control_, all);
  set_routes();
  bind_queues();
  write_parameters();
  control_.fence(all);
  start_cores(control_, all, firmware_.entry);
  run_until_quiet(control_, firmware_, "start-up of the firmware");
}

void TrainGrid::check_device() const {
  const TileConfig tile = read_tile_config(control_, 0, 0);
  if (tile.lanes != plan_.tile.lanes || tile.sram_bytes < plan_.tile.sram_bytes ||
      tile.threads < plan_.tile.threads || tile.colours < plan_.colours.count) {
    throw BadInput(fmt::format(
        "the device has {} lanes, {} threads, {} colours and {} bytes of SRAM; the plan is for {}, "
        "{}, {} and {}",
        tile.lanes, tile.threads, tile.colours, tile.sram_bytes, plan_.tile.lanes,
        plan_.tile.threads, plan_.colours.count, plan_.tile.sram_bytes));
  }
  check_units(control_.device().description(), plan_.type, plan_.loss, tile);
}

void TrainGrid::set_time(const TimeModel& model) {
  time_ = std::make_unique<TrainTime>(control_.device(), plan_, model);
  rest_at_ = control_.device().cycle();
}

// What the host has read since the grid came to rest is no time of the training.
uint64_t TrainGrid::begin_passes(const WaferSide& memory) {
  const uint64_t now = control_.device().cycle();
  if (time_) time_->begin(now - rest_at_, memory);
  return now;
}

void TrainGrid::set_routes() {
  const GridShape grid = plan_.grid;
  const Colours& c = plan_.colours;
  RouteSet routes(grid);
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.cols; ++col) {
      const bool last_col = col + 1 == grid.cols, last_row = row + 1 == grid.rows;
      routes.set(row, col, c.weights, {Port::West, kOutRamp | (last_col ? 0u : kOutE)});
      if (!last_row) routes.set(row, col, c.down[row % 2], {Port::Ramp, kOutS});
      if (row > 0) routes.set(row, col, c.down[(row - 1) % 2], {Port::North, kOutRamp});
      if (grid.rows > 1) {
        routes.set(row, col, c.back,
                   {last_row ? Port::Ramp : Port::South, row > 0 ? kOutN : kOutRamp});
      }
      routes.set(row, col, c.result[col % 2], {Port::Ramp, kOutW});
      if (!last_col) routes.set(row, col, c.result[(col + 1) % 2], {Port::East, kOutRamp});
    }
    routes.listen(Side::West, row, c.result[0]);
  }
  routes.apply(control_);
}

void TrainGrid::bind_queues() {
  const GridShape grid = plan_.grid;
  const Colours& c = plan_.colours;
  unbind_queues(control_, whole(grid));
  bind_inq(control_, whole(grid), OW_SL_INQ_WEIGHTS, c.weights);
  for (int r = 0; grid.rows > 1 && r < grid.rows; ++r) {
    const Rect row{r, 0, 1, grid.cols};
    bind_inq(control_, row, OW_SL_INQ_SUMS, r > 0 ? c.down[(r - 1) % 2] : c.back);
    bind_outq(control_, row, OW_SL_OUTQ_SUMS, r + 1 < grid.rows ? c.down[r % 2] : c.back);
  }
  for (int col = 0; col < grid.cols; ++col) {
    const Rect column{0, col, grid.rows, 1};
    bind_outq(control_, column, OW_TR_OUTQ_WEST, c.result[col % 2]);
    if (col + 1 < grid.cols) bind_inq(control_, column, OW_TR_INQ_EAST, c.result[(col + 1) % 2]);
  }
}

void TrainGrid::write_parameters() {
  ow_train_params p{};
  const auto rows = static_cast<uint32_t>(plan_.grid.rows);
  p.layers = static_cast<uint32_t>(plan_.layers.size());
  p.grid_rows = rows;
  p.grid_cols = static_cast<uint32_t>(plan_.grid.cols);
  p.samples = static_cast<uint32_t>(plan_.samples);
  p.lanes = static_cast<uint32_t>(plan_.tile.lanes);
  p.ring = static_cast<uint32_t>(plan_.ring());
  p.bf16 = plan_.type == HalfType::Bfloat16 ? 1 : 0;
  p.loss = loss_part(plan_.loss).program;
  p.targets_addr = plan_.targets_addr;
  p.work_addr = plan_.work_addr;
  p.work_words = plan_.work_words;
  p.gather_addr = plan_.gather_addr;
  p.gather = {plan_.gather_rows, plan_.gather_rows / rows, plan_.gather_rows % rows};
  p.last_gathered = plan_.last_gathered ? 1 : 0;
  p.window = plan_.window;
  for (size_t k = 0; k < plan_.tensors.size(); ++k) {
    const TensorPlan& tensor = plan_.tensors[k];
    const auto features = static_cast<uint32_t>(tensor.features);
    p.tensor[k] = {{features, features / rows, features % rows}, tensor.addr, tensor.delta_addr};
  }
  for (size_t k = 0; k < plan_.layers.size(); ++k) {
    const LayerShape& layer = plan_.layers[k];
    p.layer[k].bias_addr = plan_.bias_addr[k];
    p.layer[k].flags = pass_flags(layer) |
                       (plan_.forward[k] == SumOrder::Whole ? OW_TR_WHOLE_FORWARD : 0u) |
                       (plan_.delta[k] == SumOrder::Whole ? OW_TR_WHOLE_DELTA : 0u);
  }
  control_.write(whole(plan_.grid), firmware_.symbol("ow_train_params"), words_of(p));
}

void TrainGrid::write_input(const Activations& x) {
  if (x.features != plan_.layers.front().inputs || x.samples < 1 || x.samples > plan_.batch()) {
    throw InternalError("the input does not fit the plan");
  }
  load_blocks(control_, firmware_, x, plan_.samples, plan_.tensors.front().addr);
}

void TrainGrid::write_targets(const Targets& targets) {
  const GridShape grid = plan_.grid;
  const auto n = static_cast<size_t>(plan_.samples);
  if (targets_of(plan_.loss) == TargetForm::Classes) {
    if (targets.classes.size() != n * static_cast<size_t>(grid.cols)) {
      throw InternalError("the targets do not fit the plan");
    }
    for (int c = 0; c < grid.cols; ++c) {
      const auto first = targets.classes.begin() + static_cast<std::ptrdiff_t>(n) * c;
      const std::vector<uint32_t> words(first, first + static_cast<std::ptrdiff_t>(n));
      control_.write(Rect{0, c, grid.rows, 1}, plan_.targets_addr, words);
    }
    return;
  }
  if (targets.values.features != plan_.layers.back().outputs ||
      targets.values.samples != plan_.batch()) {
    throw InternalError("the targets do not fit the plan");
  }
  load_blocks(control_, firmware_, targets.values, plan_.samples, plan_.targets_addr);
}

TrainGrid::Biases TrainGrid::biases_of(const WaferSide& memory) const {
  const auto rows = static_cast<size_t>(plan_.grid.rows);
  Biases biases(plan_.layers.size());
  for (size_t k = 0; k < plan_.layers.size(); ++k) {
    const LayerShape& layer = plan_.layers[k];
    biases[k].resize(rows);
    if (!layer.bias) continue;
    const auto outputs = static_cast<size_t>(layer.outputs);
    const auto values = memory.store().weights(parameters_[k].bias, 0, outputs);
    for (size_t j = 0; j < outputs; ++j) biases[k][j % rows].push_back(float_bits(values[j]));
  }
  return biases;
}

void TrainGrid::write_biases(const Biases& biases) {
  for (size_t k = 0; k < biases.size(); ++k) {
    for (int r = 0; r < plan_.grid.rows; ++r) {
      const std::vector<uint32_t>& words = biases[k][static_cast<size_t>(r)];
      if (!words.empty()) {
        control_.write(Rect{r, 0, 1, plan_.grid.cols}, plan_.bias_addr[k], words);
      }
    }
  }
}

void TrainGrid::open(const WaferSide& memory, int samples, bool labelled) {
  Biases biases = biases_of(memory);
  const bool others = biases != biases_;
  if (time_) {
    std::vector<uint64_t> words(others ? static_cast<size_t>(plan_.grid.rows) : 0, 0);
    for (const auto& layer : biases) {
      for (size_t r = 0; r < words.size(); ++r) words[r] += layer[r].size();
    }
    time_->open(samples, labelled, std::move(words));
    time_->edge().await_biases(progress_);
  }
  if (!others) return;
  write_biases(biases);
  biases_ = std::move(biases);
}

// All requests before it have been taken when a tile takes this one.
void TrainGrid::launch(bool backward, float scale) {
  const Rect all = whole(plan_.grid);
  ow_train_run run{};
  run.backward = backward ? 1 : 0;
  run.scale = float_bits(loss_part(plan_.loss).factor(scale, plan_.layers.back().outputs));
  control_.write(all, firmware_.symbol("ow_train_run"), words_of(run));
  control_.write(all, kRegTaskActivate, 1u << OW_TR_TASK_LAUNCH);
}

void TrainGrid::take_gradients(int row, uint64_t numbers, memoryx::GradientSink* sink,
                               uint64_t* taken) {
  const auto arrivals = control_.device().take_arrivals(Side::West, row, plan_.colours.result[0]);
  for (const Arrival& arrival : arrivals) {
    const uint64_t number = (*taken)++;
    if (number >= numbers) continue;  // the last word, or too many
    float value;
    std::memcpy(&value, &arrival.wavelet.data, sizeof value);
    const memoryx::GradientSink::Taken of = sink->take(row, value);
    if (!of.filling && time_ && time_->edge().modelled()) {
      time_->gradient(row, of.parameter, of.updated, number, arrival.cycle);
    }
  }
}

void TrainGrid::stream(memoryx::WeightStream* weights, const std::vector<uint64_t>& numbers,
                       memoryx::GradientSink* sink) {
  Device& device = control_.device();
  const int colour = plan_.colours.result[0];
  std::vector<uint64_t> taken(numbers.size(), 0);
  EdgeTime* edge = time_ ? &time_->edge() : nullptr;
  // A number's time on its way out is only known when it has left.
  const bool at_once = edge == nullptr || !edge->modelled();
  if (time_ && sink != nullptr) time_->begin_gradients();
  const auto complete = [&] {
    bool all = true;
    for (size_t r = 0; r < numbers.size(); ++r) {
      const int row = static_cast<int>(r);
      if (at_once) take_gradients(row, numbers[r], sink, &taken[r]);
      all = all && taken[r] + device.available(Side::West, row, colour) >= numbers[r] + 1;
    }
    return all;
  };
  uint64_t limit = train_cycle_limit(plan_);
  if (edge != nullptr) {
    const uint64_t most = *std::max_element(numbers.begin(), numbers.end());
    limit += edge->longest_wait(std::max(train_stream_limit(plan_), most));
  }
  feed(control_, firmware_, weights, plan_.colours.weights, complete, limit, progress_, edge);
  const uint64_t stay = edge != nullptr ? edge->longest_stay() : 0;
  rest_at_ = run_until_quiet(control_, firmware_, "after the last gradient", stay);
  for (size_t r = 0; r < numbers.size(); ++r) {
    take_gradients(static_cast<int>(r), numbers[r], sink, &taken[r]);
    if (taken[r] != numbers[r] + 1) {
      throw ProtocolError(fmt::format("west edge, grid row {}: {} numbers and a last word, not {}",
                                      r, taken[r], numbers[r] + 1));
    }
  }
}

uint64_t TrainGrid::take_times(TrainRun* run) {
  const size_t depth = plan_.layers.size();
  uint64_t longest = 0;
  constexpr size_t kWords = sizeof(ow_train_times) / 4;
  for (const auto& words :
       control_.read_rect(whole(plan_.grid), firmware_.symbol("ow_train_times"), kWords)) {
    ow_train_times t;
    std::memcpy(&t, words.data(), sizeof t);
    TrainTimes& most = run->times;
    uint32_t before = t.loss, gradients = 0, deltas = 0;
    run->layers.resize(depth);
    for (size_t k = depth; k-- > 0;) {
      LayerPassTimes& of = run->layers[k];
      const uint32_t forward = t.forward[k] - (k > 0 ? t.forward[k - 1] : t.start);
      const uint32_t gradient = t.gradient[k] - before;
      const uint32_t delta = k > 0 ? t.delta[k] - t.gradient[k] : 0;
      of.forward = std::max<uint64_t>(of.forward, forward);
      of.gradient = std::max<uint64_t>(of.gradient, gradient);
      of.delta = std::max<uint64_t>(of.delta, delta);
      gradients += gradient;
      deltas += delta;
      before = t.delta[k];
    }
    const uint32_t forward = t.forward[depth - 1];
    most.forward = std::max<uint64_t>(most.forward, forward - t.start);
    most.loss = std::max<uint64_t>(most.loss, t.loss - forward);
    most.gradients = std::max<uint64_t>(most.gradients, gradients);
    most.deltas = std::max<uint64_t>(most.deltas, deltas);
    longest = std::max<uint64_t>(longest, t.gradient[0] - t.start);
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

TrainRun TrainGrid::train(WaferSide& memory, const Activations& x, const Targets& targets) {
  if (x.samples != plan_.batch()) throw InternalError("a micro-batch fills the grid");
  TrainRun run;
  const Counters counted = sum_counters(control_);
  const uint64_t begin = begin_passes(memory);
  const auto weights = memory.stream(streams_.step, streams_.options);
  write_input(x);
  write_targets(targets);
  run.loaded = control_.device().cycle() - begin;
  open(memory, x.samples, true);
  launch(true, memory.loss_scale());
  const memoryx::GradientOptions options{plan_.grid.rows, plan_.tile.lanes};
  const memoryx::GradientCounts counts = memoryx::gradient_counts(memory, streams_.step, options);
  memoryx::GradientSink sink(memory, streams_.step, options);
  stream(weights.get(), counts.sent, &sink);
  add_counters(counted, sum_counters(control_), &run.counters);
  sink.finish();
  run.cycles = rest_at_ - begin;
  for (int r = 0; r < plan_.grid.rows; ++r) {
    const auto row = static_cast<size_t>(r);
    run.wavelets_in += weights->wavelets(r);
    run.gradients += counts.sent[row];
    run.row_wavelets = std::max(run.row_wavelets, weights->wavelets(r));
    run.row_gradients = std::max(run.row_gradients, counts.meant[row]);
  }
  run.outputs = read(plan_.tensors.back().addr, plan_.tensors.back().features, x.samples);
  if (time_) run.edge = time_->edge().report();
  const bool last = memory.times() == nullptr || memory.times()->reduces;
  if (time_ && last && time_->edge().modelled()) run.left = time_->gradients();
  const uint64_t longest = take_times(&run);
  run.one_by_one = one_by_one(run, longest, time_ ? time_->alone() : 0);
  return run;
}

TrainRun TrainGrid::forward(const WaferSide& memory, const Activations& x) {
  TrainRun run;
  const uint64_t begin = begin_passes(memory);
  const auto weights = memory.stream(streams_.forward, streams_.options);
  write_input(x);
  open(memory, x.samples, false);
  launch(false, 1);
  stream(weights.get(), std::vector<uint64_t>(static_cast<size_t>(plan_.grid.rows), 0), nullptr);
  run.cycles = rest_at_ - begin;
  for (int r = 0; r < plan_.grid.rows; ++r) {
    run.wavelets_in += weights->wavelets(r);
    run.row_wavelets = std::max(run.row_wavelets, weights->wavelets(r));
  }
  run.outputs = read(plan_.tensors.back().addr, plan_.tensors.back().features, x.samples);
  return run;
}

Activations TrainGrid::read(uint32_t addr, int features, int samples, bool gathered) {
  std::vector<ControlPlane::ReadRequest> requests;
  for (int r = 0; r < plan_.grid.rows; ++r) {
    const size_t words = plan_.words(features, r);
    for (int c = 0; words > 0 && c < plan_.grid.cols; ++c) requests.push_back({r, c, addr, words});
    if (gathered) addr += static_cast<uint32_t>(4 * words);
  }
  const auto blocks = control_.read_many(requests);
  Activations y = Activations::zero(features, samples);
  for (size_t n = 0; n < requests.size(); ++n) {
    unpack_block(blocks[n], plan_.grid.rows, plan_.samples, requests[n].row, requests[n].col, &y);
  }
  return y;
}

Activations TrainGrid::read_tensor(size_t k) {
  const TensorPlan& tensor = plan_.tensors.at(k);
  return read(tensor.addr, tensor.features, plan_.batch());
}

Activations TrainGrid::read_deltas(size_t k) {
  const TensorPlan& tensor = plan_.tensors.at(k);
  const bool gathered = plan_.last_gathered && k + 1 == plan_.tensors.size();
  return read(tensor.delta_addr, tensor.features, plan_.batch(), gathered);
}

}  // namespace ow::jobs
