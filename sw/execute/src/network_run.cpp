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
#include "ow/compile/lowering.h"
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
Comparison::Comparison(const Runtime& machine, const ElfImage& firmware, const Plan& plan,
                       const TrainingJob& job, const std::string& name, Reference reference,
                       bool dense)
    : job_(job),
      reference_(std::move(reference)),
      dense_(dense),
      weights_{weights_of(job, false), weights_of(job, true)},
      stream_(machine, firmware, plan, job) {
  job_.samples = plan.samples;
  const auto add = [&](const std::string& label, bool whole) {
    Workload w;
    w.name = label;
    w.whole = whole;
    w.counted = whole && isa::reg::Features::Counters::get(plan.tile.features) != 0;
    w.tiles = plan.grid.rows * plan.grid.cols;
    w.lanes = plan.tile.lanes;
    workloads_.push_back(w);
  };
  if (job_.layers.size() > 1) {
    for (const LayerShape& layer : job_.layers) add(layer_name(layer), false);
  }
  add(name, true);
}

// What layer k of several took by itself.
void Comparison::add_layer(size_t k, const StreamRun& run, bool dense, Pass* pass) const {
  const Plan& plan = stream_.plan();
  // The kernel's own clock; differences of 32-bit stamps are right when they wrap.
  const uint32_t base = run.times[k].front().start;
  int32_t first = 0;
  int32_t last = 0;
  for (const LayerTimes& t : run.times[k]) {
    first = std::min(first, static_cast<int32_t>(t.start - base));
    last = std::max(last, static_cast<int32_t>(t.end - base));
  }
  pass->cycles += static_cast<uint64_t>(last - first);
  const LayerShape& layer = job_.layers[k];
  const auto samples = static_cast<uint64_t>(run.outputs.samples);
  for (int r = 0; r < plan.grid.rows; ++r) {
    const uint64_t weights = stream_weights(layer, weights_[dense ? 1 : 0][k], r);
    pass->wavelets_in += weights + static_cast<uint64_t>(layer.outputs);
    pass->multiply_adds += weights * samples;
  }
}

// The values that the tiles still have belong to layers as their phases do (Phase::layer).
void Comparison::compare_values(const std::vector<Activations>& expected, const std::string& what,
                                bool dense) {
  const Plan& plan = stream_.plan();
  const Graph graph = graph_of(job_);
  const size_t last = job_.layers.size() - 1;
  std::vector<size_t> layers;  // by operation
  for (size_t n = 0, matrices = 0; n < graph.ops.size(); ++n) {
    const Op& op = graph.ops[n];
    const Lowering& kind = *find_lowering(op.kind);
    layers.push_back(std::min(matrices, last));
    if (kind.finish != nullptr) {
      layers.back() = layers[static_cast<size_t>(graph.giver(op.inputs.front()))];
    }
    matrices += kind.streamed != nullptr ? 1 : 0;
    const ValuePlan& value = plan.values[static_cast<size_t>(op.value)];
    if (value.addr == 0 || !value.kept) continue;
    Workload& w = workloads_[last > 0 ? layers[n] : 0];
    compare(stream_.read_value(op.value), expected[n],
            fmt::format("{}, '{}' in memory", what, op.name), dense ? &w.dense : &w.sparse);
  }
}

