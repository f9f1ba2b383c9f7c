// SPDX-License-Identifier: Apache-2.0
// `ow bench train`: cycles of the forward, delta and gradient pass of a layer from 1,024 to
// 128 features with 32 samples a tile, dense and sparse, on two grids, with the preset `balanced`
// outside the wafer; the dense passes where the edge gives less than they need; a whole step of a
// network of 1,024-1,024-1,024 features. Every output, delta and gradient is compared with the
// golden model's in the same run.
//
// Forward and gradient are those of a network of this layer alone. A delta pass needs a layer in
// front, beside whose activations and deltas a tile has less room for the gradient's; so it is
// measured in a second network, 8-1,024-128.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/compile/estimate.h"
#include "ow/execute/network_run.h"
#include "ow/execute/train_grid.h"
#include "ow/golden/train.h"
#include "ow/measure/drawn_network.h"
#include "ow/sim/sim.h"
#include "train_jobs.h"

namespace ow::bench {
namespace {

constexpr int kInputs = 1024, kOutputs = 128, kSamples = 32;

struct Passes {
  uint64_t forward = 0;
  uint64_t gradient = 0;
  uint64_t delta = 0;
  jobs::LayerPassTimes bound;  // what each takes at the least
  uint64_t compared = 0;
  uint64_t different = 0;
};

TrainingJob job_of(GridShape grid, double density, bool in_front) {
  TrainingJob job;
  if (in_front) job.layers.push_back({8, kInputs, "relu", true});
  job.layers.push_back({kInputs, kOutputs, "none", true});
  job.loss = "mean_squared_error";
  job.grid_rows = grid.rows;
  job.grid_cols = grid.cols;
  job.samples = kSamples;
  if (density < 1) {
    job.sparsity.resize(1);
    job.sparsity[0].pattern = in_front ? "layers.1.weight" : "layers.0.weight";
    job.sparsity[0].density = constant_schedule(density);
  }
  return jobs::with_sum_orders(job);
}

void compare(const Activations& got, const Activations& want, Passes* passes) {
  passes->compared += want.values.size();
  for (size_t i = 0; i < want.values.size(); ++i) {
    passes->different += got.values[i] != want.values[i] ? 1 : 0;
  }
}

void compare_gradients(const memoryx::MemoryX& memory, int slot, const golden::MicroBatch& want,
                       Passes* passes) {
  const memoryx::Store& store = memory.store();
  for (size_t k = 0; k < store.tensors(); ++k) {
    const size_t n = store.spec(k).elements();
    const auto got = store.gradient(k, slot, 0, n);
    std::vector<uint8_t> mask(n, 1);
    if (store.spec(k).masked) {
      const auto view = store.mask(k, 0, n);
      mask.assign(view.begin(), view.end());
    }
    for (size_t i = 0; i < n; ++i) {
      if (mask[i] == 0) continue;
      ++passes->compared;
      passes->different += std::memcmp(&got[i], &want.gradients[k][i], sizeof(float)) != 0 ? 1 : 0;
    }
  }
}

// Trainings on tiles and by the golden model, for the row `who`; a micro-batch a step.
class Beside {
 public:
  Beside(const char* who, const TrainingJob& job, const TrainBench& bench, uint64_t seed)
      : job_(job),
        image_(read_elf(bench.firmware, jobs::kFullTile.sram_bytes)),
        machine_(make_runtime(
            make_device(DeviceKind::Replicated, GridShape{job.grid_rows, job.grid_cols}))),
        grid_(machine_, image_, jobs::make_plan(who, job, image_, jobs::kFullTile)),
        memory_(job, {}),
        reference_(job),
        rng_(seed) {
    memory_.begin();
  }

  // What a preset means for this network, by the closed form.
  TimeModel time_of_preset(TimeOptions::Preset preset) const {
    TimeOptions options;
    options.preset = preset;
    return time_of(options, shape_of(grid_.plan(), job_), jobs::training_weights(job_, 0));
  }
  void set_time(const TimeModel& time) { grid_.set_time(time); }

