// SPDX-License-Identifier: Apache-2.0
// M4 and M9 of `ow bench train`: time outside the wafer, and what is reckoned, against RTL tiles.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "estimate_rows.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/bench/golden_training.h"
#include "ow/compile/estimate.h"
#include "ow/compile/network_run.h"
#include "ow/compile/stream_job.h"
#include "ow/compile/train_job.h"
#include "ow/golden/network.h"
#include "ow/sim/sim.h"

namespace ow::bench {
namespace {

using jobs::Estimate;
using jobs::EstimateShape;
using jobs::LayerWeights;

double percent_off(uint64_t estimated, uint64_t measured) {
  return 100 * std::abs(static_cast<double>(estimated) / static_cast<double>(measured) - 1);
}

// A network of random weights that runs once with each model of time.
struct Drawn {
  uint64_t seed = 0;
  GridShape grid;
  int samples = 0;
  double density = 1;
  std::vector<LayerShape> layers;
  double edge_share = 0;  // of the bandwidth that the network needs; 0: as much as it likes

  nlohmann::json json() const {
    nlohmann::json sizes = {layers.front().inputs};
    for (const LayerShape& layer : layers) sizes.push_back(layer.outputs);
    return {
        {"seed", seed},       {"rows", grid.rows}, {"columns", grid.cols},    {"samples", samples},
        {"density", density}, {"sizes", sizes},    {"edge_share", edge_share}};
  }
};

class Machine {
 public:
  Machine(const Drawn& drawn, const ElfImage& firmware)
      : firmware_(firmware),
        device_(make_device(DeviceKind::Replicated, drawn.grid)),
        control_(*device_),
        network_(random_network(drawn.seed, HalfType::Binary16, drawn.layers, drawn.density)) {
    jobs::PlanRequest request;
    request.who = "network";
    request.grid = drawn.grid;
    request.samples = drawn.samples;
    request.layers = drawn.layers;
    plan_ = make_plan(request, firmware_, read_config(control_, 0, 0));
    job_ = std::make_unique<jobs::StreamJob>(control_, firmware_, plan_, network_);
  }

  jobs::StreamRun run(const TimeModel& time) {
    job_->write_input(random_activations(3, network_.type, plan_.layers.front().shape.inputs,
                                         plan_.batch(), -1, 1));
    job_->set_time(time);
    return job_->run(false);
  }

