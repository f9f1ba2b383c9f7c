// SPDX-License-Identifier: Apache-2.0
// Estimates of the passes of a training compared with the cycles that RTL tiles take.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/compile/estimate.h"
#include "ow/execute/network_run.h"
#include "ow/execute/train_grid.h"
#include "ow/measure/drawn_network.h"
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
    job.layers.push_back({c.sizes[k], c.sizes[k + 1], last ? "none" : "relu", c.bias});
  }
  job.loss = "mean_squared_error";
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

// A step on tiles and its estimate: from the weights themselves, or from their density alone.
enum class Weights { Own, Drawn };
struct Step {
  Plan plan;
  TrainRun run;
  Estimate estimate;
};

Step step_of(const TrainingJob& job, Weights by) {
  const ElfImage image = read_elf(OW_FIRMWARE_DIR "/train.elf", kFullTile.sram_bytes);
  Step step;
  step.plan = make_plan("test", job, image, kFullTile);
  const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, step.plan.grid));
  TrainGrid grid(machine, image, step.plan);
  memoryx::MemoryX memory(job, {});
  memory.begin();
  std::vector<LayerWeights> weights = training_weights(job, 0);
  if (by == Weights::Own) {
    TrainingJob own = job;
    own.first = std::make_shared<FirstValues>(FirstValues{memory.weights(), ""});
    weights = weights_of(own, false);
  }
  const auto samples = static_cast<int>(job.micro_batch());
  Rng rng(5);
  const Activations x =
      random_activations(rng.next(), job.type, job.layers.front().inputs, samples, -1.0, 1.0);
  Targets targets;
  if (job.loss == "mean_squared_error") {
    targets.values =
        random_activations(rng.next(), job.type, job.layers.back().outputs, samples, -1.0, 1.0);
  } else {
    targets.classes.assign(static_cast<size_t>(samples), 1);
  }
  step.run = grid.train(memory, x, targets);
  step.estimate = estimate_job(shape_of(step.plan, job), weights, {});
  return step;
}

// The phases of these names, each within 5 % of what its slowest tile takes.
void expect_phases(const Case& c, const Step& step, const std::set<std::string>& names) {
  constexpr double kMost = 0.05;
  // The step as a whole.
  EXPECT_NEAR(static_cast<double>(step.estimate.cycles), static_cast<double>(step.run.cycles),
              0.03 * static_cast<double>(step.run.cycles))
      << "a step on " << c.grid.rows << "x" << c.grid.cols << ", density " << c.density;
  for (const PhaseEstimate& phase : step.estimate.phases) {
    if (names.count(phase.name) == 0) continue;
    const auto k = static_cast<size_t>(phase.layer);
    const LayerPassTimes& times = step.run.layers[k];
    const auto took = static_cast<double>(phase.name == "gradient"  ? times.gradient
                                          : phase.name == "forward" ? times.forward
                                                                    : times.delta);
    const auto estimated = static_cast<double>(phase.cycles);
    EXPECT_NEAR(estimated, took, took * kMost)
        << phase.name << " on " << c.grid.rows << "x" << c.grid.cols << ", layer " << c.sizes[k]
        << " to " << c.sizes[k + 1] << ", density " << c.density << ", " << c.samples << " samples";
  }
}

// Samples and target values must be in within `most` cycles. Biases are left out: they go in later.
void expect_samples(const Case& c, double most) {
  const Step step = step_of(job_of(c), Weights::Drawn);
  const PhaseEstimate& samples = step.estimate.phases.front();
  ASSERT_EQ(samples.name, "samples");
  EXPECT_NEAR(static_cast<double>(samples.cycles), static_cast<double>(step.run.loaded), most)
      << c.grid.rows << "x" << c.grid.cols << ", " << c.sizes.front() << " to " << c.sizes.back();
}

// Every layer's gradient pass.
void expect_gradients(const Case& c) {
  expect_phases(c, step_of(job_of(c), Weights::Drawn), {"gradient"});
}

