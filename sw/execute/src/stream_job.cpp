// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/stream_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"
#include "ow/compile/lowering.h"
#include "tile_blocks.h"

namespace ow::jobs {

StreamJob::StreamJob(const Runtime& machine, const ElfImage& firmware, const StreamPlan& plan,
                     const Network& network)
    : plan_(plan),
      network_(network),
      executor_(machine, firmware, executable_of(plan)),
      held_(plan.batch()) {
  if (network.layers.size() != plan.layers.size() || network.type != plan.type) {
    throw InternalError("the plan is for another network");
  }
  write_biases();
}

// All of them in one copy, because each copy waits for the tiles.
void StreamJob::write_biases() {
  const GridShape grid = plan_.grid;
  const uint32_t first = plan_.layers.front().bias_addr;
  std::vector<uint32_t> words;
  size_t each = 0;
  for (int r = 0; r < grid.rows; ++r) {
    std::vector<uint32_t> of_row;
    for (size_t k = 0; k < plan_.layers.size(); ++k) {
      const LayerPlan& layer = plan_.layers[k];
      if (!layer.shape.bias) continue;
      of_row.resize((layer.bias_addr - first) / 4, 0);
      for (int j = r; j < layer.shape.outputs; j += grid.rows) {
        of_row.push_back(float_bits(network_.layers[k].bias_values[static_cast<size_t>(j)]));
      }
    }
    if (r == 0) each = of_row.size();  // it has most
    of_row.resize(each, 0);
    for (int c = 0; c < grid.cols; ++c) words.insert(words.end(), of_row.begin(), of_row.end());
  }
  executor_.write_tiles(first, words, each);
}

void StreamJob::write_input(const Activations& x) {
  const StreamPlan plan = plan_.for_batch(x.samples);
  if (x.features != plan.layers.front().shape.inputs || x.samples < 1 || x.samples > plan.batch()) {
    throw InternalError("the input does not fit the plan");
  }
  if (plan.samples != plan_.samples) executor_.set_phases(executable_of(plan));
  plan_ = plan;
  held_ = x.samples;
  executor_.write(plan_.layers.front().x_addr, x);
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
  const auto features = static_cast<uint64_t>(plan_.layers.front().shape.inputs);
  const uint64_t bits = kHalfBits * features * static_cast<uint64_t>(held_);
  const uint64_t now = executor_.cycle();
  EdgeStream stream;
  stream.sample_bits = (bits + rows - 1) / rows;
  stream.weights = {EdgeReady{now, now, now}};
  edge_->open(std::move(stream));
}

uint64_t StreamJob::cycle_limit() const {
  constexpr uint64_t kStart = 100000;
  // A tile for area (SmallTile) takes 29 cycles for a sample where two lanes take half a one.
  constexpr uint64_t kTimesBound = 64;
  uint64_t limit = kStart;
  uint64_t wavelets = 0;
  for (const Layer& layer : network_.layers) {
    const LayerBound bound = layer_bound(plan_, layer, true);
    limit += kTimesBound * bound.cycles();
    wavelets += bound.stream;
  }
  return limit + (edge_ ? edge_->longest_wait(wavelets) : 0);
}

void StreamJob::take_outputs(const std::vector<StreamPort>& ports, int first, int step, int columns,
                             StreamRun* result) {
  for (size_t p = 0; p < ports.size(); ++p) {
    const int row = static_cast<int>(p);
    const int owned = plan_.owned(plan_.layers.back().shape.outputs, row);
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

StreamRun StreamJob::run(bool dense) {
  const GridShape grid = plan_.grid;
  StreamRun result;
  std::vector<std::unique_ptr<memoryx::MatrixSource>> matrices;
  for (const Layer& layer : network_.layers) matrices.push_back(memoryx::layer_matrix(layer));
  memoryx::StreamOptions options;
  options.rows = grid.rows;
  options.dense = dense;
  memoryx::WeightStream weights(memoryx::matrix_batches(std::move(matrices), options), options);
  open_edge();
  const size_t phases = plan_.layers.size() + 1;
  const Launched launched = executor_.launch(phases, 1, &weights, cycle_limit(), edge_.get());
  result.first_cycle = launched.first_cycle;
  for (int r = 0; r < grid.rows; ++r) {
    result.wavelets_in += weights.wavelets(r);
    result.multiply_adds += weights.weights(r) * static_cast<uint64_t>(held_);
  }
  result.outputs = Activations::zero(plan_.layers.back().shape.outputs, held_);
  const int west = plan_.west_columns();
  take_outputs(executor_.west_ports(), 0, 1, west, &result);
  take_outputs(executor_.east_ports(), grid.cols - 1, -1, grid.cols - west, &result);
  if (edge_) result.edge = edge_->report();
  result.times.resize(plan_.layers.size());
  for (size_t k = 0; k < plan_.layers.size(); ++k) {
    for (const std::vector<uint32_t>& ends : launched.ends) {
      result.times[k].push_back({ends[k], ends[k + 1]});
    }
  }
  return result;
}

void StreamJob::spoil_outputs() {
  constexpr uint32_t kNeverWritten = 0x7FED7FED;  // NaNs of both types that no operation makes
  for (const LayerPlan& layer : plan_.layers) {
    const int local = plan_.owned(layer.shape.outputs, 0);  // of the grid row that has most
    executor_.write_all(
        layer.y_addr,
        std::vector<uint32_t>(static_cast<size_t>(local * plan_.capacity / 2), kNeverWritten));
  }
}

Activations StreamJob::read_layer(size_t k) {
  const LayerPlan& layer = plan_.layers.at(k);
  return executor_.read(layer.y_addr, layer.shape.outputs, held_);
}

}  // namespace ow::jobs
