// SPDX-License-Identifier: Apache-2.0
#include "ow/jobs/digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <chrono>

#include "ow/error.h"
#include "ow/golden/formats.h"
#include "ow/golden/rng.h"

namespace ow::jobs {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Samples first .. first + count - 1, filled up with zeros to `width`.
golden::Activations slice(const golden::Activations& x, int first, int count, int width) {
  golden::Activations part = golden::Activations::zero(x.features, width);
  for (int f = 0; f < x.features; ++f) {
    for (int s = 0; s < count; ++s) part.at(f, s) = x.at(f, first + s);
  }
  return part;
}

void compare(const golden::Activations& got, const golden::Activations& expected,
             const std::string& what, Pass* pass) {
  if (got.values.size() != expected.values.size()) throw InternalError(what + ": sizes differ");
  for (int f = 0; f < expected.features; ++f) {
    for (int s = 0; s < expected.samples; ++s) {
      ++pass->compared;
      if (got.at(f, s) == expected.at(f, s)) continue;
      pass->bits_different += std::bitset<16>(got.at(f, s) ^ expected.at(f, s)).count();
      if (pass->different++ == 0) {
        pass->first_difference =
            fmt::format("{}, feature {}, sample {}: 0x{:04x}, golden has 0x{:04x}", what, f, s,
                        got.at(f, s), expected.at(f, s));
      }
    }
  }
}

std::string layer_name(const golden::Layer& layer) {
  return fmt::format("{}x{}", layer.inputs, layer.outputs);
}

size_t count_right(const std::vector<int>& classes, const std::vector<golden::Digit>& images) {
  size_t right = 0;
  for (size_t s = 0; s < images.size(); ++s) right += classes[s] == images[s].label ? 1 : 0;
  return right;
}

}  // namespace

double Workload::utilisation(const Pass& pass) const {
  if (pass.cycles == 0) return 0;
  return static_cast<double>(pass.multiply_adds) /
         (static_cast<double>(lanes) * tiles * static_cast<double>(pass.cycles));
}

double Workload::speed_up() const {
  return sparse.cycles == 0
             ? 0
             : static_cast<double>(dense.cycles) / static_cast<double>(sparse.cycles);
}

double Workload::speed_up_bound() const {
  return sparse.bound == 0 ? 0
                           : static_cast<double>(dense.cycles) / static_cast<double>(sparse.bound);
}

uint64_t RunReport::different() const {
  uint64_t n = 0;
  for (const Workload& w : workloads) n += w.sparse.different + w.dense.different;
  return n;
}

uint64_t RunReport::bits_different() const {
  uint64_t n = 0;
  for (const Workload& w : workloads) n += w.sparse.bits_different + w.dense.bits_different;
  return n;
}

uint64_t RunReport::compared() const {
  uint64_t n = 0;
  for (const Workload& w : workloads) n += w.sparse.compared + w.dense.compared;
  return n;
}

golden::Network large_network(const LargeLayerParams& params) {
  golden::Rng rng(params.seed);
  golden::Layer layer;
  layer.inputs = params.inputs;
  layer.outputs = params.outputs;
  layer.relu = true;
  for (int j = 0; j < params.outputs; ++j) {
    for (int i = 0; i < params.inputs; ++i) {
      const bool kept = rng.uniform() < params.density;
      const uint16_t value = golden::round_to_f16(2.0 * rng.uniform() - 1.0);
      layer.weights.push_back(kept ? value : uint16_t{0});
    }
    layer.bias.push_back(static_cast<float>(2.0 * rng.uniform() - 1.0));
  }
  golden::Network network;
  network.layers.push_back(layer);
  return network;
}

golden::Activations large_input(const LargeLayerParams& params, int samples) {
  golden::Rng rng(params.seed + 1);
  golden::Activations x = golden::Activations::zero(params.inputs, samples);
  for (uint16_t& value : x.values) value = golden::round_to_f16(rng.uniform());
  return x;
}

