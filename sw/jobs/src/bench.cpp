// SPDX-License-Identifier: Apache-2.0
#include "ow/jobs/bench.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "ow/error.h"
#include "ow/golden/formats.h"
#include "ow/golden/rng.h"
#include "ow/jobs/stream_job.h"
#include "ow/text_file.h"

namespace ow::jobs {

std::map<std::string, Target> load_targets(const std::string& path, const std::string& bench) {
  std::map<std::string, Target> targets;
  try {
    const YAML::Node rows = YAML::Load(read_text(path))[bench];
    if (!rows.IsDefined() || !rows.IsMap()) {
      throw BadInput(fmt::format("{}: key '{}' is missing", path, bench));
    }
    for (const auto& row : rows) {
      const std::string name = row.first.as<std::string>();
      Target t;
      t.what = row.second["what"].as<std::string>();
      t.unit = row.second["unit"].as<std::string>();
      t.better = row.second["better"].as<std::string>();
      t.target = row.second["target"].as<double>();
      if (t.better != "higher" && t.better != "lower" && t.better != "equal") {
        throw BadInput(fmt::format("{}: key '{}.{}.better': must be higher, lower or equal", path,
                                   bench, name));
      }
      targets[name] = t;
    }
  } catch (const YAML::Exception& e) {
    throw BadInput(fmt::format("{}:{}: {}", path, e.mark.line + 1, e.msg));
  }
  return targets;
}

double WeightCost::cycles_per_weight() const {
  return static_cast<double>(cycles[1] - cycles[0]) / static_cast<double>(weights[1] - weights[0]);
}

WeightCost measure_weight(const ElfImage& firmware, int samples, const SimOptions& options) {
  WeightCost cost;
  cost.samples = samples;
  for (int k = 0; k < 2; ++k) {
    const int inputs = k == 0 ? 64 : 320;
    golden::Layer layer;
    layer.inputs = inputs;
    layer.outputs = 1;
    layer.weights.assign(static_cast<size_t>(inputs), golden::round_to_f16(0.25));
    layer.bias = {0.0f};
    golden::Network network;
    network.layers.push_back(layer);
    const auto device = make_device(DeviceKind::Replicated, GridShape{1, 1}, options);
    ControlPlane control(*device);
    const StreamPlan plan =
        make_plan("weight cost", device->shape(), samples, shapes(network), firmware);
    StreamJob job(control, firmware, plan, network);
    golden::Activations x = golden::Activations::zero(inputs, samples);
    for (size_t n = 0; n < x.values.size(); ++n) {
      x.values[n] = golden::round_to_f16(static_cast<double>(n % 13) / 16.0);
    }
    job.write_input(x);
    const StreamRun run = job.run(true);
    const LayerTimes& times = run.times[0][0];
    cost.weights[k] = static_cast<uint64_t>(inputs);
    cost.cycles[k] = times.weights_done - times.start;
  }
  return cost;
}

double ReduceCost::elements_per_cycle() const {
  return static_cast<double>((outputs[1] - outputs[0]) * static_cast<uint64_t>(samples)) /
         static_cast<double>(cycles[1] - cycles[0]);
}

double ReduceCost::wavelets_per_cycle() const {
  return elements_per_cycle() * (samples + ends_and_weights) / samples;
}

ReduceCost measure_reduction(const ElfImage& firmware, const SimOptions& options) {
  ReduceCost cost;
  cost.rows = 4;
  cost.samples = 32;
  cost.ends_and_weights = 2;
  for (int k = 0; k < 2; ++k) {
    // One weight a row and output: the reducers have most to do.
    golden::Layer layer;
    layer.inputs = cost.rows;
    layer.outputs = k == 0 ? 64 : 320;
    layer.weights.assign(static_cast<size_t>(layer.inputs * layer.outputs),
                         golden::round_to_f16(0.25));
    layer.bias.assign(static_cast<size_t>(layer.outputs), 0.0f);
    golden::Network network;
    network.layers.push_back(layer);
    const auto device = make_device(DeviceKind::Replicated, GridShape{cost.rows, 1}, options);
    ControlPlane control(*device);
    const StreamPlan plan =
        make_plan("column reduction", device->shape(), cost.samples, shapes(network), firmware);
    StreamJob job(control, firmware, plan, network);
    job.write_input(golden::Activations::zero(layer.inputs, cost.samples));
    const StreamRun run = job.run(true);
    const LayerTimes& times = run.times[0][static_cast<size_t>(cost.rows - 1)];
    cost.outputs[k] = static_cast<uint64_t>(layer.outputs);
    cost.cycles[k] = times.drain_done - times.start;
  }
  return cost;
}

double HopCost::cycles_per_hop() const {
  return static_cast<double>(latency[1] - latency[0]) / (hops[1] - hops[0]);
}

double HopCost::wavelets_per_cycle() const {
  return static_cast<double>(wavelets - 1) / static_cast<double>(stream_cycles);
}

HopCost measure_hops(const SimOptions& options) {
  constexpr int kColour = 11;
  constexpr uint64_t kWavelets = 2000;
  constexpr uint64_t kLimit = 10000;
  HopCost cost;
  cost.wavelets = kWavelets;
  for (int k = 0; k < 2; ++k) {
    const int columns = k == 0 ? 2 : 10;
    const auto device = make_device(DeviceKind::Replicated, GridShape{1, columns}, options);
    ControlPlane control(*device);
    RouteSet routes(device->shape());
    routes.set(whole(device->shape()), kColour, {Port::West, kOutE});
    routes.listen(Side::East, 0, kColour);
    routes.apply(control);
    control.fence(whole(device->shape()));
    device->run(kLimit);

    Wavelet wavelet;
    wavelet.colour = kColour;
    wavelet.data = 0xC0FFEE;
    const uint64_t sent = device->cycle();
    device->send(Side::West, 0, wavelet);
    device->run(kLimit);
    std::vector<Arrival> arrivals = device->take(Side::East, 0, kColour);
    if (arrivals.size() != 1 || arrivals[0].wavelet != wavelet) {
      throw DeviceFault("hop latency: the wavelet did not come through");
    }
    cost.hops[k] = columns;
    cost.latency[k] = arrivals[0].cycle - sent;

    std::vector<Wavelet> stream(kWavelets, wavelet);
    for (uint64_t n = 0; n < kWavelets; ++n) stream[n].data = static_cast<uint32_t>(n);
    device->send(Side::West, 0, stream);
    device->run(kLimit);
    arrivals = device->take(Side::East, 0, kColour);
    if (arrivals.size() != kWavelets) throw DeviceFault("hop rate: wavelets are missing");
    for (uint64_t n = 0; n < kWavelets; ++n) {
      if (arrivals[n].wavelet != stream[n]) throw DeviceFault("hop rate: a wavelet was changed");
    }
    cost.stream_cycles = arrivals.back().cycle - arrivals.front().cycle;
  }
  return cost;
}

double LoadCost::one() const {
  return static_cast<double>(cycles_one - distance) / static_cast<double>(words);
}

double LoadCost::all() const {
  return static_cast<double>(cycles_all - distance) / static_cast<double>(words);
}

LoadCost measure_load(uint64_t words, const SimOptions& options) {
  LoadCost cost;
  cost.words = words;
  const GridShape grid{4, 4};
  cost.distance = 2 * (static_cast<uint64_t>(grid.rows) + static_cast<uint64_t>(grid.cols) - 2);
  golden::Rng rng(16);
  ElfImage image;
  image.path = "synthetic program";
  ElfSegment segment;
  segment.mem_bytes = static_cast<uint32_t>(words * 4);
  for (uint64_t n = 0; n < words * 4; ++n) {
    segment.bytes.push_back(static_cast<uint8_t>(rng.next() >> 56));
  }
  image.segments.push_back(segment);
  for (const bool all : {false, true}) {
    const auto device = make_device(DeviceKind::Replicated, grid, options);
    ControlPlane control(*device);
    const Rect rect = all ? whole(grid) : Rect{grid.rows - 1, grid.cols - 1, 1, 1};
    const uint64_t begin = device->cycle();
    load_program(control, rect, image);
    (all ? cost.cycles_all : cost.cycles_one) = device->cycle() - begin;
    // And it is what was sent, in the nearest and in the farthest tile that has it.
    for (const int corner : {0, 1}) {
      const int row = corner == 0 ? rect.row : rect.row + rect.rows - 1;
      const int col = corner == 0 ? rect.col : rect.col + rect.cols - 1;
      const std::vector<uint32_t> got = control.read_tile(row, col, 0, words);
      for (uint64_t n = 0; n < words; ++n) {
        uint32_t expected = 0;
        for (uint64_t b = 0; b < 4; ++b) {
          expected |= static_cast<uint32_t>(segment.bytes[4 * n + b]) << (8 * b);
        }
        if (got[n] != expected) {
          throw DeviceFault(fmt::format("program load: tile ({}, {}) has another word at 0x{:x}",
                                        row, col, 4 * n));
        }
      }
    }
  }
  return cost;
}

}  // namespace ow::jobs
