// SPDX-License-Identifier: Apache-2.0
#include "ow/execute/network_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <chrono>
#include <utility>

#include "network_plan.h"
#include "network_training.h"
#include "outputs_file.h"
#include "ow/base/clock.h"
#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "ow/compile/estimate.h"
#include "ow/execute/causes.h"

namespace ow::jobs {
namespace {

void compare(const Activations& got, const Activations& expected, const std::string& what,
             Pass* pass) {
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

std::string layer_name(const LayerShape& layer) {
  return fmt::format("{}x{}", layer.inputs, layer.outputs);
}

size_t count_right(HalfType type, const Activations& outputs, const Dataset& data, size_t first) {
  if (data.labels.empty()) return 0;
  const std::vector<int> classes = classify(type, outputs);
  size_t right = 0;
  for (size_t s = 0; s < classes.size(); ++s) right += classes[s] == data.labels[first + s] ? 1 : 0;
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
                           : static_cast<double>(dense.bound) / static_cast<double>(sparse.bound);
}

uint64_t RunReport::different() const {
  uint64_t n = 0;
  for (const Workload& w : workloads) n += w.sparse.different + w.dense.different;
  return n;
}

uint64_t RunReport::compared() const {
  uint64_t n = 0;
  for (const Workload& w : workloads) n += w.sparse.compared + w.dense.compared;
  return n;
}

uint64_t RunReport::mismatches() const {
  uint64_t n = training ? training->different : 0;
  for (const Workload& w : workloads) n += w.sparse.bits_different + w.dense.bits_different;
  return n;
}

Network large_network(const LargeLayerParams& params) {
  Rng rng(params.seed);
  Layer layer;
  layer.inputs = params.inputs;
  layer.outputs = params.outputs;
  layer.activation = kShortActivation;
  for (int j = 0; j < params.outputs; ++j) {
    for (int i = 0; i < params.inputs; ++i) {
      const bool kept = rng.uniform() < params.density;
      const uint16_t value = to_half(HalfType::Binary16, 2.0 * rng.uniform() - 1.0);
      layer.weights.push_back(kept ? value : uint16_t{0});
    }
    layer.bias_values.push_back(static_cast<float>(2.0 * rng.uniform() - 1.0));
  }
  Network network;
  network.layers.push_back(layer);
  return network;
}

Activations large_input(const LargeLayerParams& params, int samples) {
  return random_activations(params.seed + 1, HalfType::Binary16, params.inputs, samples, 0.0, 1.0);
}

// ---------------------------------------------------------------------------------- comparison --
Comparison::Comparison(const Runtime& machine, const ElfImage& firmware, const StreamPlan& plan,
                       const Network& network, const std::string& name, Reference reference,
                       bool dense)
    : network_(network),
      reference_(std::move(reference)),
      dense_(dense),
      job_(machine, firmware, plan, network) {
  const auto add = [&](const std::string& label, bool whole) {
    Workload w;
    w.name = label;
    w.whole = whole;
    w.counted = whole && isa::reg::Features::Counters::get(plan.tile.features) != 0;
    w.tiles = plan.grid.rows * plan.grid.cols;
    w.lanes = plan.tile.lanes;
    workloads_.push_back(w);
  };
  if (network_.layers.size() > 1) {
    for (const Layer& layer : network_.layers) add(layer_name(layer), false);
  }
  add(name, true);
}

// What layer k of several took by itself.
void Comparison::add_layer(size_t k, const StreamRun& run, bool dense, Pass* pass) const {
  const StreamPlan& plan = job_.plan();
  // The kernel's own clock; differences of 32-bit stamps are right when they wrap.
  const uint32_t base = run.times[k].front().start;
  int32_t first = 0;
  int32_t last = 0;
  for (const LayerTimes& t : run.times[k]) {
    first = std::min(first, static_cast<int32_t>(t.start - base));
    last = std::max(last, static_cast<int32_t>(t.end - base));
  }
  pass->cycles += static_cast<uint64_t>(last - first);
  const Layer& layer = network_.layers[k];
  const auto samples = static_cast<uint64_t>(run.outputs.samples);
  for (int r = 0; r < plan.grid.rows; ++r) {
    const uint64_t weights = stream_weights(layer, r, plan.grid.rows, dense);
    pass->wavelets_in += weights + static_cast<uint64_t>(layer.outputs);
    pass->multiply_adds += weights * samples;
  }
}

Activations Comparison::run_pass(const Activations& x, bool dense) {
  const StreamPlan& plan = job_.plan();
  job_.spoil_outputs();
  // A second pass finds the input where the first one did, if nothing was laid over it.
  if (!dense || plan.in_turn) job_.write_input(x);
  const Counters before = job_.counters();
  StreamRun run = job_.run(dense);
  const Counters after = job_.counters();

  Workload& whole_job = workloads_.back();
  Pass& job = dense ? whole_job.dense : whole_job.sparse;
  job.cycles += run.cycles();
  job.wavelets_in += run.wavelets_in;
  job.wavelets_out += run.wavelets_out;
  job.multiply_adds += run.multiply_adds;
  const EdgeWaits waits = run.edge.waits();
  for (size_t k = 0; k < waits.size(); ++k) job.waits[k] += waits[k];
  add_counters(before, after, &job.counters);

  std::vector<Activations> expected;
  if (reference_) expected = reference_(network_, x, plan.grid.rows, dense);
  const char* mode = dense ? "dense" : "sparse";
  const bool several = network_.layers.size() > 1;
  for (size_t k = 0; k < network_.layers.size(); ++k) {
    const uint64_t bound = layer_bound(plan, network_.layers[k], dense).cycles();
    job.bound += bound;
    Workload& w = workloads_[several ? k : 0];
    Pass& pass = dense ? w.dense : w.sparse;
    if (several) {
      pass.bound += bound;
      add_layer(k, run, dense, &pass);
    }
    if (reference_ && plan.layers[k].kept) {
      compare(job_.read_layer(k), expected[k],
              fmt::format("{} {}, layer {} in memory", whole_job.name, mode, k + 1), &pass);
    }
  }
  if (reference_) {
    compare(run.outputs, expected.back(),
            fmt::format("{} {}, results at the edges", whole_job.name, mode), &job);
  }
  return std::move(run.outputs);
}

Activations Comparison::run(const Activations& x) {
  Activations sparse = run_pass(x, false);
  if (dense_) run_pass(x, true);
  return sparse;
}

// ----------------------------------------------------------------------------------------- run --
namespace {

void split_samples(const RunParams& params, const RunOptions& options, Checked* checked) {
  const LayerShape& first = params.layers.front();
  Dataset all = load_dataset(params.data, params.type, first.inputs, params.layers.back().outputs);
  if (!params.held_out) {
    checked->samples = std::move(all);
  } else {
    const auto modulo = static_cast<size_t>(params.held_out->modulo);
    const auto remainder = static_cast<size_t>(params.held_out->remainder);
    checked->samples.features = first.inputs;
    for (size_t n = remainder; n < all.samples(); n += modulo) checked->samples.add(all, n);
  }
  if (checked->samples.samples() == 0) {
    throw BadInput(params.path + ": key 'data': holds no sample out, nothing to run");
  }
  if (options.limit > 0 && options.limit < checked->samples.samples()) {
    Dataset some;
    for (size_t n = 0; n < options.limit; ++n) some.add(checked->samples, n);
    checked->samples = std::move(some);
  }
}

void check_weights(const RunParams& params, const RunOptions& options, Checked* checked) {
  const std::string& file = options.weights.empty() ? params.weights : options.weights;
  if (!file.empty()) {
    checked->network = read_weights(params, file);
  } else if (!params.training) {
    throw BadInput(params.path +
                   ": key 'network.weights' is missing: the weights' file (or --weights), or "
                   "network.training, a file that trains them");
  } else {
    check_network_training(params, options, checked);
  }
}

// Everything that is run, and how far it is.
class Runner {
 public:
  Runner(const RunParams& params, const RunOptions& options, const Reference& reference,
         const Checked& checked, const Network& network, RunReport* report)
      : params_(params),
        options_(options),
        reference_(reference),
        checked_(checked),
        network_(network),
        report_(*report) {}

  void run() {
    const auto begin = std::chrono::steady_clock::now();
    const Runtime machine = make_runtime(options_.make(params_.grid));
    Device* const device = &device_of(machine);
    const uint64_t first_cycle = device->cycle();
    report_.device = device->description();
    const TileConfig tile = tile_of(machine);
    const size_t samples = checked_.samples.samples();
    const Plans plans = plans_for(params_, samples, checked_, tile);
    const StreamPlan& plan = plans.network;
    const auto batch = static_cast<size_t>(plan.batch());
    report_.batches = (samples + batch - 1) / batch;
    Network large;
    const std::optional<StreamPlan>& large_plan = plans.large;
    if (params_.large) large = large_network(*params_.large);
    const double total = cycles_to_come(plan, large, large_plan);
    const auto tick = [&] {
      if (!options_.progress) return;
      const auto done = static_cast<double>(device->cycle() - first_cycle);
      options_.progress("simulating", std::min(1.0, done / total));
    };
    run_samples(machine, plan, tick);
    if (large_plan) {
      const Layer& layer = large.layers.front();
      Comparison comparison(machine, checked_.firmware, *large_plan, large, layer_name(layer),
                            reference_, options_.dense);
      comparison.on_progress(tick);
      set_time(*large_plan, large, &comparison);
      comparison.run(large_input(*params_.large, large_plan->batch()));
      add(comparison);
    }
    report_.sim_cycles = device->cycle() - first_cycle;
    report_.sim_seconds = seconds_since(begin);
    if (SimControl* sim = device->sim()) report_.clocks = sim->unit_clocks();
  }

 private:
  void add(const Comparison& comparison) {
    for (const Workload& w : comparison.workloads()) report_.workloads.push_back(w);
  }

  void set_time(const StreamPlan& plan, const Network& network, Comparison* comparison) {
    std::vector<LayerWeights> weights;
    for (const Layer& layer : network.layers) {
      weights.push_back(weights_of(layer, plan.grid.rows, false));
    }
    const TimeModel time = time_of(params_.time, shape_of(plan), weights);
    comparison->set_time(time);
    report_.timed = time.modelled();
  }

  void run_samples(const Runtime& machine, const StreamPlan& plan,
                   const std::function<void()>& tick) {
    Comparison comparison(machine, checked_.firmware, plan, network_, "network", reference_,
                          options_.dense);
    comparison.on_progress(tick);
    set_time(plan, network_, &comparison);
    std::vector<Activations> outputs;
    const Dataset& data = checked_.samples;
    const auto batch = static_cast<size_t>(plan.batch());
    for (size_t first = 0; first < data.samples(); first += batch) {
      const size_t count = std::min(batch, data.samples() - first);
      const Activations y = comparison.run(data.activations(network_.type, first, count));
      report_.right_device += count_right(network_.type, y, data, first);
      if (!options_.save_outputs.empty()) outputs.push_back(y);
      tick();
    }
    add(comparison);
    if (!options_.save_outputs.empty()) {
      write_outputs(options_.save_outputs, network_.type, outputs);
    }
  }

  // By what the bounds say of everything, with what loading and reading back add to it.
  double cycles_to_come(const StreamPlan& plan, const Network& large,
                        const std::optional<StreamPlan>& large_plan) const {
    const auto both = [&](const StreamPlan& p, const Layer& layer) {
      uint64_t cycles = layer_bound(p, layer, false).cycles();
      if (options_.dense) cycles += layer_bound(p, layer, true).cycles();
      return static_cast<double>(cycles);
    };
    double total = 1;
    for (const Layer& layer : network_.layers) {
      total += both(plan, layer) * static_cast<double>(report_.batches) * 2.5;
    }
    if (large_plan) {
      total += both(*large_plan, large.layers.front()) +
               0.6 * params_.large->inputs * large_plan->batch();
    }
    return total;
  }

  const RunParams& params_;
  const RunOptions& options_;
  const Reference& reference_;
  const Checked& checked_;
  const Network& network_;
  RunReport& report_;
};

}  // namespace

Checked check_run(const RunParams& params, const RunOptions& options) {
  Checked checked;
  split_samples(params, options, &checked);
  check_weights(params, options, &checked);
  check_writable(options.save_weights);
  check_writable(options.save_outputs);
  checked.firmware = read_elf(options.firmware, options.tile.sram_bytes);
  take_plans(params, options, &checked);
  return checked;
}

RunReport run_network(const RunParams& params, const RunOptions& options) {
  return run_network(params, check_run(params, options), options);
}

RunReport run_network(const RunParams& params, const Checked& checked, const RunOptions& options) {
  const Reference reference = options.check ? options.reference : nullptr;
  RunReport report;
  report.grid = params.grid;
  report.samples = checked.samples.samples();
  report.checked = static_cast<bool>(reference);
  report.labelled = !checked.samples.labels.empty();
  keep_plan(params, options, checked, &report);
  const auto batch = static_cast<size_t>(checked.plan.batch());
  report.batches = (report.samples + batch - 1) / batch;

  const Network network = make_network(checked, options, &report.training);
  if (!options.save_weights.empty()) save_network(options.save_weights, network);
  report.weights = network.weights();
  report.nonzero = network.nonzero();

  if (reference) {
    const Activations x = checked.samples.activations(network.type, 0, report.samples);
    const auto outputs = reference(network, x, params.grid.rows, false);
    report.right_golden = count_right(network.type, outputs.back(), checked.samples, 0);
    if (!options.make && !options.save_outputs.empty()) {
      write_outputs(options.save_outputs, network.type, {outputs.back()});
    }
  }
  if (!options.make) {
    report.device = "golden model";
    return report;
  }
  Runner(params, options, reference, checked, network, &report).run();
  return report;
}

}  // namespace ow::jobs
