// SPDX-License-Identifier: Apache-2.0
// `ow bench train`: time outside the wafer, and estimates against RTL tiles.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/compile/estimate.h"
#include "ow/execute/run_job.h"
#include "ow/execute/stream_job.h"
#include "ow/execute/train_grid.h"
#include "ow/golden/network.h"
#include "ow/sim/sim.h"
#include "train_jobs.h"

namespace ow::bench {
namespace {

using jobs::Estimate;
using jobs::EstimateShape;
using jobs::LayerWeights;

double percent_off(uint64_t estimated, uint64_t measured) {
  return 100 * std::abs(static_cast<double>(estimated) / static_cast<double>(measured) - 1);
}

// A network of random weights that runs once with each model of time, or a training of it whose
// step does.
struct Drawn {
  uint64_t seed = 0;
  bool training = false;
  std::string loss = "softmax_cross_entropy";
  GridShape grid;
  int samples = 0;
  double density = 1;
  std::vector<LayerShape> layers;
  double edge_share = 0;  // of the bandwidth that the network needs; 0: as much as it likes

  nlohmann::json json() const {
    nlohmann::json sizes = {layers.front().inputs};
    for (const LayerShape& layer : layers) sizes.push_back(layer.outputs);
    nlohmann::json out = {
        {"seed", seed},       {"rows", grid.rows}, {"columns", grid.cols},    {"samples", samples},
        {"density", density}, {"sizes", sizes},    {"edge_share", edge_share}};
    if (training) out["loss"] = loss;
    out["what"] = training ? "a step of a training" : "a run of a network";
    return out;
  }
};

TrainingJob run_of(const Drawn& drawn) {
  return forward_job(random_network(drawn.seed, HalfType::Binary16, drawn.layers, drawn.density),
                     drawn.grid.rows, drawn.grid.cols, drawn.samples);
}

jobs::StreamRun run_on_tiles(const Drawn& drawn, const ElfImage& firmware, const TimeModel& time) {
  const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, drawn.grid));
  const TrainingJob work = run_of(drawn);
  const jobs::Plan plan = jobs::make_forward_plan("network", work, 0, firmware, tile_of(machine));
  jobs::StreamJob job(machine, firmware, plan, work);
  job.write_input(
      random_activations(3, work.type, drawn.layers.front().inputs, plan.batch(), -1, 1));
  job.set_time(time);
  return job.run(false);
}

EstimateShape run_shape(const Drawn& drawn, const ElfImage& firmware) {
  TrainingJob run = forward_job();
  run.layers = drawn.layers;
  run.grid_rows = drawn.grid.rows;
  run.grid_cols = drawn.grid.cols;
  run.samples = drawn.samples;
  const jobs::Plan plan = jobs::make_forward_plan("network", run, 0, firmware, jobs::kFullTile);
  return jobs::shape_of(plan, run);
}

// As `ow estimate` does: by the density, not by the weights that the machine has.
std::vector<LayerWeights> reckoned(const Drawn& drawn) {
  std::vector<LayerWeights> weights;
  for (size_t k = 0; k < drawn.layers.size(); ++k) {
    weights.push_back(jobs::drawn_weights(drawn.layers[k], drawn.grid.rows, drawn.density, k + 1));
  }
  return weights;
}

// The edge alone, at a share of the bandwidth from which on it does not hold any pass.
TimeModel edge_of(const Estimate& ideal, double part) {
  TimeModel time;
  double bits = 0;
  for (const jobs::PhaseEstimate& p : ideal.phases) {
    if (p.wavelets == 0) continue;
    bits = std::max(bits,
                    static_cast<double>(p.wavelets * kWaveletBits) / static_cast<double>(p.cycles));
  }
  if (part > 0) {
    time.edge.rate = static_cast<uint64_t>(std::ceil(bits * part * static_cast<double>(kTimeUnit)));
  }
  return time;
}

// What `ow estimate` reckons with, of a run or of a step.
struct Reckoning {
  EstimateShape shape;
  std::vector<LayerWeights> weights;

  Estimate estimate(const TimeModel& time) const { return estimate_job(shape, weights, time); }
};

