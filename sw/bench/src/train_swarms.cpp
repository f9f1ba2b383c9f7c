// SPDX-License-Identifier: Apache-2.0
// Several wafers in one training: M5 and M6 of `ow bench train`.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/file.h"
#include "ow/base/rng.h"
#include "ow/bench/benches.h"
#include "ow/check/training_job.h"
#include "ow/compile/job.h"
#include "ow/sim/sim.h"
#include "ow/swarmx/transport.h"
#include "ow/swarmx/weight_clock.h"
#include "scratch.h"
#include "train_jobs.h"

namespace ow::bench {
namespace {

using jobs::RunOptions;
using jobs::TrainParams;
using jobs::TrainReport;

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
TrainParams network_of_m5(const std::string& directory) {
  TrainParams p;
  p.base.path = "M5";
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

// The job of M6: every kind of state there is, in few cycles.
constexpr const char* kJob = R"(
data: {{file: {}, scale: 16, held_out_modulo: 4, held_out_remainder: 3}}
network: {{layers: [64, 24, 10]}}
grid: {{rows: 2, columns: 2, samples_per_tile: 8}}
train:
  seed: {}
  steps: 4
  micro_batches: 4
  optimizer: {{kind: adamw, rate: 0.01, max_norm: 1}}
  loss_scale: {{initial: 256, dynamic: true, interval: 2}}
  sparsity:
    - {{pattern: "*.weight", algorithm: rigl, density: 0.3, update: {{every: 2}}}}
)";

// Weights and moments whose bits differ between two checkpoints.
uint64_t different(const TrainingJob& job, const std::string& a, const std::string& b) {
  memoryx::MemoryX one(job, {}), other(job, {});
  one.load(a);
  other.load(b);
  uint64_t n = 0;
  const auto compare = [&](const memoryx::View<float>& x, const memoryx::View<float>& y) {
    for (size_t i = 0; i < x.size(); ++i) {
      uint32_t p, q;
      std::memcpy(&p, &x[i], sizeof p);
      std::memcpy(&q, &y[i], sizeof q);
      n += p != q ? 1 : 0;
    }
  };
  for (size_t k = 0; k < one.store().tensors(); ++k) {
    const size_t all = one.store().spec(k).elements();
    compare(one.store().weights(k, 0, all), other.store().weights(k, 0, all));
    for (int m = 0; m < one.store().moments(); ++m) {
      compare(one.store().moment(k, m, 0, all), other.store().moment(k, m, 0, all));
    }
  }
  return n;
}

class Variants {
 public:
  Variants(Rows* rows, const TrainBench& bench)
      : rows_(rows),
        bench_(bench),
        file_(scratch_.path() + "/job.yaml"),
        bar_(rows->progress("wafers")) {
    const std::string data = rows->options().source + "/data/optdigits/digits.csv.gz";
    write_file(file_, fmt::format(kJob, data, rows->options().seed));
    params_ = jobs::read_job(file_).training();
  }

  // In this process. `device`: rtl or golden; so many steps, or all that are left.
  void run(const std::string& name, int wafers, bool golden, bool resume, uint64_t steps) {
    TrainParams p = params_;
    p.wafers = wafers;
    RunOptions run = on_tiles(bench_);
    run.model = golden::training_wafer;
    if (golden) run.make = nullptr;
    run.model_dir = scratch_.path() + "/" + name;
    run.resume = resume;
    run.num_steps = steps;
    run_training(p, run);
  }

  // Under mpirun, which a container needs to be told that it may.
  bool ranks(const std::string& name, int wafers, int ranks) {
    const std::string log = scratch_.path() + "/" + name + ".log";
    const std::string command = fmt::format(
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
        "OMPI_MCA_rmaps_base_oversubscribe=1 timeout 600 mpirun -n {} '{}' run '{}' --mode train "
        "--no-check --num-wafers {} --model-dir '{}/{}' >'{}' 2>&1",
        ranks, bench_.program, file_, wafers, scratch_.path(), name, log);
    if (std::system(command.c_str()) == 0) return true;
    rows_->fault("M6", fmt::format("{} ranks: {}", ranks, read_text(log)));
    return false;
  }

  void compare(const std::string& name) {
    const auto newest = [this](const std::string& of) {
      return memoryx::checkpoints_in(scratch_.path() + "/" + of).front();
    };
    if (first_.empty()) first_ = name;
    // A checkpoint is of the orders of sums that were chosen for the job.
    const TrainingJob job = jobs::with_sum_orders(params_.job, jobs::kFullTile);
    const uint64_t n = different(job, newest(first_), newest(name));
    different_ += n;
    raw_.push_back({{"variant", name}, {"different", n}});
    bar_(static_cast<double>(raw_.size()) / 8);
  }

  uint64_t all() const { return different_; }
  nlohmann::json raw() const { return {{"variants", raw_}}; }

 private:
  Rows* rows_;
  const TrainBench& bench_;
  Scratch scratch_;
  std::string file_;
  Progress bar_;
  TrainParams params_;
  std::string first_;
  uint64_t different_ = 0;
  nlohmann::json raw_ = nlohmann::json::array();
};

}  // namespace

void measure_swarm_time(Rows* rows, const TrainBench& bench) {
  const Scratch scratch;
  write_samples(scratch.path() + "/samples.csv", rows->options().seed, 512, 512);
  const TrainParams p = network_of_m5(scratch.path());
  nlohmann::json runs, digits_runs;
  const double least = scaling(p, bench, rows->progress("512-512-10"), &runs);
  TrainParams digits = jobs::read_job(bench.params).training();
  digits.evaluate_every = 0;
  digits.base.time.preset = TimeOptions::Preset::Balanced;
  const double of_digits = scaling(digits, bench, rows->progress("digits"), &digits_runs);
  rows->add("M5", least,
            {{"runs", runs}, {"digits", {{"share", of_digits}, {"runs", digits_runs}}}});
}

void measure_swarm_bits(Rows* rows, const TrainBench& bench) {
  Variants variants(rows, bench);
  for (const int wafers : {1, 2, 4}) {
    const std::string name = fmt::format("{} wafers", wafers);
    variants.run(name, wafers, false, false, 0);
    variants.compare(name);
  }
  variants.run("4 wafers by golden", 4, true, false, 0);
  variants.compare("4 wafers by golden");
  // One wafer, then four, then two.
  variants.run("resumed", 1, false, false, 1);
  variants.run("resumed", 4, false, true, 2);
  variants.run("resumed", 2, false, true, 0);
  variants.compare("resumed");
  if (!swarmx::has_mpi()) {
    rows->fault("M6", "the build has no MPI, so nothing ran in several ranks");
    return;
  }
  for (const int ranks : {2, 4}) {
    const std::string name = fmt::format("4 wafers in {} ranks", ranks);
    if (!variants.ranks(name, 4, ranks)) return;
    variants.compare(name);
  }
  rows->add("M6", static_cast<double>(variants.all()), variants.raw());
}

}  // namespace ow::bench