// The other passes, in an order of sums; no wavelet more than the limit says.
void expect_passes(const Case& c, SumOrder order) {
  TrainingJob job = job_of(c);
  job.forward.assign(job.layers.size(), order);
  job.delta = job.forward;
  const Step step = step_of(job, Weights::Own);
  expect_phases(c, step, {"forward"});
  expect_phases(c, step, {"delta"});
  EXPECT_LE(step.run.row_wavelets, train_stream_limit(step.plan));
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

TEST(EstimateTraining, SamplesAndTheirTargetsComeInThroughAllEdges) {
  expect_samples({{4, 4}, 32, 1, {128, 8}, false}, 50);
  expect_samples({{4, 4}, 32, 1, {8, 128}, false}, 50);
  expect_samples({{4, 4}, 32, 1, {128, 128}, false}, 50);
  expect_samples({{1, 2}, 16, 1, {64, 64}, false}, 50);
  expect_samples({{2, 3}, 64, 1, {100, 33}, false}, 50);
  expect_samples({{8, 4}, 16, 1, {64, 64}, false}, 50);
}

TEST(EstimateTraining, APieceAfterTheOtherToo) {
  expect_gradients({{4, 4}, 32, 0.1, {64, 400, 64}});  // 364 outputs and 36
}

TEST(EstimateTraining, ForwardAndDeltaPassesInBothOrdersOfSums) {
  for (const SumOrder order : {SumOrder::Column, SumOrder::Whole}) {
    for (const double density : {1.0, 0.2}) {
      for (const bool bias : {true, false}) {
        expect_passes({{4, 2}, 32, density, {64, 128, 64}, bias}, order);
        expect_passes({{2, 2}, 16, density, {64, 96, 32}, bias}, order);
        expect_passes({{1, 2}, 32, density, {64, 64, 32}, bias}, order);
      }
    }
  }
}

// Without a bias a whole sum takes half a cycle a sample, and the ramp brings none: the engine
// holds what the reducers hold round the column.
TEST(EstimateTraining, WholeSumsAreHeldByWhatTheyNeed) {
  for (const bool whole : {true, false}) {
    TrainingJob job = job_of({{4, 1}, 32, 0.1, {64, 128}, false});
    job.forward = job.delta = {whole ? SumOrder::Whole : SumOrder::Column};
    const ElfImage image = read_elf(OW_FIRMWARE_DIR "/train.elf", kFullTile.sram_bytes);
    const EstimateShape shape = shape_of(make_plan("test", job, image, kFullTile), job);
    const Estimate e = estimate_job(shape, training_weights(job, 0), {});
    for (const PhaseEstimate& phase : e.phases) {
      if (phase.name != "forward") continue;
      EXPECT_EQ(phase.reducer, whole ? 32u * 16 : 128u * 32);
      EXPECT_EQ(phase.ramp, phase.wavelets + (whole ? 0 : phase.reducer));
      EXPECT_EQ(phase.bound(), whole ? "engine" : "reducer");
      EXPECT_EQ(phase.needed_bits(),
                32.0 * static_cast<double>(phase.wavelets) /
                    static_cast<double>(std::max(phase.engine, phase.reducer)));
    }
  }
}

// Dense, the first grid row's: two of the five outputs, then its inputs of all with a piece's head.
TEST(EstimateTraining, NoStreamIsLongerThanItsLimit) {
  TrainingJob job = job_of({{4, 1}, 8, 1, {40, 5}});
  job.forward = job.delta = {SumOrder::Whole};
  const Step step = step_of(job, Weights::Own);
  EXPECT_EQ(step.run.row_wavelets, 2u * 41 + 5u * 11 + 1);
  EXPECT_EQ(train_stream_limit(step.plan), step.run.row_wavelets);
}

// The loss, within 5 % of the slowest tile: of one output a tile to many, on one grid row to eight.
void expect_loss(GridShape grid, int samples, int outputs, const std::string& loss) {
  TrainingJob job = job_of({grid, samples, 1, {8, outputs}});
  job.loss = loss;
  const Step step = step_of(job, Weights::Own);
  const auto phase = std::find_if(step.estimate.phases.begin(), step.estimate.phases.end(),
                                  [](const PhaseEstimate& p) { return p.name == "loss"; });
  ASSERT_NE(phase, step.estimate.phases.end());
  const auto took = static_cast<double>(step.run.times.loss);
  EXPECT_NEAR(static_cast<double>(phase->cycles), took, 0.05 * took)
      << grid.rows << "x" << grid.cols << ", " << samples << " samples, " << outputs << " outputs";
}

TEST(EstimateTraining, TheLossIsItsProgramsAndTheWayRoundTheColumn) {
  for (const char* loss : {"softmax_cross_entropy", "mean_squared_error"}) {
    expect_loss({1, 1}, 32, 10, loss);
    expect_loss({1, 2}, 8, 3, loss);
    expect_loss({2, 1}, 32, 10, loss);
    expect_loss({4, 1}, 32, 10, loss);
    expect_loss({4, 2}, 64, 40, loss);
    expect_loss({4, 1}, 8, 100, loss);
    expect_loss({8, 1}, 32, 10, loss);
    expect_loss({8, 1}, 16, 64, loss);
  }
}

// Deltas come window by window, in either order. The estimate takes masking, which runs while the
// next window comes, as if it came after that window.
TEST(EstimateTraining, DeltasOfSeveralWindowsToo) {
  const Case c{{2, 1}, 32, 0.1, {8, 700, 64}};
  for (const SumOrder order : {SumOrder::Column, SumOrder::Whole}) {
    TrainingJob job = job_of(c);
    job.forward.assign(2, SumOrder::Column);
    job.delta.assign(2, order);
    const Step step = step_of(job, Weights::Own);
    EXPECT_LT(step.plan.window, 350u);
    expect_phases(c, step, {"forward"});
    expect_phases(c, step, {"delta"});
    EXPECT_LE(step.run.row_wavelets, train_stream_limit(step.plan));
  }
}

// The second of two steps, with all time outside the wafer: once with updates that run beside the
// passes, once with updates that wait for all gradients.
TEST(EstimateTraining, AStepWithWhatIsOutsideTheWaferIsWithinFivePercentOfTheTiles) {
  const ElfImage image = read_elf(OW_FIRMWARE_DIR "/train.elf", kFullTile.sram_bytes);
  for (const bool waits : {false, true}) {
    TrainingJob job = job_of({{4, 4}, 32, 0.1, {64, 128, 10}});
    job.loss = "softmax_cross_entropy";
    job.optimizer.rate = constant_schedule(0.01);
    job.optimizer.max_norm = waits ? 1 : 0;
    job = with_sum_orders(job);
    TimeModel time = wse_time();
    time.samples = {};  // else they hold all of it
    const Plan plan = make_plan("test", job, image, kFullTile);
    const Estimate estimate = estimate_job(shape_of(plan, job), training_weights(job, 0), time);
    const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, plan.grid));
    TrainGrid grid(machine, image, plan);
    grid.set_time(time);
    memoryx::MemoryX memory(job, {});
    memory.begin();
    const auto samples = static_cast<int>(job.micro_batch());
    const Activations x = random_activations(3, job.type, 64, samples, -1.0, 1.0);
    Targets targets;
    targets.classes.assign(static_cast<size_t>(samples), 1);
    grid.train(memory, x, targets);
    memory.finish_step();
    const auto took = static_cast<double>(grid.train(memory, x, targets).cycles);
    EXPECT_NEAR(static_cast<double>(estimate.cycles), took, 0.05 * took) << waits;
    EXPECT_GT(estimate.one_by_one, estimate.cycles);
  }
}