Activations Comparison::run_pass(const Activations& x, bool dense) {
  const Plan& plan = stream_.plan();
  stream_.spoil_values();
  // A second pass finds the input where the first one did, if nothing was laid over it.
  if (!dense || !plan.values.front().kept) stream_.write_input(x);
  const GridCounters before = stream_.counters();
  StreamRun run = stream_.run(dense);
  const GridCounters after = stream_.counters();

  Workload& whole_job = workloads_.back();
  Pass& job = dense ? whole_job.dense : whole_job.sparse;
  job.cycles += run.cycles();
  job.wavelets_in += run.wavelets_in;
  job.wavelets_out += run.wavelets_out;
  job.multiply_adds += run.multiply_adds;
  const EdgeWaits waits = run.edge.waits();
  for (size_t k = 0; k < waits.size(); ++k) job.waits[k] += waits[k];
  add_counters(before, after, &job.counters);
  if (counts_ != nullptr && !dense) counts_->add(plan.grid, before, after, run.cycles());

  for (size_t k = 0; k < job_.layers.size(); ++k) {
    const uint64_t bound = layer_bound(plan, k, weights_[dense ? 1 : 0][k]).cycles();
    job.bound += bound;
    if (job_.layers.size() < 2) continue;
    Pass& pass = dense ? workloads_[k].dense : workloads_[k].sparse;
    pass.bound += bound;
    add_layer(k, run, dense, &pass);
  }
  if (reference_) {
    const std::vector<Activations> expected = reference_(job_, x, dense);
    const std::string what = fmt::format("{} {}", whole_job.name, dense ? "dense" : "sparse");
    compare_values(expected, what, dense);
    compare(run.outputs, expected.back(), what + ", results at the edges", &job);
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
  const Graph graph = graph_of(checked->job);
  Dataset all = load_dataset(params.data, params.type, graph.features(), graph.outputs());
  if (!params.held_out) {
    checked->samples = std::move(all);
  } else {
    const auto modulo = static_cast<size_t>(params.held_out->modulo);
    const auto remainder = static_cast<size_t>(params.held_out->remainder);
    checked->samples.features = graph.features();
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

void count_weights(const Graph& graph, const TrainingJob& job, RunReport* report) {
  for (const Parameter& p : graph.parameters) {
    if (p.form != Parameter::Form::Matrix) continue;
    for (const float w : job.first->values.at(p.name)) {
      ++report->weights;
      report->nonzero += half_is_zero(to_half(job.type, static_cast<double>(w))) ? 0 : 1;
    }
  }
}

void check_weights(const RunParams& params, const RunOptions& options, Checked* checked) {
  const std::string& file = options.weights.empty() ? params.weights : options.weights;
  if (!file.empty()) {
    checked->job.first = read_first_values(file, graph_of(checked->job), params.type);
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
         const Checked& checked, const TrainingJob& job, RunReport* report)
      : params_(params),
        options_(options),
        reference_(reference),
        checked_(checked),
        job_(job),
        report_(*report) {}

  void run() {
    const auto begin = std::chrono::steady_clock::now();
    const Runtime machine = make_runtime(options_.make(params_.grid));
    Device* const device = &device_of(machine);
    const uint64_t first_cycle = device->cycle();
    report_.device = device->description();
    const TileConfig tile = tile_of(machine);
    const size_t samples = checked_.samples.samples();
    const Plans plans = plans_for(params_, checked_, tile);
    const Plan& plan = plans.network;
    const auto batch = static_cast<size_t>(plan.batch());
    report_.batches = (samples + batch - 1) / batch;
    TrainingJob large;
    if (params_.large) {
      large = forward_job(large_network(*params_.large), params_.grid.rows, params_.grid.cols);
    }
    const double total = cycles_to_come(plans, large);
    const auto tick = [&] {
      if (!options_.progress) return;
      const auto done = static_cast<double>(device->cycle() - first_cycle);
      options_.progress("simulating", std::min(1.0, done / total));
    };
    run_samples(machine, plan, tick);
    if (plans.large) {
      Comparison comparison(machine, checked_.firmware, *plans.large, large,
                            layer_name(large.layers.front()), reference_, options_.dense);
      comparison.on_progress(tick);
      comparison.count_tiles(options_.counts);
      set_time(*plans.large, large, &comparison);
      comparison.run(large_input(*params_.large, plans.large->batch()));
      add(comparison);
    }
    report_.sim_cycles = device->cycle() - first_cycle;
    report_.sim_seconds = seconds_since(begin);
    if (SimControl* sim = device->sim()) report_.clocks = sim->unit_clocks();
    machine.end_recording();
  }

 private:
  void add(const Comparison& comparison) {
    for (const Workload& w : comparison.workloads()) report_.workloads.push_back(w);
  }

  void set_time(const Plan& plan, const TrainingJob& job, Comparison* comparison) {
    const TimeModel time = time_of(params_.time, shape_of(plan, job), weights_of(job, false));
    comparison->set_time(time);
    report_.timed = time.modelled();
  }

  void run_samples(const Runtime& machine, const Plan& plan, const std::function<void()>& tick) {
    Comparison comparison(machine, checked_.firmware, plan, job_, "network", reference_,
                          options_.dense);
    comparison.on_progress(tick);
    comparison.count_tiles(options_.counts);
    set_time(plan, job_, &comparison);
    std::vector<Activations> outputs;
    const Dataset& data = checked_.samples;
    const auto batch = static_cast<size_t>(plan.batch());
    for (size_t first = 0; first < data.samples(); first += batch) {
      const size_t count = std::min(batch, data.samples() - first);
      const Activations y = comparison.run(data.activations(job_.type, first, count));
      report_.right_device += count_right(job_.type, y, data, first);
      if (!options_.save_outputs.empty()) outputs.push_back(y);
      tick();
    }
    add(comparison);
    if (!options_.save_outputs.empty()) {
      write_outputs(options_.save_outputs, job_.type, outputs);
    }
  }

  // By what the bounds say of everything, with what loading and reading back add to it.
  double cycles_to_come(const Plans& plans, const TrainingJob& large) const {
    const auto both = [&](const Plan& plan, const TrainingJob& job) {
      uint64_t cycles = 0;
      for (const bool dense : {false, true}) {
        if (dense && !options_.dense) continue;
        const std::vector<LayerWeights> weights = weights_of(job, dense);
        for (size_t k = 0; k < weights.size(); ++k) {
          cycles += layer_bound(plan, k, weights[k]).cycles();
        }
      }
      return static_cast<double>(cycles);
    };
    double total = 1 + both(plans.network, job_) * static_cast<double>(report_.batches) * 2.5;
    if (plans.large) {
      total += both(*plans.large, large) + 0.6 * params_.large->inputs * plans.large->batch();
    }
    return total;
  }

  const RunParams& params_;
  const RunOptions& options_;
  const Reference& reference_;
  const Checked& checked_;
  const TrainingJob& job_;
  RunReport& report_;
};

}  // namespace

Checked check_run(const RunParams& params, const RunOptions& options) {
  Checked checked;
  checked.job = job_of(params);
  split_samples(params, options, &checked);
  check_weights(params, options, &checked);
  check_writable(options.save_weights);
  check_writable(options.save_outputs);
  std::vector<std::string> programs = {options.firmware};
  programs.insert(programs.end(), options.larger_firmware.begin(), options.larger_firmware.end());
  checked.firmware = program_of(checked.job, programs, options.tile);
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
  const auto batch = static_cast<size_t>(checked.plans.network.batch());
  report.batches = (report.samples + batch - 1) / batch;

  TrainingJob job = checked.job;
  job.samples = checked.plans.network.samples;
  job.first = make_weights(checked, options, &report.training);
  const Graph graph = graph_of(job);
  if (!options.save_weights.empty()) {
    save_weights(options.save_weights, job.type, weight_specs(graph), job.first->values);
  }
  count_weights(graph, job, &report);

  if (reference) {
    const Activations x = checked.samples.activations(job.type, 0, report.samples);
    const auto outputs = reference(job, x, false);
    report.right_golden = count_right(job.type, outputs.back(), checked.samples, 0);
    if (!options.make && !options.save_outputs.empty()) {
      write_outputs(options.save_outputs, job.type, {outputs.back()});
    }
  }
  if (!options.make) {
    report.device = "golden model";
    return report;
  }
  Runner(params, options, reference, checked, job, &report).run();
  return report;
}

}  // namespace ow::jobs