// ---------------------------------------------------------------------------------- comparison --
Comparison::Comparison(ControlPlane& control, const ElfImage& firmware, const StreamPlan& plan,
                       const golden::Network& network, const std::string& name)
    : plan_(plan), network_(network), job_(control, firmware, plan, network) {
  const auto add = [this](const std::string& label, bool whole) {
    Workload w;
    w.name = label;
    w.whole = whole;
    w.tiles = plan_.grid.rows * plan_.grid.cols;
    w.lanes = plan_.lanes;
    workloads_.push_back(w);
  };
  if (network_.layers.size() > 1) {
    for (const golden::Layer& layer : network_.layers) add(layer_name(layer), false);
  }
  add(name, true);
}

void Comparison::run_pass(bool dense, const std::vector<golden::Activations>& expected,
                          golden::Activations* logits) {
  job_.spoil_outputs();
  const Counters before = job_.counters();
  const StreamRun run = job_.run(dense);
  const Counters after = job_.counters();

  Workload& whole_job = workloads_.back();
  Pass& job = dense ? whole_job.dense : whole_job.sparse;
  job.cycles += run.cycles();
  job.wavelets_in += run.wavelets_in;
  job.wavelets_out += run.wavelets_out;
  job.multiply_adds += run.multiply_adds;
  for (size_t k = 0; k < after.size(); ++k) job.counters[k] += after[k] - before[k];
  const char* mode = dense ? "dense" : "sparse";

  for (size_t k = 0; k < network_.layers.size(); ++k) {
    const golden::Layer& layer = network_.layers[k];
    const uint64_t bound = layer_bound(plan_, layer, dense).cycles();
    job.bound += bound;
    Workload& w = workloads_[network_.layers.size() > 1 ? k : 0];
    Pass& pass = dense ? w.dense : w.sparse;
    if (&pass != &job) {
      // The kernel's own clock; differences of 32-bit stamps are right when they wrap.
      const uint32_t base = run.times[k].front().start;
      int32_t first = 0;
      int32_t last = 0;
      for (const LayerTimes& t : run.times[k]) {
        first = std::min(first, static_cast<int32_t>(t.start - base));
        last = std::max(last, static_cast<int32_t>(t.drain_done - base));
      }
      pass.cycles += static_cast<uint64_t>(last - first);
      pass.bound += bound;
      for (int r = 0; r < plan_.grid.rows; ++r) {
        for (const Wavelet& wavelet : weight_stream(layer, r, plan_.grid.rows, dense)) {
          ++pass.wavelets_in;
          if (!wavelet.ctrl) pass.multiply_adds += static_cast<uint64_t>(plan_.batch());
        }
      }
    }
    compare(job_.read_layer(k), expected[k],
            fmt::format("{} {}, layer {} in memory", whole_job.name, mode, k + 1), &pass);
  }
  compare(run.logits, expected.back(),
          fmt::format("{} {}, results at the edges", whole_job.name, mode), &job);
  *logits = run.logits;
}

golden::Activations Comparison::run(const golden::Activations& x) {
  const golden::Activations padded =
      x.samples == plan_.batch() ? x : slice(x, 0, x.samples, plan_.batch());
  job_.write_input(padded);
  golden::Activations sparse;
  golden::Activations dense;
  run_pass(false, golden::run_network(network_, padded, plan_.grid.rows, false), &sparse);
  run_pass(true, golden::run_network(network_, padded, plan_.grid.rows, true), &dense);
  return sparse;
}

// ----------------------------------------------------------------------------------------- run --
Checked check_run(const RunParams& params, const RunOptions& options) {
  Checked checked;
  const std::vector<golden::Digit> digits =
      golden::load_digits(params.data.file, static_cast<size_t>(params.data.rows));
  for (size_t i = 0; i < digits.size(); ++i) {
    const bool held_out = static_cast<int>(i % static_cast<size_t>(params.data.held_out_modulo)) ==
                          params.data.held_out_remainder;
    (held_out ? checked.held_out : checked.training).push_back(digits[i]);
  }
  if (checked.training.empty()) throw BadInput(params.path + ": key 'data': nothing to train on");
  if (options.limit > 0 && options.limit < checked.held_out.size()) {
    checked.held_out.resize(options.limit);
  }
  constexpr uint32_t kSramBytes = 49152;
  checked.firmware = read_elf(options.firmware, kSramBytes);
  std::vector<LayerShape> layers;
  const std::vector<int>& sizes = params.training.layers;
  for (size_t k = 0; k + 1 < sizes.size(); ++k) {
    layers.push_back({sizes[k], sizes[k + 1], k + 2 < sizes.size()});
  }
  checked.plan = make_plan(params.path + ": key 'network.layers'", params.grid, params.samples,
                           layers, checked.firmware);
  if (params.large) {
    checked.large_plan =
        make_plan(params.path + ": key 'large_layer'", params.grid, params.samples,
                  {{params.large->inputs, params.large->outputs, true}}, checked.firmware);
  }
  if (options.device == RunDevice::Monolithic && (params.grid.rows != 2 || params.grid.cols != 2)) {
    throw BadInput(fmt::format("{}: key 'grid': {} x {} tiles, the monolithic simulator is 2 x 2",
                               params.path, params.grid.rows, params.grid.cols));
  }
  return checked;
}