  // The closed form for a step with time outside the wafer.
  jobs::Estimate estimate(const TimeModel& time) const {
    return estimate_job(shape_of(grid_.plan(), job_), jobs::training_weights(job_, 0), time);
  }

  jobs::TrainRun passes(Passes* passes) {
    const auto samples = static_cast<int>(job_.micro_batch());
    const size_t depth = job_.layers.size();
    const Activations x =
        random_activations(rng_.next(), job_.type, job_.layers.front().inputs, samples, -1.0, 1.0);
    ow::Targets targets;
    targets.values =
        random_activations(rng_.next(), job_.type, job_.layers.back().outputs, samples, -1.0, 1.0);
    const int slot = memory_.gradient_slot();
    const jobs::TrainRun got = grid_.train(memory_, x, targets);
    const golden::MicroBatch want = reference_.run(x, targets);
    compare(got.outputs, want.outputs.back(), passes);
    for (size_t k = 0; k < depth; ++k) {
      const auto value = static_cast<int>(reference_.tensor_of(k)) + 1;
      if (!grid_.plan().values[static_cast<size_t>(value)].kept) continue;
      compare(grid_.read_deltas(value), want.deltas[reference_.sum_of(k)], passes);
    }
    compare_gradients(memory_, slot, want, passes);
    batch_ = {want};
    return got;
  }

  void update() {
    memory_.finish_step();
    reference_.update(batch_);
  }