TrainingJob job_of(const Drawn& drawn) {
  TrainingJob job;
  job.layers = drawn.layers;
  job.loss = drawn.loss;
  job.grid_rows = drawn.grid.rows;
  job.grid_cols = drawn.grid.cols;
  job.samples = drawn.samples;
  job.seed = drawn.seed;
  job.sparsity.resize(1);
  job.sparsity[0].pattern = "*";
  job.sparsity[0].density = constant_schedule(drawn.density);
  return jobs::with_sum_orders(job);
}

// The programs of networks and of trainings.
struct Programs {
  ElfImage stream;
  ElfImage train;
};

// BadInput if it does not fit the tiles.
Reckoning reckoning_of(const Drawn& drawn, const Programs& programs) {
  if (!drawn.training) return {run_shape(drawn, programs.stream), reckoned(drawn)};
  const TrainingJob job = job_of(drawn);
  const jobs::Plan plan = jobs::make_plan("training", job, programs.train, jobs::kFullTile);
  return {shape_of(plan, job), jobs::training_weights(job, 0)};
}

// The second of two steps of a training on the tiles: it has another one behind it, as what is
// reckoned.
uint64_t step_cycles(const Drawn& drawn, const ElfImage& firmware, const TimeModel& time) {
  const TrainingJob job = job_of(drawn);
  const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, drawn.grid));
  jobs::TrainGrid grid(machine, firmware,
                       jobs::make_plan("training", job, firmware, jobs::kFullTile));
  if (time.modelled()) grid.set_time(time);
  memoryx::MemoryX memory(job, {});
  memory.begin();
  const auto samples = static_cast<int>(job.micro_batch());
  const int outputs = job.layers.back().outputs;
  ow::Targets targets;
  if (job.loss == "mean_squared_error") {
    targets.values = random_activations(4, job.type, outputs, samples, -1, 1);
  } else {
    for (int n = 0; n < samples; ++n) targets.classes.push_back(n % outputs);
  }
  const Activations x = random_activations(3, job.type, job.layers.front().inputs, samples, -1, 1);
  grid.train(memory, x, targets);
  memory.finish_step();
  return grid.train(memory, x, targets).cycles;
}

uint64_t cycles_of(const Drawn& drawn, const Programs& programs, const TimeModel& time) {
  return drawn.training ? step_cycles(drawn, programs.train, time)
                        : run_on_tiles(drawn, programs.stream, time).cycles();
}

// What holds the pass that takes longest: "engine", "reducer" or "edge".
std::string bound_of(const Estimate& estimate) {
  uint64_t longest = 0;
  std::string bound;
  for (const jobs::PhaseEstimate& p : estimate.phases) {
    if (p.wavelets == 0 || p.cycles <= longest) continue;
    longest = p.cycles;
    bound = p.bound();
  }
  return bound;
}

// Features 64 to 4,096, density 1 to 100 %, 8 to 64 samples, grids 2x2 to 8x8, one or two layers.
Drawn draw(Rng* rng, uint64_t seed, bool training, bool edge_bound) {
  constexpr int kLeast = 64, kMost = 4096;
  const auto width = [rng] {
    const double span = std::log2(static_cast<double>(kMost) / kLeast);
    return static_cast<int>(kLeast * std::exp2(rng->uniform() * span));
  };
  Drawn d;
  d.seed = seed;
  d.training = training;
  d.loss = rng->below(2) == 1 ? "mean_squared_error" : "softmax_cross_entropy";
  d.grid = {2 + static_cast<int>(rng->below(7)), 2 + static_cast<int>(rng->below(7))};
  d.samples = 8 * (1 + static_cast<int>(rng->below(8)));
  d.density = std::pow(10.0, -2 * rng->uniform());
  const bool two = rng->below(2) == 1;
  const int first = width(), second = width();
  d.layers.push_back({first, second, "relu", true});
  if (two) d.layers.push_back({second, width(), "relu", true});
  if (training) d.layers.back().activation = "none";  // the loss is behind it
  if (edge_bound) d.edge_share = 0.4 + 0.5 * rng->uniform();
  return d;
}

