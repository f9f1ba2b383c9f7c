// SPDX-License-Identifier: Apache-2.0
// `ow bench train`: what the host does for a training. Trainings on the RTL stand in
// train_jobs.cpp, their passes in train_passes.cpp, estimates in estimate_rows.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "ow/base/rng.h"
#include "ow/bench/benches.h"
#include "ow/memoryx/memoryx.h"
#include "train_jobs.h"

namespace ow::bench {
namespace {

using memoryx::MemoryX;
using memoryx::Pass;

// Of this process: other work on the machine does not count.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// All rows' wavelets of a pass, with pieces and windows as a plan of 32 samples has them.
uint64_t drain(const MemoryX& memory, Pass pass) {
  constexpr int kRows = 4;
  constexpr int kPiece = 128;
  memoryx::StreamOptions options;
  options.rows = kRows;
  const bool whole = pass == Pass::Forward;
  const int outputs = memory.job().layers.front().outputs;  // and inputs
  const int most = whole ? outputs : pass == Pass::Delta ? kRows * kPiece : kPiece;
  memoryx::StreamSchedule schedule;
  for (int first = 0; first < outputs; first += most) {
    schedule.push_back({0, pass, SumOrder::Column, first, std::min(most, outputs - first)});
  }
  const auto stream = memory.stream(schedule, options);
  std::vector<Wavelet> part;
  uint64_t wavelets = 0;
  for (bool open = true; open;) {
    open = false;
    for (int r = 0; r < kRows; ++r) {
      part.clear();
      stream->next(r, 4096, &part);
      wavelets += part.size();
      open = open || !stream->done(r);
    }
  }
  return wavelets;
}

// A step's update and the streams that it takes.
nlohmann::json measure(int size, double density, const Progress& bar) {
  constexpr int kSteps = 5;
  TrainingJob job;
  job.layers = {{size, size, "none", false}};
  job.optimizer.max_norm = 1;
  job.optimizer.weight_decay = 0.01;
  if (density < 1) {
    job.sparsity.resize(1);
    job.sparsity[0].pattern = "*";
    job.sparsity[0].density = constant_schedule(density);
  }
  MemoryX memory(job, {});
  memory.begin();
  const size_t n = memory.store().elements();
  Rng rng(1);
  for (float& g : memory.store().gradient(0, 0, 0, n)) {
    g = static_cast<float>(rng.uniform() - 0.5);
  }
  const std::pair<const char*, Pass> passes[] = {
      {"forward", Pass::Forward}, {"gradient", Pass::Gradient}, {"delta", Pass::Delta}};
  nlohmann::json raw = {{"parameters", n}, {"density", density}};
  double all = 0;
  const auto count = [&](const std::string& name, double seconds) {
    raw[name + "_seconds"] = raw.value(name + "_seconds", 0.0) + seconds / kSteps;
    all += seconds / kSteps;
  };
  for (int k = 0; k <= kSteps; ++k) {
    const bool counts = k > 0;  // before, pages are touched for the first time
    double begin = cpu_seconds();
    memory.gradient_added();
    memory.finish_step();
    if (counts) count("update", cpu_seconds() - begin);
    for (const auto& [name, pass] : passes) {
      begin = cpu_seconds();
      raw[std::string(name) + "_wavelets"] = drain(memory, pass);
      if (counts) count(name, cpu_seconds() - begin);
    }
    bar(static_cast<double>(k + 1) / (kSteps + 1));
  }
  raw["millions_a_second"] = static_cast<double>(n) / all / 1e6;
  return raw;
}

}  // namespace

void measure_train(Rows* rows, const TrainBench& bench) {
  if (rows->wants_any({"train.digits_accuracy", "train.digits_seconds"}))
    measure_digits(rows, bench);
  if (rows->wants("train.wafer_scaling")) measure_wafer_scaling(rows, bench);
  for (const int side : {4, 8}) {
    const auto name = [side](const char* what) {
      return fmt::format("train.{}_{}x{}", what, side, side);
    };
    if (rows->wants_any({name("forward_delta"), name("gradient"), name("sparse_speedup")})) {
      measure_train_passes(rows, bench, {side, side});
    }
  }
  if (rows->wants("train.step_utilisation")) measure_train_step(rows, bench);
  measure_estimates(rows, bench);
  if (!rows->wants("train.update_rate")) return;
  nlohmann::json raw;
  double slowest = 1e30;
  for (const double density : {1.0, 0.1}) {
    raw.push_back(measure(4096, density, rows->progress("AdamW")));
    slowest = std::min(slowest, raw.back()["millions_a_second"].get<double>());
  }
  rows->add("train.update_rate", slowest, {{"runs", raw}});
}

}  // namespace ow::bench
