// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"
#include "ow/compile/executable.h"

namespace ow::jobs {
namespace {

constexpr uint64_t kAlign = 64;  // bytes: the SRAM's banks repeat
constexpr int kAccWordsPerLane = 16;
constexpr int kThreads = 3;             // the task thread, the weights', the drain's
constexpr int64_t kMaxRelayed = 65535;  // words: what a descriptor counts

uint64_t up(uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

// Lays out `plan.layers` for `plan.capacity` samples between two addresses. Returns the bytes that
// are needed, which may be more than there are.
uint64_t lay_out(StreamPlan* plan, uint64_t begin, uint64_t end) {
  std::vector<LayerPlan>& layers = plan->layers;
  const auto block = [plan](int features) {
    return up(static_cast<uint64_t>(plan->owned(features, 0)) *
              static_cast<uint64_t>(plan->capacity) * 2);
  };
  uint64_t next = begin;
  for (LayerPlan& layer : layers) {
    layer.bias_addr = static_cast<uint32_t>(std::min<uint64_t>(next, UINT32_MAX));
    if (layer.shape.bias) next += static_cast<uint64_t>(plan->owned(layer.shape.outputs, 0)) * 4;
  }
  const uint64_t low = up(next);
  const uint64_t high = end / kAlign * kAlign;
  uint64_t all = block(layers.front().shape.inputs);
  uint64_t two = 0;
  for (const LayerPlan& layer : layers) {
    all += block(layer.shape.outputs);
    two = std::max(two, block(layer.shape.inputs) + block(layer.shape.outputs));
  }
  const auto place = [](uint64_t addr) { return static_cast<uint32_t>(addr); };
  if (low + all <= high) {
    uint64_t at = low;
    for (LayerPlan& layer : layers) {
      layer.x_addr = place(at);
      at += block(layer.shape.inputs);
      layer.y_addr = place(at);
      layer.kept = true;
    }
    plan->in_turn = false;
    return low + all - begin;
  }
  plan->in_turn = true;
  if (low + two <= high) {
    for (size_t k = 0; k < layers.size(); ++k) {
      LayerPlan& layer = layers[k];
      const uint64_t x_top = high - block(layer.shape.inputs);
      const uint64_t y_top = high - block(layer.shape.outputs);
      layer.x_addr = place(k % 2 == 0 ? low : x_top);
      layer.y_addr = place(k % 2 == 0 ? y_top : low);
      layer.kept = k + 2 >= layers.size();
    }
  }
  return low + two - begin;
}

// Words that pass the tile that relays most in a grid row.
int64_t relayed_words(const StreamPlan& plan) {
  const int words = plan.owned(plan.layers.back().shape.outputs, 0) * plan.capacity / 2;
  const int tiles = std::max(plan.west_columns(), plan.grid.cols - plan.west_columns()) - 1;
  return static_cast<int64_t>(words) * std::max(tiles, 1);
}

void check_machine(const PlanRequest& r, const StreamPlan& plan, const ElfImage& firmware) {
  const TileConfig& tile = plan.tile;
  if (r.layers.empty()) throw BadInput(r.who + ": no layer");
  if (tile.threads < kThreads) {
    throw BadInput(fmt::format("{}: the kernel needs {} threads, a tile has {}", r.who, kThreads,
                               tile.threads));
  }
  const int colours = colours_of(plan.grid, Exit::BothSides);
  if (tile.colours < colours) {
    throw BadInput(fmt::format("{}: {} x {} tiles need {} colours, the limit is {}", r.who,
                               r.grid.rows, r.grid.cols, colours, tile.colours));
  }
  if (r.type == HalfType::Bfloat16 && isa::reg::Operations::Bfloat16::get(tile.operations) == 0) {
    throw BadInput(fmt::format(
        "{}: the network is in bfloat16, the limit is binary16: these tiles have no other", r.who));
  }
  if (firmware.symbol("ow_stack_top") > tile.sram_bytes) {
    throw BadInput(fmt::format("{}: is built for tiles of {} bytes, the limit here is {}",
                               firmware.path, firmware.symbol("ow_stack_top"), tile.sram_bytes));
  }
}

void check_samples(const PlanRequest& r, const TileConfig& tile) {
  if (r.samples < tile.lanes || r.samples % tile.lanes != 0) {
    throw BadInput(fmt::format("{}: samples_per_tile {}: must be a multiple of the {} lanes", r.who,
                               r.samples, tile.lanes));
  }
  if (r.samples > kAccWordsPerLane * tile.lanes) {
    throw BadInput(fmt::format(
        "{}: samples_per_tile {}: the accumulator cache holds {} fp32 sums, the limit for a row",
        r.who, r.samples, kAccWordsPerLane * tile.lanes));
  }
}

// Samples per tile, a multiple of the lanes, so that the grid holds `count` samples.
int share_of(int count, GridShape grid, int lanes) {
  const int each = (std::max(count, 1) + grid.cols - 1) / grid.cols;
  return (each + lanes - 1) / lanes * lanes;
}

}  // namespace

int most_samples(size_t count, GridShape grid, const TileConfig& tile) {
  const auto all = static_cast<int>(std::min<size_t>(count, 1u << 30));
  return std::min(kAccWordsPerLane * tile.lanes, share_of(all, grid, tile.lanes));
}

int colours_of(GridShape grid, Exit exit) {
  const int column = grid.rows > 2 ? 3 : grid.rows > 1 ? 2 : 0;
  const int results = grid.cols > (exit == Exit::West ? 1 : 2) ? 2 : 1;
  return 1 + column + results;
}

int ring_of(int samples, int lanes) { return kAccWordsPerLane * lanes / samples; }

int StreamPlan::ring() const { return ring_of(samples, tile.lanes); }

StreamPlan StreamPlan::for_batch(int count) const {
  StreamPlan plan = *this;
  plan.samples = std::min(capacity, share_of(count, grid, tile.lanes));
  return plan;
}

StreamPlan begin_plan(const PlanRequest& r, const TileConfig& tile) {
  StreamPlan plan;
  plan.grid = r.grid;
  plan.tile = tile;
  plan.type = r.type;
  for (const LayerShape& shape : r.layers) {
    LayerPlan layer;
    layer.shape = shape;
    plan.layers.push_back(layer);
  }
  return plan;
}

StreamPlan make_plan(const PlanRequest& r, const ElfImage& firmware, const TileConfig& tile) {
  StreamPlan plan = begin_plan(r, tile);
  check_machine(r, plan, firmware);
  if (r.samples != 0) check_samples(r, tile);
  const uint32_t heap = firmware.symbol("ow_heap");
  const uint32_t heap_end = firmware.symbol("ow_heap_end");
  const uint32_t stack = firmware.symbol("ow_stack_top") - heap_end;
  const int least = r.samples != 0 ? r.samples : tile.lanes;
  plan.capacity = r.samples != 0
                      ? r.samples
                      : most_samples(static_cast<size_t>(std::max(r.count, 0)), r.grid, tile);
  plan.samples = plan.capacity;
  plan.list_addr = heap;
  const std::vector<Phase> phases = executable_of(plan).phases;
  check_kernels(firmware, phases);
  const uint64_t begin = up(heap + list_bytes(phases) + ends_bytes(phases));
  while (true) {
    plan.samples = plan.capacity;
    const uint64_t taken = lay_out(&plan, begin, heap_end);
    const bool fits = begin + taken <= heap_end / kAlign * kAlign;
    const int64_t relayed = relayed_words(plan);
    if (fits && relayed <= kMaxRelayed) {
      plan.used_bytes = static_cast<uint32_t>(begin + taken + stack);
      return plan;
    }
    if (plan.capacity > least) {
      plan.capacity -= tile.lanes;
      continue;
    }
    if (!fits) {
      throw BadInput(fmt::format(
          "{}: layers {} with {} samples on {} grid rows need {} bytes of a tile, the limit is {}",
          r.who, sizes_text(r.layers), plan.capacity, r.grid.rows, begin + taken + stack,
          heap_end / kAlign * kAlign + stack));
    }
    throw BadInput(fmt::format(
        "{}: {} outputs with {} samples on {} grid columns: a tile would relay {} words, the limit "
        "is {}",
        r.who, r.layers.back().outputs, plan.capacity, r.grid.cols, relayed, kMaxRelayed));
  }
}

uint64_t stream_weights(const Layer& layer, int row, int rows, bool dense) {
  uint64_t weights = 0;
  for (int j = 0; j < layer.outputs; ++j) {
    for (int i = row; i < layer.inputs; i += rows) {
      if (dense || !half_is_zero(layer.weight(j, i))) ++weights;
    }
  }
  return weights;
}

uint64_t LayerBound::cycles() const { return std::max({stream, engine, reducer}); }

LayerBound layer_bound(const StreamPlan& plan, const Layer& layer, bool dense) {
  LayerBound bound;
  const auto samples = static_cast<uint64_t>(plan.samples);
  const uint64_t beats = samples / static_cast<uint64_t>(plan.tile.lanes);
  const auto ends = static_cast<uint64_t>(layer.outputs);
  for (int row = 0; row < plan.grid.rows; ++row) {
    const uint64_t weights = stream_weights(layer, row, plan.grid.rows, dense);
    bound.stream = std::max(bound.stream, weights + ends);
    bound.engine = std::max(bound.engine, weights * beats + ends);
  }
  bound.reducer = samples * ends;
  return bound;
}

}  // namespace ow::jobs