 private:
  const ElfImage& firmware_;
  std::unique_ptr<Device> device_;
  ControlPlane control_;
  Network network_;
  jobs::StreamPlan plan_;
  std::unique_ptr<jobs::StreamJob> job_;
};

jobs::StreamPlan plan_of(const Drawn& drawn, const ElfImage& firmware) {
  jobs::PlanRequest request;
  request.who = "network";
  request.grid = drawn.grid;
  request.samples = drawn.samples;
  request.layers = drawn.layers;
  return make_plan(request, firmware, jobs::kFullTile);
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

// Features 64 to 4,096, density 1 to 100 %, 8 to 64 samples, grids 2x2 to 8x8, one or two layers.
Drawn draw(Rng* rng, uint64_t seed, bool edge_bound) {
  constexpr int kLeast = 64, kMost = 4096, kMostOutputs = 256;
  const auto width = [rng](int most) {
    const double span = std::log2(static_cast<double>(most) / kLeast);
    return static_cast<int>(kLeast * std::exp2(rng->uniform() * span));
  };
  Drawn d;
  d.seed = seed;
  d.grid = {2 + static_cast<int>(rng->below(7)), 2 + static_cast<int>(rng->below(7))};
  d.samples = 8 * (1 + static_cast<int>(rng->below(8)));
  d.density = std::pow(10.0, -2 * rng->uniform());
  const bool two = rng->below(2) == 1;
  const int first = width(kMost), second = width(kMostOutputs);
  d.layers.push_back({first, second, Activation::Relu, true});
  if (two) d.layers.push_back({second, width(kMostOutputs), Activation::Relu, true});
  if (edge_bound) d.edge_share = 0.4 + 0.5 * rng->uniform();
  return d;
}

// Draws until one fits the tiles and takes not too long to simulate.
Drawn draw_fitting(Rng* rng, uint64_t seed, bool edge_bound, const ElfImage& firmware) {
  constexpr uint64_t kMostWork = 1'500'000;  // cycles x tiles
  constexpr int kTries = 10000;
  for (int k = 0; k < kTries; ++k) {
    const Drawn d = draw(rng, seed, edge_bound);
    try {
      const EstimateShape shape = shape_of(plan_of(d, firmware));
      const Estimate e = estimate_inference(shape, reckoned(d), {});
      if (e.cycles * e.tiles <= kMostWork) return d;
    } catch (const BadInput&) {  // does not fit
    }
  }
  throw InternalError("no network fits");
}

// M9: half of them by the run's seed, half by that of the day.
void estimates(Rows* rows, const ElfImage& firmware) {
  constexpr int kHalf = 6;
  const auto today = std::chrono::duration_cast<std::chrono::hours>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count() /
                     24;
  const Progress bar = rows->progress("networks");
  double farthest = 0;
  nlohmann::json raw;
  for (int k = 0; k < 2 * kHalf; ++k) {
    const uint64_t base = k < kHalf ? rows->options().seed : static_cast<uint64_t>(today);
    const uint64_t seed = mix64(base * 2 * kHalf + static_cast<uint64_t>(k)) >> 16;
    Rng rng(seed);
    const Drawn d = draw_fitting(&rng, seed, k % 3 == 2, firmware);
    const EstimateShape shape = shape_of(plan_of(d, firmware));
    const std::vector<LayerWeights> weights = reckoned(d);
    const TimeModel time = edge_of(estimate_inference(shape, weights, {}), d.edge_share);
    const Estimate e = estimate_inference(shape, weights, time);
    const uint64_t cycles = Machine(d, firmware).run(time).cycles();
    const double off = percent_off(e.cycles, cycles);
    farthest = std::max(farthest, off);
    nlohmann::json one = d.json();
    for (const jobs::PhaseEstimate& p : e.phases) {
      if (p.wavelets > 0) one["bounds"].push_back(p.bound());
    }
    one.update({{"estimated", e.cycles}, {"cycles", cycles}, {"percent_off", off}});
    raw.push_back(one);
    bar(static_cast<double>(k + 1) / (2 * kHalf));
  }
  rows->add("M9", farthest, {{"networks", raw}});
}

// M4.loss: a layer of 1,024 to 128 at a share of the bandwidth with which it would not wait.
void losses(Rows* rows, const ElfImage& firmware) {
  Drawn d;
  d.seed = 1;
  d.grid = {4, 4};
  d.samples = 32;
  d.layers = {{1024, 128, Activation::Relu, true}};
  const EstimateShape shape = shape_of(plan_of(d, firmware));
  const Estimate ideal = estimate_inference(shape, reckoned(d), {});
  Machine machine(d, firmware);
  const uint64_t full = machine.run({}).cycles();
  double farthest = 0;
  nlohmann::json raw = {{"cycles", full}};
  for (const double part : {0.9, 0.5}) {
    const jobs::StreamRun run = machine.run(edge_of(ideal, part));
    const double off = std::abs(static_cast<double>(run.cycles()) * part / full - 1) * 100;
    farthest = std::max(farthest, off);
    raw["runs"].push_back({{"share", part},
                           {"cycles", run.cycles()},
                           {"waits", total(run.edge.waits())},
                           {"percent_off", off}});
  }
  rows->add("M4.loss", farthest, raw);
}

// The digits job with masks of 10 % from the first step on: what its steps ask of the edge does not
// change.
jobs::TrainParams digits(const TrainBench& bench, TimeOptions::Preset preset) {
  jobs::TrainParams params = jobs::load_train_params(bench.params);
  params.base.time.preset = preset;
  params.job.sparsity.assign(1, {});
  params.job.sparsity[0].pattern = "*.weight";
  params.job.sparsity[0].density = constant_schedule(0.1);
  return params;
}

jobs::TrainReport train(jobs::TrainParams params, const TrainBench& bench, uint64_t steps) {
  params.steps = steps;
  jobs::TrainRunOptions run;
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
  rows->add("M4.starved", static_cast<double>(late), {{"trainings", raw}});
}

void wse(Rows* rows, const TrainBench& bench) {
  constexpr uint64_t kSteps = 4;
  const jobs::TrainParams params = digits(bench, TimeOptions::Preset::Wse);
  const ElfImage firmware = read_elf(bench.firmware, jobs::kFullTile.sram_bytes);
  const TrainingJob job = jobs::with_sum_orders(params.job, jobs::kFullTile);
  const EstimateShape shape =
      jobs::shape_of(jobs::make_train_plan(params.base.path, job, firmware, jobs::kFullTile), job);
  const Estimate e = estimate_training(shape, jobs::training_weights(job, 0), wse_time());
  // The first step has no update before it.
  const jobs::TrainReport one = train(params, bench, 1);
  const jobs::TrainReport all = train(params, bench, kSteps);
  const uint64_t step = (all.cycles - one.cycles) / (kSteps - 1);
  rows->add("M4.wse", percent_off(e.cycles, step),
            {{"estimated", e.cycles}, {"cycles", step}, {"first", one.cycles}});
}

}  // namespace

void measure_estimates(Rows* rows, const TrainBench& bench) {
  const bool times = rows->wants("M4"), reckons = rows->wants("M9");
  if (!times && !reckons) return;
  const ElfImage firmware = read_elf(bench.stream_firmware, jobs::kFullTile.sram_bytes);
  if (times) {
    starved(rows, bench);
    losses(rows, firmware);
    wse(rows, bench);
  }
  if (reckons) estimates(rows, firmware);
}

}  // namespace ow::bench
