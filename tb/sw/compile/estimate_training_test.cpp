// SPDX-License-Identifier: Apache-2.0
// The gradient passes of trainings as they are reckoned, beside what RTL tiles take.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/bench/networks.h"
#include "ow/compile/estimate.h"
#include "ow/compile/network_run.h"
#include "ow/compile/train_grid.h"
#include "ow/sim/sim.h"

namespace ow::jobs {
namespace {

struct Case {
  GridShape grid;
  int samples;
  double density;
  std::vector<int> sizes;
  bool bias = true;
};

TrainingJob job_of(const Case& c) {
  TrainingJob job;
  for (size_t k = 0; k + 1 < c.sizes.size(); ++k) {
    const bool last = k + 2 == c.sizes.size();
    job.layers.push_back(
        {c.sizes[k], c.sizes[k + 1], last ? Activation::None : Activation::Relu, c.bias});
  }
  job.loss = Loss::MeanSquaredError;
  job.grid_rows = c.grid.rows;
  job.grid_cols = c.grid.cols;
  job.samples = c.samples;
  if (c.density < 1) {
    job.sparsity.resize(1);
    job.sparsity[0].pattern = "*.weight";
    job.sparsity[0].density = constant_schedule(c.density);
  }
  return job;
}

// Every layer's gradient pass, within 5 % of what its slowest tile takes.
void expect_gradients(const Case& c) {
  constexpr double kMost = 0.05;
  const TrainingJob job = job_of(c);
  const ElfImage image = read_elf(OW_FIRMWARE_DIR "/train.elf", kFullTile.sram_bytes);
  const TrainPlan plan = make_train_plan("test", job, image, kFullTile);
  const auto device = make_device(DeviceKind::Replicated, c.grid);
  ControlPlane control(*device);
  TrainGrid grid(control, image, plan);
  memoryx::MemoryX memory(job, {});
  memory.begin();
  const auto samples = static_cast<int>(job.micro_batch());
  Rng rng(5);
  const Activations x =
      random_activations(rng.next(), job.type, c.sizes.front(), samples, -1.0, 1.0);
  Targets targets;
  targets.values = random_activations(rng.next(), job.type, c.sizes.back(), samples, -1.0, 1.0);
  const TrainRun run = grid.train(memory, x, targets);
  const Estimate e = estimate_training(shape_of(plan), training_weights(job, 0), {});
  for (const PhaseEstimate& phase : e.phases) {
    if (phase.name != "gradient") continue;
    const auto k = static_cast<size_t>(phase.layer);
    const auto took = static_cast<double>(run.layers[k].gradient);
    const auto reckoned = static_cast<double>(phase.cycles);
    EXPECT_NEAR(reckoned, took, took * kMost)
        << c.grid.rows << "x" << c.grid.cols << ", layer " << c.sizes[k] << " to " << c.sizes[k + 1]
        << ", density " << c.density << ", " << c.samples << " samples";
  }
}

TEST(EstimateTraining, GradientsAreWithinFivePercentOfTheTiles) {
  for (const double density : {1.0, 0.2, 0.01}) {
    for (const bool bias : {true, false}) {
      expect_gradients({{4, 4}, 32, density, {64, 128, 64}, bias});
      expect_gradients({{2, 4}, 32, density, {64, 128, 16}, bias});
      expect_gradients({{4, 2}, 16, density, {64, 64, 16}, bias});
      expect_gradients({{1, 2}, 32, density, {64, 64}, bias});
    }
  }
  expect_gradients({{4, 4}, 32, 0.1, {1024, 128}});
  expect_gradients({{8, 1}, 32, 0.1, {128, 64, 32}});
}

TEST(EstimateTraining, APieceAfterTheOtherToo) {
  expect_gradients({{4, 4}, 32, 0.1, {64, 400, 64}});  // 364 outputs and 36
}

}  // namespace
}  // namespace ow::jobs
