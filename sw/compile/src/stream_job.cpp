// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/stream_job.h"
#include "ow/compile/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ow/base/error.h"
#include "ow/compile/causes.h"
#include "ow/device/tile_map.h"
#include "ow/firmware/stream_layer.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"
#include "tile_blocks.h"

namespace ow::jobs {
namespace {

size_t words_of(int features, int samples) {
  return static_cast<size_t>(features) * static_cast<size_t>(samples) / 2;
}

}  // namespace

StreamJob::StreamJob(ControlPlane& control, const ElfImage& firmware, const StreamPlan& plan,
                     const Network& network)
    : control_(control), firmware_(firmware), plan_(plan), network_(network), held_(plan.batch()) {
  const Rect all = whole(plan_.grid);
  if (network.layers.size() != plan.layers.size() || network.type != plan.type) {
    throw InternalError("the plan is for another network");
  }
  const TileSize tile = read_tile_size(control_, 0, 0);
  if (tile.lanes != plan_.tile.lanes || tile.sram_bytes < plan_.tile.sram_bytes ||
      tile.threads < plan_.tile.threads || tile.colours < plan_.colours.count) {
    throw BadInput(fmt::format(
        "the device has {} lanes, {} threads, {} colours and {} bytes of SRAM; the plan is for {}, "
        "{}, {} and {}",
        tile.lanes, tile.threads, tile.colours, tile.sram_bytes, plan_.tile.lanes,
        plan_.tile.threads, plan_.colours.count, plan_.tile.sram_bytes));
  }
  load_program(control_, all, firmware_);
  set_identity(control_, all);
  set_routes();
  bind_queues();
  write_parameters();
  write_biases();
  control_.fence(all);
  start_cores(control_, all, firmware_.entry);
  run_until_quiet(control_, firmware_, "start-up of the firmware");
}

void StreamJob::set_routes() {
  const GridShape grid = plan_.grid;
  const Colours& c = plan_.colours;
  const int west = plan_.west_columns();
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
      routes.set(row, col, c.result[col % 2], {Port::Ramp, col < west ? kOutW : kOutE});
      if (col + 1 < west) routes.set(row, col, c.result[(col + 1) % 2], {Port::East, kOutRamp});
      if (col > west) routes.set(row, col, c.result[(col - 1) % 2], {Port::West, kOutRamp});
    }
    if (west > 0) routes.listen(Side::West, row, c.result[0]);
    routes.listen(Side::East, row, c.result[(grid.cols - 1) % 2]);
  }
  routes.apply(control_);
}

// The same in rows, or columns, of one parity. A queue whose neighbour does not exist is left
// without a colour.
void StreamJob::bind_queues() {
  const GridShape grid = plan_.grid;
  const Colours& c = plan_.colours;
  unbind_queues(control_, whole(grid));
  bind_inq(control_, whole(grid), OW_SL_INQ_WEIGHTS, c.weights);
  for (int r = 0; grid.rows > 1 && r < grid.rows; ++r) {
    const Rect row{r, 0, 1, grid.cols};
    bind_inq(control_, row, OW_SL_INQ_SUMS, r > 0 ? c.down[(r - 1) % 2] : c.back);
    bind_outq(control_, row, OW_SL_OUTQ_SUMS, r + 1 < grid.rows ? c.down[r % 2] : c.back);
  }
  const uint32_t relay_addr = firmware_.symbol("ow_relay");
  const int west = plan_.west_columns();
  for (int col = 0; col < grid.cols; ++col) {
    const Rect column{0, col, grid.rows, 1};
    bind_outq(control_, column, OW_SL_OUTQ_RESULT, c.result[col % 2]);
    const int relay = col < west ? west - 1 - col : col - west;
    if (relay > 0) bind_inq(control_, column, OW_SL_INQ_RELAY, c.result[(col + 1) % 2]);
    control_.write(column, relay_addr, static_cast<uint32_t>(relay));
  }
}

