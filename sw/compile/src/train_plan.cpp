// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/train_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"
#include "ow/firmware/train.h"

namespace ow::jobs {
namespace {

constexpr uint64_t kAlign = 64;  // bytes: the SRAM's banks repeat
constexpr int kAccWordsPerLane = 16;
constexpr int kThreads = 3;
constexpr uint64_t kWorkWords = 1024;  // of the work area where there is room
constexpr uint64_t kMaxWords = 32767;  // what a descriptor counts in 16-bit elements
constexpr uint64_t kMaxRows = 65535;   // .. and a drain

uint64_t up(uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

void check_job(const std::string& who, const TrainingJob& job, const TrainPlan& plan,
               const ElfImage& firmware) {
  const TileConfig& tile = plan.tile;
  const auto whole = [](SumOrder order) { return order != SumOrder::Column; };
  if (std::any_of(job.forward.begin(), job.forward.end(), whole) ||
      std::any_of(job.delta.begin(), job.delta.end(), whole)) {
    throw BadInput(who + ": the tiles' program sums round the column only");
  }
  if (job.layers.size() > OW_TR_MAX_LAYERS) {
    throw BadInput(fmt::format("{}: {} layers: the tiles' program takes 1 to {}", who,
                               job.layers.size(), OW_TR_MAX_LAYERS));
  }
  if (job.samples % tile.lanes != 0 || job.samples > kAccWordsPerLane * tile.lanes) {
    throw BadInput(
        fmt::format("{}: {} samples a tile: must be a multiple of the {} lanes, the "
                    "limit is {} (a row of the accumulator cache)",
                    who, job.samples, tile.lanes, kAccWordsPerLane * tile.lanes));
  }
  if (tile.threads < kThreads || tile.colours < plan.colours.count) {
    throw BadInput(fmt::format(
        "{}: {} x {} tiles need {} threads and {} colours, the limits are {} and {}", who,
        plan.grid.rows, plan.grid.cols, kThreads, plan.colours.count, tile.threads, tile.colours));
  }
  check_units(who, job.type, job.loss, tile);
  // What the host and the program talk about: named now, not when it is missed.
  for (const char* symbol : {"ow_train_params", "ow_train_run", "ow_train_times"}) {
    firmware.symbol(symbol);
  }
  if (firmware.symbol("ow_stack_top") > tile.sram_bytes) {
    throw BadInput(fmt::format("{}: is built for tiles of {} bytes, the limit here is {}",
                               firmware.path, firmware.symbol("ow_stack_top"), tile.sram_bytes));
  }
}

// Places for what a step keeps, from `at` on; returns where they end.
uint64_t place_tensors(TrainPlan* plan, uint64_t at) {
  const auto n = static_cast<uint64_t>(plan->samples);
  const auto local = [plan](int features) {
    return static_cast<uint64_t>(plan->owned(features, 0));
  };
  const auto place = [&at](uint64_t bytes) {
    const uint64_t here = at;
    at = up(at + bytes);
    return static_cast<uint32_t>(std::min<uint64_t>(here, UINT32_MAX));
  };
  at = up(at);
  for (const LayerShape& layer : plan->layers) {
    plan->bias_addr.push_back(place(layer.bias ? 4 * local(layer.outputs) : 0));
  }
  const int outputs = plan->layers.back().outputs;
  plan->targets_addr =
      place(plan->loss == Loss::SoftmaxCrossEntropy ? 4 * n : 2 * n * local(outputs));
  for (TensorPlan& tensor : plan->tensors) tensor.addr = place(2 * n * local(tensor.features));
  for (size_t turn = 0; turn < 2; ++turn) {
    uint64_t most = 0;
    for (size_t k = 1; k < plan->tensors.size(); ++k) {
      if (k % 2 == turn) most = std::max(most, local(plan->tensors[k].features));
    }
    const uint32_t here = place(2 * n * most);
    for (size_t k = 1; k < plan->tensors.size(); ++k) {
      if (k % 2 == turn) plan->tensors[k].delta_addr = here;
    }
  }
  return at;
}

// The work area and the gathered deltas, which take what is left; returns where they end, or would
// if there were room for the least of them.
uint64_t place_work(TrainPlan* plan, uint64_t at, uint64_t end) {
  const auto n = static_cast<uint64_t>(plan->samples);
  uint64_t inputs = 1, outputs = 1;
  for (const LayerShape& layer : plan->layers) {
    inputs = std::max(inputs, static_cast<uint64_t>(plan->owned(layer.inputs, 0)));
    outputs = std::max(outputs, static_cast<uint64_t>(layer.outputs));
  }
  // Exponentials of all outputs that a tile owns are kept until their sum is known.
  uint64_t loss = 4 * n * OW_TR_LOSS_ROWS;
  if (plan->loss == Loss::SoftmaxCrossEntropy) {
    loss += 4 * n * static_cast<uint64_t>(plan->owned(plan->layers.back().outputs, 0));
  }
  const uint64_t least = up(std::max(4 * n, loss));
  plan->work_addr = static_cast<uint32_t>(std::min<uint64_t>(at, UINT32_MAX));
  const uint64_t row = plan->grid.rows > 1 ? 2 * n : 0;  // a column of one tile gathers nothing
  if (at + least + row > end) return at + least + row;
  plan->gather_addr = static_cast<uint32_t>(at + least);
  // A drain counts the rows of the reducer.
  const uint64_t drained = kMaxRows * static_cast<uint64_t>(plan->tile.lanes) / inputs;
  uint64_t rows = std::min(outputs, drained);
  if (row > 0) rows = std::min({rows, (end - plan->gather_addr) / row, 2 * kMaxWords / n});
  plan->gather_rows = static_cast<uint32_t>(rows);
  // Biases and the masks of ReLU may have the gathered deltas' place, too.
  const uint64_t used =
      std::max(plan->gather_addr + row * rows, std::min(at + 4 * kWorkWords, end));
  plan->work_words = static_cast<uint32_t>(std::min((used - at) / 4, kMaxWords));
  return used;
}

}  // namespace

int TrainPlan::ring() const { return kAccWordsPerLane * tile.lanes / samples; }

void check_units(const std::string& who, HalfType type, Loss loss, const TileConfig& tile) {
  using isa::reg::Features, isa::reg::Operations;
  const auto need = [&](uint32_t units, uint32_t mask, const char* what) {
    if ((units & mask) != 0) return;
    throw BadInput(fmt::format("{}: the tiles have no {}, which this training needs", who, what));
  };
  need(tile.features, Features::Fp32::kMask, "arithmetic in fp32");
  need(tile.features, Features::DotwRows::kMask, "row ends in dotw");
  need(tile.operations, Operations::Int16::kMask, "16-bit integers");
  need(tile.operations, Operations::Compare::kMask, "comparisons");
  need(tile.operations, Operations::Reductions::kMask, "reductions");
  const bool softmax = loss == Loss::SoftmaxCrossEntropy;
  if (softmax) {
    need(tile.features, Features::Nonlinear::kMask, "non-linear functions");
    need(tile.features, Features::Int32::kMask, "32-bit integers");
  }
  // Softmax begins its reciprocal with one of bfloat16.
  if (softmax || type == HalfType::Bfloat16) {
    need(tile.operations, Operations::Bfloat16::kMask, "arithmetic in bfloat16");
  }
}

TrainPlan make_train_plan(const std::string& who, const TrainingJob& job, const ElfImage& firmware,
                          const TileConfig& tile) {
  TrainPlan plan;
  plan.grid = {job.grid_rows, job.grid_cols};
  plan.tile = tile;
  plan.type = job.type;
  plan.loss = job.loss;
  plan.samples = job.samples;
  plan.layers = job.layers;
  plan.colours = choose_colours(plan.grid);
  // Every tile of a grid row sends to the west, where a run's results leave at both edges.
  if (plan.grid.cols == 2) plan.colours.result[1] = plan.colours.count++;
  check_job(who, job, plan, firmware);
  plan.tensors.push_back({job.layers.front().inputs, 0, 0});
  for (const LayerShape& layer : job.layers) plan.tensors.push_back({layer.outputs, 0, 0});
  const uint32_t end = firmware.symbol("ow_heap_end");
  const uint32_t stack = firmware.symbol("ow_stack_top") - end;
  const uint64_t kept = place_tensors(&plan, firmware.symbol("ow_heap"));
  const uint64_t used = place_work(&plan, kept, end);
  if (used > end) {
    throw BadInput(fmt::format(
        "{}: training layers {} with {} samples a tile on {} grid rows needs {} bytes of a tile, "
        "the limit is {}",
        who, sizes_text(job.layers), job.samples, job.grid_rows, used + stack, end + stack));
  }
  plan.used_bytes = static_cast<uint32_t>(used + stack);
  return plan;
}

uint64_t train_stream_limit(const TrainPlan& plan) {
  const int rows = plan.grid.rows;
  uint64_t wavelets = 0;
  for (const LayerShape& layer : plan.layers) {
    const auto inputs = static_cast<uint64_t>(layer.inputs);
    const auto outputs = static_cast<uint64_t>(layer.outputs);
    // Forward and gradient, then the transpose, each output's with its end.
    wavelets += 2 * outputs * (static_cast<uint64_t>(plan.owned(layer.inputs, 0)) + 1);
    wavelets +=
        inputs * ((outputs + static_cast<uint64_t>(rows) - 1) / static_cast<uint64_t>(rows) + 1);
  }
  return wavelets;
}

uint64_t train_cycle_limit(const TrainPlan& plan) {
  constexpr uint64_t kStart = 1000000;
  constexpr uint64_t kTimes = 8;
  constexpr uint64_t kAnOutput = 400;
  const auto samples = static_cast<uint64_t>(plan.samples);
  const uint64_t beats = samples / static_cast<uint64_t>(plan.tile.lanes);
  const auto columns = static_cast<uint64_t>(plan.grid.cols);
  // Samples and targets come in through one port.
  uint64_t limit =
      kStart + kTimes * samples * columns *
                   static_cast<uint64_t>(plan.layers.front().inputs + plan.layers.back().outputs);
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