// Draws until one fits the tiles, is held by what is wanted, and takes not too long to simulate.
Drawn draw_fitting(Rng* rng, uint64_t seed, bool training, const std::string& bound,
                   const Programs& programs) {
  constexpr uint64_t kMostWork = 4'000'000;  // cycles x tiles
  constexpr int kTries = 10000;
  for (int k = 0; k < kTries; ++k) {
    const Drawn d = draw(rng, seed, training, bound == "edge");
    // What beats alone would take: most draws are too long by far, which costs no estimate.
    double beats = 0;
    for (const LayerShape& layer : d.layers) {
      beats += d.density * layer.inputs * layer.outputs * d.samples * d.grid.cols /
               jobs::kFullTile.lanes;
    }
    if (beats > static_cast<double>(kMostWork)) continue;
    try {
      const Reckoning reckoning = reckoning_of(d, programs);
      const TimeModel time = edge_of(reckoning.estimate({}), d.edge_share);
      const Estimate e = reckoning.estimate(time);
      if (e.cycles * e.tiles <= kMostWork && bound_of(e) == bound) return d;
    } catch (const BadInput&) {  // does not fit
    }
  }
  throw InternalError("no network fits");
}

// Half of them by the run's seed, half by that of the day; of each half three runs of networks
// and three steps of trainings, each held by another part of the machine.
void estimates(Rows* rows, const Programs& programs) {
  constexpr int kHalf = 6;
  const std::vector<std::string> kBounds = {"engine", "reducer", "edge"};
  const auto today = std::chrono::duration_cast<std::chrono::hours>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count() /
                     24;
  const Progress bar = rows->progress("networks");
  double farthest = 0;
  int trainings = 0;
  std::map<std::string, int> bounds;
  nlohmann::json raw;
  for (int k = 0; k < 2 * kHalf; ++k) {
    const uint64_t base = k < kHalf ? rows->options().seed : static_cast<uint64_t>(today);
    const uint64_t seed = mix64(base * 2 * kHalf + static_cast<uint64_t>(k)) >> 16;
    Rng rng(seed);
    const bool training = k % kHalf >= kHalf / 2;
    const Drawn d =
        draw_fitting(&rng, seed, training, kBounds[static_cast<size_t>(k) % 3], programs);
    const Reckoning reckoning = reckoning_of(d, programs);
    const TimeModel time = edge_of(reckoning.estimate({}), d.edge_share);
    const Estimate e = reckoning.estimate(time);
    const uint64_t cycles = cycles_of(d, programs, time);
    const double off = percent_off(e.cycles, cycles);
    farthest = std::max(farthest, off);
    trainings += training ? 1 : 0;
    ++bounds[bound_of(e)];
    nlohmann::json one = d.json();
    for (const jobs::PhaseEstimate& p : e.phases) {
      if (p.wavelets > 0) one["bounds"].push_back(p.bound());
    }
    one.update({{"bound", bound_of(e)},
                {"estimated", e.cycles},
                {"cycles", cycles},
                {"percent_off", off}});
    raw.push_back(one);
    bar(static_cast<double>(k + 1) / (2 * kHalf));
  }
  for (const std::string& bound : kBounds) {
    if (bounds[bound] == 0)
      rows->fault("train.estimate_error", "none of the networks is held by the " + bound);
  }
  if (trainings < 4)
    rows->fault("train.estimate_error", fmt::format("{} steps of trainings", trainings));
  rows->add("train.estimate_error", farthest, {{"networks", raw}});
}

