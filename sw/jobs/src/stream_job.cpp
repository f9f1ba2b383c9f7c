// SPDX-License-Identifier: Apache-2.0
#include "ow/jobs/stream_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ow/error.h"
#include "ow/hang_report.h"
#include "ow/stream_layer.h"
#include "ow/tile_error.h"

namespace ow::jobs {
namespace {

constexpr uint32_t kAlign = 64;  // bytes; what the engine reads without losing beats
constexpr int kMaxStep = 32767;  // bytes, of a descriptor
constexpr int kAccWordsPerLane = 16;

uint32_t align(uint32_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

uint32_t float_bits(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

uint32_t control_data(bool stream_end) { return stream_end ? 3u : 1u; }

}  // namespace

std::vector<LayerShape> shapes(const golden::Network& network) {
  std::vector<LayerShape> result;
  for (const golden::Layer& layer : network.layers) {
    result.push_back({layer.inputs, layer.outputs, layer.relu});
  }
  return result;
}

StreamPlan make_plan(const std::string& who, GridShape grid, int samples,
                     const std::vector<LayerShape>& layers, const ElfImage& firmware, int lanes) {
  StreamPlan plan;
  plan.grid = grid;
  plan.samples = samples;
  plan.lanes = lanes;
  if (samples < lanes || samples % lanes != 0) {
    throw BadInput(fmt::format("{}: samples_per_tile {}: must be a multiple of the {} lanes", who,
                               samples, lanes));
  }
  if (samples > kAccWordsPerLane * lanes) {
    throw BadInput(fmt::format(
        "{}: samples_per_tile {}: the accumulator cache holds {} fp32 sums, the limit for a row",
        who, samples, kAccWordsPerLane * lanes));
  }
  if (layers.empty() || layers.size() > OW_SL_MAX_LAYERS) {
    throw BadInput(fmt::format("{}: {} layers: the kernel takes 1 to {}", who, layers.size(),
                               OW_SL_MAX_LAYERS));
  }
  const uint32_t heap = firmware.symbol("ow_heap");
  const uint32_t heap_end = firmware.symbol("ow_heap_end");
  const uint32_t stack_top = firmware.symbol("ow_stack_top");
  const uint32_t pitch = static_cast<uint32_t>(samples) * 2;
  uint64_t next = align(heap);
  const auto take = [&next](uint64_t bytes) {
    const uint32_t addr = static_cast<uint32_t>(std::min<uint64_t>(next, UINT32_MAX));
    next = (next + bytes + kAlign - 1) / kAlign * kAlign;
    return addr;
  };
  uint32_t x_addr = 0;
  for (size_t k = 0; k < layers.size(); ++k) {
    LayerPlan layer;
    layer.shape = layers[k];
    layer.local_inputs = plan.owned(layers[k].inputs, 0);
    if (k == 0) x_addr = take(static_cast<uint64_t>(layer.local_inputs) * pitch);
    layer.x_addr = x_addr;
    const uint64_t outputs = static_cast<uint64_t>(plan.owned(layers[k].outputs, 0));
    layer.y_addr = take(outputs * pitch);
    layer.bias_addr = take(outputs * 4);
    layer.ring = kAccWordsPerLane * lanes / samples;
    x_addr = layer.y_addr;
    plan.layers.push_back(layer);
  }
  const uint64_t used = next + (stack_top - heap_end);
  if (next > heap_end) {
    std::string sizes = std::to_string(layers.front().inputs);
    for (const LayerShape& layer : layers) sizes += "-" + std::to_string(layer.outputs);
    throw BadInput(fmt::format(
        "{}: layers {} with {} samples on {} grid rows need {} bytes of a tile, the limit is {}",
        who, sizes, samples, grid.rows, used, stack_top));
  }
  // Blocks that pass a tile are counted in one 16-bit length.
  const int words = plan.owned(layers.back().outputs, 0) * samples / 2;
  const int relayed = std::max(plan.west_columns(), grid.cols - plan.west_columns()) - 1;
  if (static_cast<int64_t>(words) * std::max(relayed, 1) > 65535) {
    throw BadInput(fmt::format(
        "{}: {} outputs with {} samples on {} grid columns: a tile would relay {} words, the limit "
        "is 65535",
        who, layers.back().outputs, samples, grid.cols, static_cast<int64_t>(words) * relayed));
  }
  if (pitch > static_cast<uint32_t>(kMaxStep)) throw InternalError("pitch beyond a descriptor");
  plan.used_bytes = static_cast<uint32_t>(used);
  return plan;
}

std::vector<Wavelet> weight_stream(const golden::Layer& layer, int row, int rows, bool dense) {
  std::vector<Wavelet> stream;
  int sent = 0;
  for (int owner = 0; owner < rows; ++owner) {
    for (int j = owner; j < layer.outputs; j += rows) {
      for (int i = row; i < layer.inputs; i += rows) {
        const uint16_t weight = layer.weight(j, i);
        if (!dense && golden::Layer::is_zero(weight)) continue;
        Wavelet w;
        w.colour = kColourWeights;
        w.data = static_cast<uint32_t>(i / rows) << 16 | weight;
        stream.push_back(w);
      }
      Wavelet end;
      end.colour = kColourWeights;
      end.ctrl = true;
      end.data = control_data(++sent == layer.outputs);
      stream.push_back(end);
    }
  }
  return stream;
}

LayerBound layer_bound(const StreamPlan& plan, const golden::Layer& layer, bool dense) {
  LayerBound bound;
  const uint64_t beats = static_cast<uint64_t>(plan.samples) / static_cast<uint64_t>(plan.lanes);
  const uint64_t samples = static_cast<uint64_t>(plan.samples);
  for (int row = 0; row < plan.grid.rows; ++row) {
    uint64_t weights = 0;
    for (int j = 0; j < layer.outputs; ++j) {
      for (int i = row; i < layer.inputs; i += plan.grid.rows) {
        if (dense || !golden::Layer::is_zero(layer.weight(j, i))) ++weights;
      }
    }
    const uint64_t ends = static_cast<uint64_t>(layer.outputs);
    bound.stream = std::max(bound.stream, weights + ends);
    bound.engine = std::max(bound.engine, weights * beats + ends);
  }
  bound.reducer = samples * static_cast<uint64_t>(layer.outputs);
  return bound;
}

StreamJob::StreamJob(ControlPlane& control, const ElfImage& firmware, const StreamPlan& plan,
                     const golden::Network& network)
    : control_(control), firmware_(firmware), plan_(plan), network_(network) {
  const GridShape grid = plan_.grid;
  const Rect all = whole(grid);
  if (network.layers.size() != plan.layers.size()) {
    throw InternalError("the plan is for another network");
  }
  const TileConfig config = read_config(control_, 0, 0);
  if (config.lanes != plan_.lanes || config.sram_bytes < firmware_.symbol("ow_stack_top") ||
      config.threads < 3 || config.colours < kColourResult + 2) {
    throw BadInput(fmt::format(
        "the device has {} lanes, {} threads, {} colours and {} bytes of SRAM; the job needs {}, "
        "3, {} and {}",
        config.lanes, config.threads, config.colours, config.sram_bytes, plan_.lanes,
        kColourResult + 2, firmware_.symbol("ow_stack_top")));
  }

  load_program(control_, all, firmware_);
  set_identity(control_, all);

  // Routes.
  RouteSet routes(grid);
  for (int r = 0; r < grid.rows; ++r) {
    for (int c = 0; c < grid.cols; ++c) {
      routes.set(r, c, kColourWeights, {Port::West, kOutRamp | (c + 1 < grid.cols ? kOutE : 0u)});
      if (r + 1 < grid.rows) routes.set(r, c, kColourDown + r % 2, {Port::Ramp, kOutS});
      if (r > 0) routes.set(r, c, kColourDown + (r - 1) % 2, {Port::North, kOutRamp});
      if (grid.rows > 1) {
        routes.set(r, c, kColourBack,
                   {r + 1 < grid.rows ? Port::South : Port::Ramp, r > 0 ? kOutN : kOutRamp});
      }
      const bool west = c < plan_.west_columns();
      routes.set(r, c, kColourResult + c % 2, {Port::Ramp, west ? kOutW : kOutE});
      if (west && c + 1 < plan_.west_columns()) {
        routes.set(r, c, kColourResult + (c + 1) % 2, {Port::East, kOutRamp});
      }
      if (!west && c > plan_.west_columns()) {
        routes.set(r, c, kColourResult + (c - 1) % 2, {Port::West, kOutRamp});
      }
    }
    if (plan_.west_columns() > 0) routes.listen(Side::West, r, kColourResult);
    routes.listen(Side::East, r, kColourResult + (grid.cols - 1) % 2);
  }
  routes.apply(control_);

  // Queues: the same in rows, or columns, of one parity. A queue whose neighbour does not exist is
  // left without a colour.
  bind_inq(control_, all, OW_SL_INQ_WEIGHTS, kColourWeights);
  for (int r = 0; grid.rows > 1 && r < grid.rows; ++r) {
    const Rect row{r, 0, 1, grid.cols};
    bind_inq(control_, row, OW_SL_INQ_SUMS, r > 0 ? kColourDown + (r - 1) % 2 : kColourBack);
    bind_outq(control_, row, OW_SL_OUTQ_SUMS,
              r + 1 < grid.rows ? kColourDown + r % 2 : kColourBack);
  }
  const uint32_t relay_addr = firmware_.symbol("ow_relay");
  for (int c = 0; c < grid.cols; ++c) {
    const Rect column{0, c, grid.rows, 1};
    bind_outq(control_, column, OW_SL_OUTQ_RESULT, kColourResult + c % 2);
    const bool west = c < plan_.west_columns();
    const int relay = west ? plan_.west_columns() - 1 - c : c - plan_.west_columns();
    if (relay > 0) bind_inq(control_, column, OW_SL_INQ_RELAY, kColourResult + (c + 1) % 2);
    control_.write(column, relay_addr, static_cast<uint32_t>(relay));
  }

  // Parameters and biases.
  ow_stream_params block{};
  block.layers = static_cast<uint32_t>(plan_.layers.size());
  block.grid_rows = static_cast<uint32_t>(grid.rows);
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
    p.ring = static_cast<uint32_t>(layer.ring);
    p.flags =
        (layer.shape.relu ? OW_SL_RELU : 0u) | (k + 1 == plan_.layers.size() ? OW_SL_SEND_Y : 0u);
    for (int r = 0; r < grid.rows; ++r) {
      std::vector<uint32_t> bias;
      for (int j = r; j < layer.shape.outputs; j += grid.rows) {
        bias.push_back(float_bits(network_.layers[k].bias[static_cast<size_t>(j)]));
      }
      if (!bias.empty()) control_.write(Rect{r, 0, 1, grid.cols}, layer.bias_addr, bias);
    }
  }
  static_assert(sizeof block % 4 == 0, "the block is made of words");
  std::vector<uint32_t> words(sizeof block / 4);
  std::memcpy(words.data(), &block, sizeof block);
  control_.write(all, firmware_.symbol("ow_params"), words);
  control_.fence(all);
  start_cores(control_, all, firmware_.entry);
  run_until_quiet("start-up of the firmware");
}

void StreamJob::run_until_quiet(const std::string& what) {
  constexpr uint64_t kLimit = 100000;
  const RunStatus status = control_.device().run(kLimit);
  check_errors(control_, whole(control_.shape()), &firmware_);
  if (status != RunStatus::Quiet) {
    throw DeviceFault(fmt::format("{}: the grid is not at rest after {} cycles", what, kLimit));
  }
}

void StreamJob::write_input(const golden::Activations& x) {
  const LayerPlan& first = plan_.layers.front();
  if (x.features != first.shape.inputs || x.samples > plan_.batch()) {
    throw InternalError("the input does not fit the plan");
  }
  for (int r = 0; r < plan_.grid.rows; ++r) {
    const int local = plan_.owned(x.features, r);
    if (local == 0) continue;
    for (int c = 0; c < plan_.grid.cols; ++c) {
      std::vector<uint32_t> words(
          static_cast<size_t>(local) * static_cast<size_t>(plan_.samples) / 2, 0);
      for (int l = 0; l < local; ++l) {
        for (int s = 0; s < plan_.samples; ++s) {
          const int sample = c * plan_.samples + s;
          if (sample >= x.samples) break;
          const uint32_t value = x.at(l * plan_.grid.rows + r, sample);
          words[(static_cast<size_t>(l) * static_cast<size_t>(plan_.samples) +
                 static_cast<size_t>(s)) /
                2] |= value << (16 * (s % 2));
        }
      }
      control_.write_tile(r, c, first.x_addr, words);
    }
  }
  control_.fence(whole(plan_.grid));
}

StreamRun StreamJob::run(bool dense) {
  Device& device = control_.device();
  const GridShape grid = plan_.grid;
  const LayerPlan& last = plan_.layers.back();
  StreamRun result;

  // What each edge port will bring.
  struct Port {
    Side side;
    int row;
    int colour;
    int first_column;  // of the blocks, in the order in which they arrive
    int step;
    size_t blocks;
    size_t words;  // a block
  };
  std::vector<Port> ports;
  for (int r = 0; r < grid.rows; ++r) {
    const size_t words = static_cast<size_t>(plan_.owned(last.shape.outputs, r)) *
                         static_cast<size_t>(plan_.samples) / 2;
    if (words == 0) continue;
    const int west = plan_.west_columns();
    if (west > 0) {
      ports.push_back({Side::West, r, kColourResult, 0, 1, static_cast<size_t>(west), words});
    }
    ports.push_back({Side::East, r, kColourResult + (grid.cols - 1) % 2, grid.cols - 1, -1,
                     static_cast<size_t>(grid.cols - west), words});
  }

  uint64_t weights = 0;
  std::vector<std::vector<Wavelet>> streams(static_cast<size_t>(grid.rows));
  for (int r = 0; r < grid.rows; ++r) {
    std::vector<Wavelet>& stream = streams[static_cast<size_t>(r)];
    for (const golden::Layer& layer : network_.layers) {
      const std::vector<Wavelet> part = weight_stream(layer, r, grid.rows, dense);
      stream.insert(stream.end(), part.begin(), part.end());
    }
    for (const Wavelet& w : stream) weights += w.ctrl ? 0 : 1;
    result.wavelets_in += stream.size();
  }
  result.multiply_adds = weights * static_cast<uint64_t>(plan_.batch());
  uint64_t limit = 100000;
  for (const golden::Layer& layer : network_.layers) {
    limit += 8 * layer_bound(plan_, layer, true).cycles();
  }

  control_.write(whole(grid), kRegTaskActivate, 1u << OW_SL_TASK_LAUNCH);
  result.first_cycle = device.cycle();
  for (int r = 0; r < grid.rows; ++r) device.send(Side::West, r, streams[static_cast<size_t>(r)]);
  uint32_t calls = 0;
  const auto done = [&] {
    // Arrivals carry their cycle, so it is enough to look now and then.
    if (++calls % 64 != 0) return false;
    if (progress_ && calls % 4096 == 0) progress_();
    for (const Port& port : ports) {
      if (device.available(port.side, port.row, port.colour) < port.blocks * port.words) {
        return false;
      }
    }
    return true;
  };
  const auto complete = [&] {
    for (const Port& port : ports) {
      if (device.available(port.side, port.row, port.colour) < port.blocks * port.words) {
        return false;
      }
    }
    return true;
  };
  const RunStatus status = device.run(limit, done);
  if (status != RunStatus::Done && !complete()) {
    check_errors(control_, whole(control_.shape()), &firmware_);
    const HangReport report = make_hang_report(control_, &firmware_);
    throw DeviceFault(fmt::format("the grid {} in cycle {} before all results were out\n{}",
                                  status == RunStatus::Quiet ? "came to rest" : "was still busy",
                                  report.cycle, report.text()));
  }

  result.logits = golden::Activations::zero(last.shape.outputs, plan_.batch());
  for (const Port& port : ports) {
    const std::vector<Arrival> arrivals = device.take(port.side, port.row, port.colour);
    if (arrivals.size() != port.blocks * port.words) {
      throw ProtocolError(fmt::format("{} edge, grid row {}: {} result wavelets, not {}",
                                      side_name(port.side), port.row, arrivals.size(),
                                      port.blocks * port.words));
    }
    result.wavelets_out += arrivals.size();
    result.last_cycle = std::max(result.last_cycle, arrivals.back().cycle);
    for (size_t n = 0; n < arrivals.size(); ++n) {
      const int column = port.first_column + port.step * static_cast<int>(n / port.words);
      const int element = static_cast<int>(n % port.words) * 2;
      const int feature = element / plan_.samples * grid.rows + port.row;
      const int sample = column * plan_.samples + element % plan_.samples;
      result.logits.at(feature, sample) = static_cast<uint16_t>(arrivals[n].wavelet.data);
      result.logits.at(feature, sample + 1) = static_cast<uint16_t>(arrivals[n].wavelet.data >> 16);
    }
  }

  run_until_quiet("after the last result");
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
  constexpr uint32_t kNeverWritten = 0x7DAD7DAD;  // two binary16 NaNs that no operation makes
  for (const LayerPlan& layer : plan_.layers) {
    const int local = plan_.owned(layer.shape.outputs, 0);  // of the grid row that has most
    const size_t words = static_cast<size_t>(local) * static_cast<size_t>(plan_.samples) / 2;
    control_.write(whole(plan_.grid), layer.y_addr, std::vector<uint32_t>(words, kNeverWritten));
  }
  control_.fence(whole(plan_.grid));
}

golden::Activations StreamJob::read_layer(size_t k) {
  const LayerPlan& layer = plan_.layers.at(k);
  std::vector<ControlPlane::ReadRequest> requests;
  for (int r = 0; r < plan_.grid.rows; ++r) {
    const int local = plan_.owned(layer.shape.outputs, r);
    if (local == 0) continue;
    for (int c = 0; c < plan_.grid.cols; ++c) {
      requests.push_back({r, c, layer.y_addr,
                          static_cast<size_t>(local) * static_cast<size_t>(plan_.samples) / 2});
    }
  }
  const auto blocks = control_.read_many(requests);
  golden::Activations y = golden::Activations::zero(layer.shape.outputs, plan_.batch());
  for (size_t n = 0; n < requests.size(); ++n) {
    const ControlPlane::ReadRequest& request = requests[n];
    for (size_t w = 0; w < blocks[n].size(); ++w) {
      const int element = static_cast<int>(w) * 2;
      const int feature = element / plan_.samples * plan_.grid.rows + request.row;
      const int sample = request.col * plan_.samples + element % plan_.samples;
      y.at(feature, sample) = static_cast<uint16_t>(blocks[n][w]);
      y.at(feature, sample + 1) = static_cast<uint16_t>(blocks[n][w] >> 16);
    }
  }
  return y;
}

Counters StreamJob::counters() {
  Counters sum{};
  for (const Counters& tile : read_counters(control_, whole(plan_.grid))) {
    for (size_t k = 0; k < sum.size(); ++k) sum[k] += tile[k];
  }
  return sum;
}

}  // namespace ow::jobs
