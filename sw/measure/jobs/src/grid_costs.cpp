// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/grid_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/execute/stream_job.h"
#include "ow/golden/network.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/routes.h"

namespace ow::jobs {

namespace {

// One layer of random weights on a grid of its own: runs it and compares every activation with
// golden. DeviceFault if one differs. The job is given to `look` with its run.
void run_checked(const std::string& what, const ElfImage& firmware, GridShape grid, int samples,
                 const Network& network, const SimOptions& options,
                 const std::function<void(const StreamRun&)>& look) {
  const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, grid, options));
  const TrainingJob work = forward_job(network, grid.rows, grid.cols, samples);
  const Plan plan = make_forward_plan(what, work, 0, firmware, tile_of(machine));
  StreamJob job(machine, firmware, plan, work);
  const Activations x = random_activations(static_cast<uint64_t>(samples), network.type,
                                           network.layers[0].inputs, plan.batch(), -1, 1);
  job.spoil_values();
  job.write_input(x);
  const StreamRun run = job.run(true);
  const Activations want = golden::run_layer(network.type, network.layers[0], x, grid.rows, true);
  if (job.read_value(plan.output).values != want.values || run.outputs.values != want.values) {
    throw DeviceFault(what + ": activations differ from golden");
  }
  look(run);
}

Network random_layer(int inputs, int outputs) {
  const uint64_t seed = static_cast<uint64_t>(inputs) << 20 | static_cast<uint64_t>(outputs);
  return random_network(seed, HalfType::Binary16, {{inputs, outputs, "none", true}}, 1.0);
}

}  // namespace

double WeightCost::cycles_per_weight() const {
  return static_cast<double>(cycles[1] - cycles[0]) / static_cast<double>(weights[1] - weights[0]);
}

WeightCost measure_weight(const ElfImage& firmware, int samples, const SimOptions& options) {
  WeightCost cost;
  cost.samples = samples;
  for (int k = 0; k < 2; ++k) {
    const int inputs = k == 0 ? 64 : 320;
    run_checked("weight cost", firmware, GridShape{1, 1}, samples, random_layer(inputs, 1), options,
                [&](const StreamRun& run) {
                  const LayerTimes& times = run.times[0][0];
                  cost.weights[k] = static_cast<uint64_t>(inputs);
                  cost.cycles[k] = times.end - times.start;
                });
  }
  return cost;
}

double ReduceCost::elements_per_cycle() const {
  return static_cast<double>((outputs[1] - outputs[0]) * static_cast<uint64_t>(samples)) /
         static_cast<double>(cycles[1] - cycles[0]);
}

double ReduceCost::wavelets_per_cycle() const {
  return static_cast<double>(wavelets[1] - wavelets[0]) /
         static_cast<double>(cycles[1] - cycles[0]);
}

ReduceCost measure_reduction(const ElfImage& firmware, const SimOptions& options) {
  ReduceCost cost;
  cost.rows = 4;
  cost.samples = 32;
  for (int k = 0; k < 2; ++k) {
    // One weight a row and output: the reducers have most to do.
    const Network network = random_layer(cost.rows, k == 0 ? 64 : 320);
    const Layer& layer = network.layers[0];
    run_checked("column reduction", firmware, GridShape{cost.rows, 1}, cost.samples, network,
                options, [&](const StreamRun& run) {
                  const LayerTimes& times = run.times[0][static_cast<size_t>(cost.rows - 1)];
                  cost.outputs[k] = static_cast<uint64_t>(layer.outputs);
                  // What the grid row was sent, and an addition for each sum: the results are
                  // right, so none was left out.
                  cost.wavelets[k] = cost.outputs[k]  // a weight each
                                     + cost.outputs[k] +
                                     cost.outputs[k] * static_cast<uint64_t>(cost.samples);
                  cost.cycles[k] = times.end - times.start;
                });
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
    std::vector<Arrival> arrivals = device->take_arrivals(Side::East, 0, kColour);
    if (arrivals.size() != 1 || arrivals[0].wavelet != wavelet) {
      throw DeviceFault("hop latency: the wavelet did not come through");
    }
    cost.hops[k] = columns;
    cost.latency[k] = arrivals[0].cycle - sent;

    std::vector<Wavelet> stream(kWavelets, wavelet);
    for (uint64_t n = 0; n < kWavelets; ++n) stream[n].data = static_cast<uint32_t>(n);
    device->send(Side::West, 0, stream);
    device->run(kLimit);
    arrivals = device->take_arrivals(Side::East, 0, kColour);
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
  Rng rng(16);
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