// A layer of 1,024 to 128 at a share of the bandwidth with which it would not wait, in a
// run of a network and in the three passes of a training.
void losses(Rows* rows, const TrainBench& bench, const ElfImage& firmware) {
  Drawn d;
  d.seed = 1;
  d.grid = {4, 4};
  d.samples = 32;
  d.layers = {{1024, 128, "relu", true}};
  const EstimateShape shape = run_shape(d, firmware);
  const Estimate ideal = estimate_job(shape, reckoned(d), {});
  const uint64_t full = run_on_tiles(d, firmware, {}).cycles();
  double farthest = 0;
  nlohmann::json raw = {{"cycles", full}};
  for (const double part : {0.9, 0.5}) {
    const jobs::StreamRun run = run_on_tiles(d, firmware, edge_of(ideal, part));
    const double off = std::abs(static_cast<double>(run.cycles()) * part / full - 1) * 100;
    farthest = std::max(farthest, off);
    raw["runs"].push_back({{"share", part},
                           {"cycles", run.cycles()},
                           {"waits", total(run.edge.waits())},
                           {"percent_off", off}});
  }
  farthest = std::max(farthest, measure_pass_losses(rows, bench, &raw["passes"]));
  rows->add("train.bandwidth_loss", farthest, raw);
}

// The digits job with masks of 10 % from the first step on: what its steps ask of the edge does not
// change.
jobs::TrainParams digits(const TrainBench& bench, TimeOptions::Preset preset) {
  jobs::TrainParams params = jobs::read_job(bench.params).training();
  params.base.time.preset = preset;
  params.job.sparsity.assign(1, {});
  params.job.sparsity[0].pattern = "*.weight";
  params.job.sparsity[0].density = constant_schedule(0.1);
  return params;
}

jobs::TrainReport train(jobs::TrainParams params, const TrainBench& bench, uint64_t steps) {
  params.steps = steps;
  jobs::RunOptions run;
  run.firmware = bench.firmware;
  run.check = false;
  run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
  return run_training(params, run);
}

// Dense, as the digits job begins, and sparse.
void starved(Rows* rows, const TrainBench& bench) {
  constexpr uint64_t kSteps = 3;
  uint64_t late = 0;
  nlohmann::json raw;
  for (const bool sparse : {false, true}) {
    jobs::TrainParams params = digits(bench, TimeOptions::Preset::Balanced);
    if (!sparse) params.job.sparsity.clear();
    const jobs::TrainReport r = train(params, bench, kSteps);
    nlohmann::json one = {{"sparse", sparse}, {"steps", r.steps}, {"cycles", r.cycles}};
    for (int k = 0; k < kEdgeWaits; ++k) {
      one["waits"][edge_wait_name(static_cast<EdgeWait>(k))] = r.waits[static_cast<size_t>(k)];
    }
    late += total(r.late);
    raw.push_back(one);
  }
  rows->add("train.starved_cycles", static_cast<double>(late), {{"trainings", raw}});
}

void wse(Rows* rows, const TrainBench& bench) {
  constexpr uint64_t kSteps = 4;
  const jobs::TrainParams params = digits(bench, TimeOptions::Preset::Wse);
  const ElfImage firmware = read_elf(bench.firmware, jobs::kFullTile.sram_bytes);
  const TrainingJob job = jobs::with_sum_orders(params.job);
  const EstimateShape shape =
      jobs::shape_of(jobs::make_plan(params.base.path, job, firmware, jobs::kFullTile), job);
  const Estimate e = estimate_job(shape, jobs::training_weights(job, 0), wse_time());
  // The first step has no update before it.
  const jobs::TrainReport one = train(params, bench, 1);
  const jobs::TrainReport all = train(params, bench, kSteps);
  const uint64_t step = (all.cycles - one.cycles) / (kSteps - 1);
  rows->add("train.wse_estimate_error", percent_off(e.cycles, step),
            {{"estimated", e.cycles}, {"cycles", step}, {"first", one.cycles}});
}

}  // namespace

void measure_estimates(Rows* rows, const TrainBench& bench) {
  const bool loss = rows->wants("train.bandwidth_loss");
  const bool estimated = rows->wants("train.estimate_error");
  if (rows->wants("train.starved_cycles")) starved(rows, bench);
  if (rows->wants("train.wse_estimate_error")) wse(rows, bench);
  if (!loss && !estimated) return;
  const Programs programs{read_elf(bench.stream_firmware, jobs::kFullTile.sram_bytes),
                          read_elf(bench.firmware, jobs::kFullTile.sram_bytes)};
  if (loss) losses(rows, bench, programs.stream);
  if (estimated) estimates(rows, programs);
}

}  // namespace ow::bench