// With what a network needs not to wait it does not, and its phases are saved as a whole.
TEST(EstimateTraining, BalancedHidesTheUpdate) {
  TrainingJob job = job_of({{4, 4}, 32, 1, {64, 128, 10}});
  const ElfImage image = read_elf(OW_FIRMWARE_DIR "/train.elf", kFullTile.sram_bytes);
  const Plan plan = make_plan("test", job, image, kFullTile);
  const std::vector<LayerWeights> weights = training_weights(job, 0);
  TimeOptions options;
  options.preset = TimeOptions::Preset::Balanced;
  const auto step = [&] {
    const EstimateShape shape = shape_of(plan, job);
    return estimate_job(shape, weights, time_of(options, shape, weights));
  };
  const Estimate ideal = estimate_job(shape_of(plan, job), weights, {});
  EXPECT_EQ(ideal.one_by_one, ideal.cycles);
  const Estimate free = step();
  EXPECT_LT(static_cast<double>(free.cycles), 1.01 * static_cast<double>(ideal.cycles));
  job.optimizer.max_norm = 1;
  const Estimate clipped = step();
  EXPECT_GT(clipped.cycles, free.cycles);
  EXPECT_EQ(clipped.one_by_one, free.one_by_one);
}

}  // namespace
}  // namespace ow::jobs