void StreamJob::write_parameters() {
  ow_stream_params block{};
  block.layers = static_cast<uint32_t>(plan_.layers.size());
  block.grid_rows = static_cast<uint32_t>(plan_.grid.rows);
  for (size_t k = 0; k < plan_.layers.size(); ++k) {
    const LayerPlan& layer = plan_.layers[k];
    ow_layer_params& p = block.layer[k];
    p.samples = static_cast<uint32_t>(plan_.samples);
    p.inputs = static_cast<uint32_t>(layer.local_inputs);
    p.outputs = static_cast<uint32_t>(layer.shape.outputs);
    p.share = p.outputs / block.grid_rows;
    p.left = p.outputs % block.grid_rows;
    p.x_addr = layer.x_addr;
    p.y_addr = layer.y_addr;
    p.bias_addr = layer.bias_addr;
    p.ring = static_cast<uint32_t>(plan_.ring());
    p.flags = pass_flags(layer.shape) | (plan_.type == HalfType::Bfloat16 ? OW_SL_BF16 : 0u) |
              (k + 1 == plan_.layers.size() ? OW_SL_SEND_Y : 0u);
  }
  static_assert(sizeof block % 4 == 0, "the block is made of words");
  std::vector<uint32_t> words(sizeof block / 4);
  std::memcpy(words.data(), &block, sizeof block);
  control_.write(whole(plan_.grid), firmware_.symbol("ow_params"), words);
}

void StreamJob::write_biases() {
  const GridShape grid = plan_.grid;
  for (size_t k = 0; k < plan_.layers.size(); ++k) {
    const LayerPlan& layer = plan_.layers[k];
    if (!layer.shape.bias) continue;
    for (int r = 0; r < grid.rows; ++r) {
      std::vector<uint32_t> bias;
      for (int j = r; j < layer.shape.outputs; j += grid.rows) {
        bias.push_back(float_bits(network_.layers[k].bias_values[static_cast<size_t>(j)]));
      }
      if (!bias.empty()) control_.write(Rect{r, 0, 1, grid.cols}, layer.bias_addr, bias);
    }
  }
}

void StreamJob::write_input(const Activations& x) {
  const StreamPlan plan = plan_.for_batch(x.samples);
  if (x.features != plan.layers.front().shape.inputs || x.samples < 1 || x.samples > plan.batch()) {
    throw InternalError("the input does not fit the plan");
  }
  const bool changed = plan.samples != plan_.samples;
  plan_ = plan;
  held_ = x.samples;
  if (changed) write_parameters();
  for (int r = 0; r < plan_.grid.rows; ++r) {
    for (int c = 0; c < plan_.grid.cols; ++c) {
      const std::vector<uint32_t> words = pack_block(x, plan_.grid.rows, plan_.samples, r, c);
      if (!words.empty()) control_.write_tile(r, c, plan_.layers.front().x_addr, words);
    }
  }
  control_.fence(whole(plan_.grid));
}

std::vector<StreamJob::Outlet> StreamJob::outlets() const {
  const GridShape grid = plan_.grid;
  const int west = plan_.west_columns();
  std::vector<Outlet> out;
  for (int r = 0; r < grid.rows; ++r) {
    const size_t words = words_of(plan_.owned(plan_.layers.back().shape.outputs, r), plan_.samples);
    if (words == 0) continue;
    if (west > 0) {
      out.push_back(
          {Side::West, r, plan_.colours.result[0], 0, 1, static_cast<size_t>(west), words});
    }
    out.push_back({Side::East, r, plan_.colours.result[(grid.cols - 1) % 2], grid.cols - 1, -1,
                   static_cast<size_t>(grid.cols - west), words});
  }
  return out;
}

void StreamJob::set_time(const TimeModel& model) {
  edge_ = std::make_unique<EdgeTime>(control_.device(), plan_.colours.weights, -1, model);
}

