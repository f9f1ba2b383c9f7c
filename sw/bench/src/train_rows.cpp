// SPDX-License-Identifier: Apache-2.0
// `ow bench train`: what the host does for a training. Rows of tests come as reports, trainings on
// the RTL stand in train_jobs.cpp, their passes in train_passes.cpp.
#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "estimate_rows.h"
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

// All rows' wavelets of a pass.
uint64_t drain(const MemoryX& memory, Pass pass) {
  constexpr int kRows = 4;
  memoryx::StreamOptions options;
  options.rows = kRows;
  const auto stream = memory.stream(pass, {0}, options);
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

nlohmann::json measure(int size, double density, const Progress& bar) {
  constexpr int kSteps = 5;
  TrainingJob job;
  job.layers = {{size, size, Activation::None, false}};
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
  double update = 0, forward = 0, delta = 0;
  uint64_t wavelets = 0;
  for (int k = 0; k <= kSteps; ++k) {
    const double begin = cpu_seconds();
    memory.gradient_added();
    memory.finish_step();
    const double updated = cpu_seconds();
    wavelets = drain(memory, Pass::Forward);
    const double streamed = cpu_seconds();
    wavelets += drain(memory, Pass::Delta);
    const double end = cpu_seconds();
    bar(static_cast<double>(k + 1) / (kSteps + 1));
    if (k == 0) continue;  // pages are touched for the first time
    update += (updated - begin) / kSteps;
    forward += (streamed - updated) / kSteps;
    delta += (end - streamed) / kSteps;
  }
  const auto rate = [n](double seconds) { return static_cast<double>(n) / seconds / 1e6; };
  return {{"parameters", n},
          {"density", density},
          {"wavelets", wavelets},
          {"update_seconds", update},
          {"forward_seconds", forward},
          {"delta_seconds", delta},
          {"millions_a_second", rate(update + forward)},
          {"millions_a_second_with_delta", rate(update + forward + delta)}};
}

}  // namespace

void measure_train(Rows* rows, const TrainBench& bench) {
  measure_train_jobs(rows, bench);
  if (rows->wants("M3")) measure_train_passes(rows, bench);
  if (rows->wants("M11")) measure_train_step(rows, bench);
  measure_estimates(rows, bench);
  if (!rows->wants("M12")) return;
  nlohmann::json raw;
  double slowest = 1e30;
  for (const double density : {1.0, 0.1}) {
    raw.push_back(measure(4096, density, rows->progress("AdamW")));
    slowest = std::min(slowest, raw.back()["millions_a_second"].get<double>());
  }
  rows->add("M12", slowest, {{"runs", raw}});
}

}  // namespace ow::bench