 private:
  const TrainingJob job_;
  const ElfImage image_;
  Runtime machine_;
  jobs::TrainGrid grid_;
  memoryx::MemoryX memory_;
  golden::Trainer reference_;
  Rng rng_;
  std::vector<golden::MicroBatch> batch_;  // the last one
};

// A pass by its name in estimates.
uint64_t& pass_of(jobs::LayerPassTimes* times, const std::string& name) {
  return name == "forward" ? times->forward : name == "delta" ? times->delta : times->gradient;
}

// Those of the last layer, which is the measured one.
std::vector<jobs::PhaseEstimate> passes_of_last(const jobs::Estimate& estimate) {
  int last = 0;
  for (const jobs::PhaseEstimate& p : estimate.phases) last = std::max(last, p.layer);
  std::vector<jobs::PhaseEstimate> passes;
  for (const jobs::PhaseEstimate& p : estimate.phases) {
    if (p.layer == last) passes.push_back(p);
  }
  return passes;
}

// What the measured layer's passes take at the least, whatever the programs: the beats of its
// weights, what a ramp or a reducer has to take, or the edge; and the words of deltas that come
// from the other grid rows, one a cycle, before the gradient's first product.
jobs::LayerPassTimes bounds_of(const jobs::Estimate& estimate, GridShape grid) {
  jobs::LayerPassTimes bounds;
  for (const jobs::PhaseEstimate& p : passes_of_last(estimate)) {
    pass_of(&bounds, p.name) = std::max({p.engine, p.reducer, p.ramp, p.edge});
  }
  constexpr int kSamplesAWord = 2;
  const int others = kOutputs - kOutputs / grid.rows;
  bounds.gradient += static_cast<uint64_t>(others * kSamples / kSamplesAWord);
  return bounds;
}

Passes measure(GridShape grid, double density, const TrainBench& bench, uint64_t seed) {
  Passes passes;
  const auto run = [&](bool in_front, jobs::LayerPassTimes* bounds) {
    Beside training("passes", job_of(grid, density, in_front), bench, seed);
    TimeModel time = training.time_of_preset(TimeOptions::Preset::Balanced);
    // The samples of a first step have no step before them beside which they would be loaded, and
    // are no part of a pass: they are there.
    time.samples = {};
    training.set_time(time);
    *bounds = bounds_of(training.estimate(time), grid);
    return training.passes(&passes);
  };
  jobs::LayerPassTimes behind_bounds;
  const jobs::TrainRun alone = run(false, &passes.bound);
  const jobs::TrainRun behind = run(true, &behind_bounds);
  passes.forward = alone.layers.back().forward;
  passes.gradient = alone.layers.back().gradient;
  passes.delta = behind.layers.back().delta;
  passes.bound.delta = behind_bounds.delta;
  return passes;
}

// Beats that the weights of a grid row take, in per cent of the cycles.
double utilisation(GridShape grid, double density, uint64_t cycles) {
  const double beats = density * kInputs / grid.rows * kOutputs * kSamples / jobs::kFullTile.lanes;
  return 100 * beats / static_cast<double>(cycles);
}

nlohmann::json raw_of(GridShape grid, double density, const Passes& p) {
  return {{"grid", fmt::format("{}x{}", grid.rows, grid.cols)},
          {"density", density},
          {"forward", p.forward},
          {"gradient", p.gradient},
          {"delta", p.delta},
          {"forward_bound", p.bound.forward},
          {"gradient_bound", p.bound.gradient},
          {"delta_bound", p.bound.delta},
          {"forward_utilisation", utilisation(grid, density, p.forward)},
          {"gradient_utilisation", utilisation(grid, density, p.gradient)},
          {"delta_utilisation", utilisation(grid, density, p.delta)},
          {"compared", p.compared},
          {"different", p.different}};
}

// The least speed-up of the three passes over the dense ones, in parts of what a density asks for.
double speed_up(const Passes& dense, const Passes& sparse, double density) {
  const double least = (density > 0.1 ? 0.9 : 0.85) / density;
  const auto part = [least](uint64_t a, uint64_t b) {
    return static_cast<double>(a) / static_cast<double>(b) / least;
  };
  return std::min({part(dense.forward, sparse.forward), part(dense.gradient, sparse.gradient),
                   part(dense.delta, sparse.delta)});
}

// A dense network with so many features of every tensor, trained with the mean squared error.
TrainingJob step_job(GridShape grid, int features) {
  TrainingJob job;
  job.layers = {{features, features, "relu", true}, {features, features, "none", true}};
  job.loss = "mean_squared_error";
  job.grid_rows = grid.rows;
  job.grid_cols = grid.cols;
  job.samples = kSamples;
  return jobs::with_sum_orders(job);
}

// Cycles of a step and of its parts, one by one, each on the tile that is slowest in it. What is in
// no part is samples that come in, the launch, and the last sums on their way out; at least what is
// left here, for tiles go from part to part at different times. 0 where the parts overlap by more.
// With all that, and with what is outside the wafer, one by one: TrainRun::one_by_one.
nlohmann::json raw_of_step(const jobs::TrainRun& step, double beats) {
  const uint64_t parts =
      step.times.forward + step.times.loss + step.times.gradients + step.times.deltas;
  nlohmann::json raw = {{"cycles", step.cycles},
                        {"beats", beats},
                        {"forward", step.times.forward},
                        {"loss", step.times.loss},
                        {"gradients", step.times.gradients},
                        {"deltas", step.times.deltas},
                        {"parts_one_by_one", parts},
                        {"samples", step.loaded},
                        {"samples_and_ends_at_least", step.cycles - std::min(step.cycles, parts)},
                        {"waits", total(step.edge.waits())},
                        {"one_by_one", step.one_by_one},
                        {"saved_by_overlap", step.one_by_one - step.cycles}};
  for (const jobs::LayerPassTimes& layer : step.layers) {
    raw["layers"].push_back(
        {{"forward", layer.forward}, {"gradient", layer.gradient}, {"delta", layer.delta}});
  }
  return raw;
}

}  // namespace

// Measures the second of two steps: an update comes before it, and samples come during the first.
void measure_train_step(Rows* rows, const TrainBench& bench) {
  constexpr GridShape kGrid{8, 8};
  constexpr double kPasses = 5;  // two forward, two gradients, the deltas of the second
  const Progress bar = rows->progress("a step of 1,024-1,024-1,024 on 8x8");
  Passes compared;
  Beside training("step", step_job(kGrid, kInputs), bench, rows->options().seed);
  training.set_time(training.time_of_preset(TimeOptions::Preset::Balanced));
  training.passes(&compared);
  training.update();
  bar(0.5);
  const jobs::TrainRun step = training.passes(&compared);
  bar(1);
  if (compared.different > 0) {
    rows->fault("train.step_utilisation", fmt::format("{} numbers differ", compared.different));
  }
  const double beats = kPasses * kInputs * kInputs / kGrid.rows * kSamples / jobs::kFullTile.lanes;
  rows->add("train.step_utilisation", 100 * beats / static_cast<double>(step.cycles),
            raw_of_step(step, beats));
}

// The rate is the same for all passes: a share of what the one that needs most needs. What each
// gets of what it needs is what it should take longer by.
double measure_pass_losses(Rows* rows, const TrainBench& bench, nlohmann::json* raw) {
  constexpr GridShape kGrid{4, 2};
  const Progress bar = rows->progress("passes that wait for the edge");
  const TrainingJob job = job_of(kGrid, 1, true);
  Passes compared;
  jobs::LayerPassTimes free;
  double farthest = 0;
  for (const double share : {1.0, 0.9, 0.5}) {
    Beside training("losses", job, bench, rows->options().seed);
    const std::vector<jobs::PhaseEstimate> needs = passes_of_last(training.estimate({}));
    double bits = 0;
    for (const jobs::PhaseEstimate& p : needs) bits = std::max(bits, p.needed_bits());
    TimeModel time;  // without an edge that holds anything, first
    if (share < 1) {
      time.edge.rate = static_cast<uint64_t>(std::ceil(bits * share * kTimeUnit));
      training.set_time(time);
    }
    jobs::LayerPassTimes got = training.passes(&compared).layers.back();
    if (share == 1) free = got;
    for (const jobs::PhaseEstimate& p : needs) {
      const double part = std::min(1.0, bits * share / p.needed_bits());
      const auto cycles = static_cast<double>(pass_of(&got, p.name));
      const double off =
          100 * std::abs(cycles * part / static_cast<double>(pass_of(&free, p.name)) - 1);
      if (share < 1) farthest = std::max(farthest, off);
      raw->push_back({{"pass", p.name},
                      {"share", share},
                      {"share_of_its_need", part},
                      {"cycles", pass_of(&got, p.name)},
                      {"percent_off", off}});
    }
    bar(1.5 - share);
  }
  if (compared.different > 0) {
    rows->fault("train.bandwidth_loss", fmt::format("{} numbers differ", compared.different));
  }
  return farthest;
}

void measure_train_passes(Rows* rows, const TrainBench& bench, GridShape grid) {
  const std::string size = fmt::format("{}x{}", grid.rows, grid.cols);
  nlohmann::json raw;
  Passes dense;
  double least = 1e9;
  for (const double density : {1.0, 0.5, 0.2, 0.1}) {
    const Progress bar = rows->progress(fmt::format("{}, density {}", size, density));
    const Passes p = measure(grid, density, bench, rows->options().seed);
    bar(1);
    raw.push_back(raw_of(grid, density, p));
    if (p.different > 0) {
      rows->fault("train.gradient_" + size, fmt::format("{} numbers differ", p.different));
    }
    if (density == 1.0) dense = p;
    // On the large grid the target is for densities down to 20 %.
    if (density < 1.0 && (grid.rows <= 4 || density > 0.1)) {
      least = std::min(least, speed_up(dense, p, density));
    }
  }
  const nlohmann::json runs = {{"runs", raw}};
  rows->add("train.forward_delta_" + size,
            utilisation(grid, 1, std::max(dense.forward, dense.delta)), runs);
  rows->add("train.gradient_" + size, utilisation(grid, 1, dense.gradient), runs);
  rows->add("train.sparse_speedup_" + size, least, runs);
}

}  // namespace ow::bench
