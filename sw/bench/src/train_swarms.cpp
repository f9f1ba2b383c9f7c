// SPDX-License-Identifier: Apache-2.0
// `ow bench train`: several wafers in one training.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "ow/base/temporary_directory.h"
#include "ow/bench/benches.h"
#include "ow/execute/run_job.h"
#include "ow/sim/sim.h"
#include "ow/swarmx/weight_clock.h"
#include "train_jobs.h"

namespace ow::bench {
namespace {

using jobs::RunOptions;
using jobs::TrainParams;

RunOptions on_tiles(const TrainBench& bench) {
  RunOptions run;
  run.firmware = bench.firmware;
  run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
  run.check = false;
  return run;
}

// Random samples of 512 features in ten classes.
void write_samples(const std::string& path, uint64_t seed, int features, int count) {
  Rng rng(seed);
  std::string text;
  for (int n = 0; n < count; ++n) {
    for (int f = 0; f < features; ++f) text += fmt::format("{:.3f},", rng.uniform());
    text += fmt::format("{}\n", rng.below(10));
  }
  write_file(path, text);
}

// 512-512-10, dense, on 2x2, with 32 samples a tile.
TrainParams scaled_network(const std::string& directory) {
  TrainParams p;
  p.base.path = "wafer_scaling";
  p.base.data.file = directory + "/samples.csv";
  p.base.data.format = DataFormat::Csv;
  p.base.layers = {{512, 512, "relu", true}, {512, 10, "none", true}};
  p.base.grid = {2, 2};
  p.base.time.preset = TimeOptions::Preset::Balanced;
  p.job.layers = p.base.layers;
  p.job.grid_rows = p.job.grid_cols = 2;
  p.job.optimizer.rate = constant_schedule(0.001);
  p.job.loss_scale.initial = 256;
  p.job.samples = 32;
  return p;
}

// Equal work a wafer: a micro-batch each. The least of samples a cycle over N times those of one,
// in the second of two steps: it waits for the first one's update, and so for all stages, each way.
double scaling(TrainParams p, const TrainBench& bench, const Progress& bar, nlohmann::json* raw) {
  double one = 0, least = 1e30;
  uint64_t alone = 0;
  for (const int wafers : {1, 2, 4, 8}) {
    p.wafers = p.job.micro_batches = wafers;
    p.steps = 2;
    jobs::TrainStep step;
    RunOptions run = on_tiles(bench);
    run.on_step = [&step](const jobs::TrainStep& s) { step = s; };
    run_training(p, run);
    const double rate = static_cast<double>(step.samples) / static_cast<double>(step.cycles);
    if (wafers == 1) one = rate, alone = step.cycles;
    const double share = rate / (wafers * one);
    least = std::min(least, share);
    // The closed form: the wafers take what one takes, the stages their latencies.
    const uint64_t stages = static_cast<uint64_t>(swarmx::stages_of(wafers));
    const uint64_t formula = alone + 2 * stages * kBalancedLatency;
    nlohmann::json one_run = {{"wafers", wafers},
                              {"samples", step.samples},
                              {"cycles", step.cycles},
                              {"cycles_of_formula", formula},
                              {"share", share}};
    for (int k = 0; k < kEdgeWaits; ++k) {
      one_run["waits"][edge_wait_name(static_cast<EdgeWait>(k))] =
          step.waits[static_cast<size_t>(k)];
    }
    raw->push_back(one_run);
    bar(wafers / 8.0);
  }
  return least;
}

}  // namespace

void measure_wafer_scaling(Rows* rows, const TrainBench& bench) {
  const TemporaryDirectory scratch;
  write_samples(scratch.path() + "/samples.csv", rows->options().seed, 512, 512);
  const TrainParams p = scaled_network(scratch.path());
  nlohmann::json runs, digits_runs;
  const double least = scaling(p, bench, rows->progress("512-512-10"), &runs);
  TrainParams digits = jobs::read_job(bench.params).training();
  digits.evaluate_every = 0;
  digits.base.time.preset = TimeOptions::Preset::Balanced;
  const double of_digits = scaling(digits, bench, rows->progress("digits"), &digits_runs);
  rows->add("train.wafer_scaling", least,
            {{"runs", runs}, {"digits", {{"share", of_digits}, {"runs", digits_runs}}}});
}

}  // namespace ow::bench
