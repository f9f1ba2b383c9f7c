// SPDX-License-Identifier: Apache-2.0
// Steps of a training on tiles with what is outside the wafer in their cycles.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "ow/measure/drawn_network.h"
#include "ow/sim/sim.h"
#include "train_jobs.h"

namespace ow::jobs {
namespace {

// All micro-batches of so many steps, with what is outside the wafer or without.
std::vector<TrainRun> steps_of(const TrainingJob& job, int steps,
                               const std::optional<TimeModel>& time) {
  const ElfImage image = firmware();
  const Runtime machine =
      make_runtime(make_device(DeviceKind::Replicated, {job.grid_rows, job.grid_cols}));
  TrainGrid grid(machine, image, make_plan("test", job, image, kFullTile));
  if (time) grid.set_time(*time);
  memoryx::MemoryX memory(job, {});
  memory.begin();
  const auto samples = static_cast<int>(job.micro_batch());
  std::vector<TrainRun> runs;
  for (int k = 0; k < steps * job.micro_batches; ++k) {
    const Activations x = random_activations(static_cast<uint64_t>(k), job.type,
                                             job.layers.front().inputs, samples, -1.0, 1.0);
    Targets targets;
    targets.classes.assign(static_cast<size_t>(samples), k % 2);
    runs.push_back(grid.train(memory, x, targets));
    if ((k + 1) % job.micro_batches == 0) memory.finish_step();
  }
  return runs;
}

uint64_t waits(const TrainRun& run, EdgeWait cause) {
  return run.edge.waits()[static_cast<size_t>(cause)];
}

// A parameter in 20 cycles, and a stream that is 500 late.
TimeModel late_and_slow() {
  TimeModel time;
  time.optimizer.rate = kTimeUnit / 20;
  time.store.latency = 100;
  time.edge.latency = 400;
  return time;
}

TEST(TrainTime, AStepWaitsForItsWeightsAndItsSecondMicroBatchForNothing) {
  TrainingJob job = job_for({2, 2}, 8, {9, 7, 5});
  job.micro_batches = 2;
  const std::vector<TrainRun> ideal = steps_of(job, 2, std::nullopt);
  const std::vector<TrainRun> timed = steps_of(job, 2, late_and_slow());
  const std::vector<TrainRun> again = steps_of(job, 2, late_and_slow());
  ASSERT_EQ(timed.size(), 4u);
  for (size_t k = 0; k < timed.size(); ++k) {
    EXPECT_EQ(timed[k].outputs.values, ideal[k].outputs.values) << k;
    EXPECT_EQ(timed[k].cycles, again[k].cycles) << k;
    EXPECT_EQ(timed[k].edge.waits(), again[k].edge.waits()) << k;
    EXPECT_GE(ideal[k].one_by_one, ideal[k].cycles) << k;
    EXPECT_GE(timed[k].one_by_one, timed[k].cycles + (k == 0 ? 0 : 400)) << k;
  }
  EXPECT_EQ(timed[1].edge.held(), 0u);
  EXPECT_EQ(timed[1].cycles, ideal[1].cycles);
  EXPECT_EQ(timed[3].edge.held(), 0u);
  EXPECT_EQ(timed[3].cycles, ideal[3].cycles);
  // The update of what grid row 0 gives, 62 parameters, less what was done when the last one left.
  EXPECT_GT(waits(timed[2], EdgeWait::Optimizer), 0u);
  EXPECT_LT(waits(timed[2], EdgeWait::Optimizer), 62 * 20u);
  EXPECT_GE(waits(timed[2], EdgeWait::Latency), 400u);
  EXPECT_LE(waits(timed[2], EdgeWait::Latency), 500u);
  EXPECT_EQ(waits(timed[2], EdgeWait::Store) + waits(timed[2], EdgeWait::Edge), 0u);
}

// Gradients leave over a link that takes four times as long as they are made: the grid waits to
// send them, and with a queue that holds all of them it does not. The same bits and, again, the
// same cycles.
TEST(TrainTime, ASlowWayOutKeepsTheGridFromSending) {
  const TrainingJob job = job_for({2, 2}, 8, {48, 32, 8});
  TimeModel slow;
  slow.exit.rate = kWaveletBits * kTimeUnit / 16;  // a number in 16 cycles
  slow.exit.latency = 700;
  slow.exit_depth = 16;
  TimeModel deep = slow;
  deep.exit_depth = 1024;
  const std::vector<TrainRun> ideal = steps_of(job, 2, std::nullopt);
  const std::vector<TrainRun> kept = steps_of(job, 2, slow), again = steps_of(job, 2, slow);
  const std::vector<TrainRun> free = steps_of(job, 2, deep);
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(kept[k].outputs.values, ideal[k].outputs.values);
    EXPECT_EQ(kept[k].cycles, again[k].cycles);
    EXPECT_EQ(kept[k].edge.waits(), again[k].edge.waits());
    EXPECT_GT(kept[k].cycles, free[k].cycles);
  }
  EXPECT_GT(waits(kept[0], EdgeWait::Exit), kept[0].row_gradients * 4);
  EXPECT_EQ(waits(free[0], EdgeWait::Exit), 0u);
  EXPECT_EQ(free[0].cycles, ideal[0].cycles);
  // The next step's weights wait for the gradients that are still on their way, and so for longer.
  EXPECT_GT(waits(free[1], EdgeWait::Exit), 0u);
  EXPECT_GE(waits(free[1], EdgeWait::Latency), 500u);
}

// Biases are updated with their layers, and tiles are launched when the biases have arrived. They
// arrive once per step.
TEST(TrainTime, BiasesComeWhenTheyAreUpdated) {
  TrainingJob job = job_for({2, 2}, 8, {9, 7, 64});
  job.micro_batches = 2;
  TimeModel time;
  time.edge.rate = kWaveletBits * kTimeUnit / 50;  // a word in 50 cycles
  const std::vector<TrainRun> slow = steps_of(job, 2, time);
  const std::vector<TrainRun> ideal = steps_of(job, 2, std::nullopt);
  // 4 and 32 of them go to the first grid row; they are on their way while samples go in.
  for (const size_t first : {0, 2}) {
    EXPECT_GT(slow[first].edge.phases.front().held, 36 * 50u / 2);
    EXPECT_EQ(slow[first + 1].edge.phases.front().held, 0u);
    EXPECT_LT(ideal[first + 1].cycles, ideal[first].cycles);
  }
}

// The forward pass of the first layer waits for the update of that layer. The pass of the second
// layer waits for whatever is left of both updates.
TEST(TrainTime, ClippedStepsWaitForTheLastGradient) {
  TrainingJob job = job_for({2, 2}, 8, {9, 7, 64});
  const std::vector<TrainRun> free = steps_of(job, 2, late_and_slow());
  job.optimizer.max_norm = 1e6;
  const std::vector<TrainRun> clipped = steps_of(job, 2, late_and_slow());
  EXPECT_EQ(clipped[1].outputs.values, free[1].outputs.values);
  EXPECT_GT(clipped[1].cycles, free[1].cycles);
  const auto held = [](const TrainRun& run, size_t phase) { return run.edge.phases[phase].held; };
  EXPECT_GT(held(clipped[1], 1), 0u);
  EXPECT_EQ(held(free[1], 1), 0u);
  // All biases of a grid row come first, 4 and 32; then layer 0's 35 weights, and the way.
  EXPECT_GT(held(clipped[1], 0), 36 * 20u);
  EXPECT_LE(held(clipped[1], 0), 71 * 20u + 500u);
}

TEST(TrainTime, ASkippedStepHasNoUpdate) {
  TrainingJob job = job_for({2, 2}, 8, {9, 7, 5});
  job.loss_scale.initial = 0x1p60;
  const std::vector<TrainRun> runs = steps_of(job, 2, late_and_slow());
  EXPECT_EQ(waits(runs[1], EdgeWait::Optimizer), 0u);
  EXPECT_GT(runs[1].edge.held(), 0u);  // what follows the last gradient is late
  EXPECT_LE(runs[1].edge.held(), 500u);
}

}  // namespace
}  // namespace ow::jobs