// The samples of a batch are loaded while the one before it is worked on.
void StreamJob::open_edge() {
  if (!edge_) return;
  constexpr uint64_t kHalfBits = 16;
  const auto rows = static_cast<uint64_t>(plan_.grid.rows);
  const auto features = static_cast<uint64_t>(plan_.layers.front().shape.inputs);
  const uint64_t bits = kHalfBits * features * static_cast<uint64_t>(held_);
  const uint64_t now = control_.device().cycle();
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

void StreamJob::take_outputs(const std::vector<Outlet>& outlets, StreamRun* result) {
  result->outputs = Activations::zero(plan_.layers.back().shape.outputs, held_);
  for (const Outlet& o : outlets) {
    const std::vector<Arrival> arrivals = control_.device().take_arrivals(o.side, o.row, o.colour);
    if (arrivals.size() != o.blocks * o.words) {
      throw ProtocolError(fmt::format("{} edge, grid row {}: {} result wavelets, not {}",
                                      side_name(o.side), o.row, arrivals.size(),
                                      o.blocks * o.words));
    }
    result->wavelets_out += arrivals.size();
    result->last_cycle = std::max(result->last_cycle, arrivals.back().cycle);
    for (size_t n = 0; n < arrivals.size(); ++n) {
      const int column = o.first_column + o.step * static_cast<int>(n / o.words);
      const int element = static_cast<int>(n % o.words) * 2;
      const int feature = element / plan_.samples * plan_.grid.rows + o.row;
      const int sample = column * plan_.samples + element % plan_.samples;
      const uint32_t data = arrivals[n].wavelet.data;
      if (sample < held_) result->outputs.at(feature, sample) = static_cast<uint16_t>(data);
      if (sample + 1 < held_) {
        result->outputs.at(feature, sample + 1) = static_cast<uint16_t>(data >> 16);
      }
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
  options.colour = plan_.colours.weights;
  options.dense = dense;
  memoryx::WeightStream weights(memoryx::matrix_batches(std::move(matrices), options), options);
  const std::vector<Outlet> out = outlets();
  open_edge();
  const uint64_t limit = cycle_limit();
  control_.write(whole(grid), kRegTaskActivate, 1u << OW_SL_TASK_LAUNCH);
  result.first_cycle = control_.device().cycle();
  const auto complete = [&] {
    return std::all_of(out.begin(), out.end(), [&](const Outlet& o) {
      return control_.device().available(o.side, o.row, o.colour) >= o.blocks * o.words;
    });
  };
  feed(control_, firmware_, &weights, plan_.colours.weights, complete, limit, progress_,
       edge_.get());
  for (int r = 0; r < grid.rows; ++r) {
    result.wavelets_in += weights.wavelets(r);
    result.multiply_adds += weights.weights(r) * static_cast<uint64_t>(held_);
  }
  take_outputs(out, &result);
  if (edge_) result.edge = edge_->report();

  run_until_quiet(control_, firmware_, "after the last result");
  const size_t layers = plan_.layers.size();
  const auto stats = control_.read_rect(whole(grid), firmware_.symbol("ow_stats"), 4 * layers);
  result.times.resize(layers);
  for (size_t k = 0; k < layers; ++k) {
    for (const std::vector<uint32_t>& words : stats) {
      result.times[k].push_back(
          {words[4 * k], words[4 * k + 1], words[4 * k + 2], words[4 * k + 3]});
    }
  }
  return result;
}

void StreamJob::spoil_outputs() {
  constexpr uint32_t kNeverWritten = 0x7FED7FED;  // NaNs of both types that no operation makes
  for (const LayerPlan& layer : plan_.layers) {
    const int local = plan_.owned(layer.shape.outputs, 0);  // of the grid row that has most
    const std::vector<uint32_t> words(words_of(local, plan_.capacity), kNeverWritten);
    control_.write(whole(plan_.grid), layer.y_addr, words);
  }
  control_.fence(whole(plan_.grid));
}

Activations StreamJob::read_layer(size_t k) {
  const LayerPlan& layer = plan_.layers.at(k);
  std::vector<ControlPlane::ReadRequest> requests;
  for (int r = 0; r < plan_.grid.rows; ++r) {
    const size_t words = words_of(plan_.owned(layer.shape.outputs, r), plan_.samples);
    for (int c = 0; words > 0 && c < plan_.grid.cols; ++c) {
      requests.push_back({r, c, layer.y_addr, words});
    }
  }
  const auto blocks = control_.read_many(requests);
  Activations y = Activations::zero(layer.shape.outputs, held_);
  for (size_t n = 0; n < requests.size(); ++n) {
    const ControlPlane::ReadRequest& request = requests[n];
    unpack_block(blocks[n], plan_.grid.rows, plan_.samples, request.row, request.col, &y);
  }
  return y;
}

Counters StreamJob::counters() { return sum_counters(control_); }

}  // namespace ow::jobs