RunReport run_digits(const RunParams& params, const RunOptions& options) {
  const auto report_progress = [&options](const std::string& what, double done) {
    if (options.progress) options.progress(what, done);
  };
  const Checked checked = check_run(params, options);
  RunReport report;
  report.grid = params.grid;
  report.held_out = checked.held_out.size();

  auto begin = std::chrono::steady_clock::now();
  const golden::Network network = golden::train(params.training, checked.training, [&](int done) {
    report_progress("training", static_cast<double>(done) / params.training.epochs);
  });
  report.train_seconds = seconds_since(begin);
  report.weights = network.weights();
  report.nonzero = network.nonzero();

  const golden::Activations x = golden::digit_activations(checked.held_out);
  const int batch = checked.plan.batch();
  report.batches = static_cast<size_t>((x.samples + batch - 1) / batch);
  report.right_golden = count_right(
      golden::classify(golden::run_network(network, x, params.grid.rows).back()), checked.held_out);
  if (options.device == RunDevice::Golden) {
    report.device = "golden model";
    return report;
  }

  begin = std::chrono::steady_clock::now();
  const DeviceKind kind =
      options.device == RunDevice::Monolithic ? DeviceKind::Monolithic : DeviceKind::Replicated;
  const std::unique_ptr<Device> device =
      options.make ? options.make(params.grid) : make_device(kind, params.grid, options.sim);
  const uint64_t first_cycle = device->cycle();
  report.device = device->description();
  ControlPlane control(*device);
  // Progress by simulated cycles: what the bounds say of everything that is to come.
  double total = 1;
  for (const golden::Layer& layer : network.layers) {
    for (const bool dense : {false, true}) {
      total += static_cast<double>(layer_bound(checked.plan, layer, dense).cycles()) *
               static_cast<double>(report.batches) * 2.5;
    }
  }
  golden::Network large;
  if (params.large) {
    large = large_network(*params.large);
    const golden::Layer& layer = large.layers.front();
    total += static_cast<double>(layer_bound(*checked.large_plan, layer, false).cycles() +
                                 layer_bound(*checked.large_plan, layer, true).cycles()) +
             0.6 * params.large->inputs * params.samples * params.grid.cols;
  }
  const auto tick = [&] {
    report_progress("simulating",
                    std::min(1.0, static_cast<double>(device->cycle() - first_cycle) / total));
  };

  {
    Comparison comparison(control, checked.firmware, checked.plan, network, "digits");
    comparison.on_progress(tick);
    for (int first = 0; first < x.samples; first += batch) {
      const int count = std::min(batch, x.samples - first);
      const golden::Activations logits = comparison.run(slice(x, first, count, batch));
      const std::vector<int> classes = golden::classify(logits);
      for (size_t s = 0; s < static_cast<size_t>(count); ++s) {
        const golden::Digit& digit = checked.held_out[static_cast<size_t>(first) + s];
        if (classes[s] == digit.label) ++report.right_device;
      }
      tick();
    }
    report.workloads = comparison.workloads();
  }
  if (params.large) {
    Comparison comparison(control, checked.firmware, *checked.large_plan, large,
                          layer_name(large.layers.front()));
    comparison.on_progress(tick);
    comparison.run(large_input(*params.large, batch));
    for (const Workload& w : comparison.workloads()) report.workloads.push_back(w);
  }
  report.sim_cycles = device->cycle() - first_cycle;
  report.sim_seconds = seconds_since(begin);
  return report;
}

}  // namespace ow::jobs
