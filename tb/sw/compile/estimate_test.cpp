// SPDX-License-Identifier: Apache-2.0
// Estimates compared with the cycles that RTL tiles take, with and without time outside the wafer.
#include "ow/compile/estimate.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ow/base/error.h"
#include "ow/execute/network_run.h"
#include "ow/execute/stream_job.h"
#include "ow/golden/network.h"
#include "ow/measure/grid_costs.h"
#include "ow/sim/sim.h"

namespace ow::jobs {
namespace {

struct Case {
  GridShape grid;
  int samples;
  double density;
  std::vector<int> sizes;
};

// A network of random weights on a grid of its own.
class Machine {
 public:
  explicit Machine(const Case& c)
      : image_(read_elf(OW_FIRMWARE_DIR "/forward.elf", 49152)),
        machine_(make_runtime(make_device(DeviceKind::Replicated, c.grid))) {
    std::vector<LayerShape> layers;
    for (size_t k = 0; k + 1 < c.sizes.size(); ++k) {
      layers.push_back({c.sizes[k], c.sizes[k + 1], "relu", true});
    }
    job_ = forward_job(random_network(11, HalfType::Binary16, layers, c.density), c.grid.rows,
                       c.grid.cols, c.samples);
    const Plan plan = make_forward_plan("test", job_, 0, image_, tile_of(machine_));
    stream_ = std::make_unique<StreamJob>(machine_, image_, plan, job_);
    stream_->write_input(random_activations(3, job_.type, layers[0].inputs, plan.batch(), -1, 1));
    shape_ = shape_of(plan, job_);
    weights_ = weights_of(job_, false);
  }

  StreamRun run(const TimeModel& time) {
    stream_->set_time(time);
    return stream_->run(false);
  }
  Estimate estimate(const TimeModel& time) const { return estimate_job(shape_, weights_, time); }
  TimeNeeds needs() const { return needs_of(shape_, estimate({})); }

 private:
  ElfImage image_;
  Runtime machine_;
  TrainingJob job_;
  std::unique_ptr<StreamJob> stream_;
  EstimateShape shape_;
  std::vector<LayerWeights> weights_;
};

double share(uint64_t estimated, uint64_t measured) {
  return static_cast<double>(estimated) / static_cast<double>(measured) - 1;
}

TEST(Estimate, IsWithinThreePercentOfTheTiles) {
  const Case cases[] = {
      {{1, 1}, 32, 1, {64, 16}},        {{1, 1}, 8, 1, {64, 16}},
      {{2, 2}, 32, 0.02, {64, 96}},     {{2, 2}, 8, 0.3, {128, 64, 32}},
      {{4, 4}, 32, 0.1, {64, 128, 10}}, {{4, 4}, 64, 0.5, {64, 64}},
      {{3, 2}, 16, 0.2, {100, 70, 30}}, {{5, 1}, 24, 0.4, {90, 33}},
  };
  for (const Case& c : cases) {
    Machine machine(c);
    const StreamRun run = machine.run({});
    EXPECT_NEAR(share(machine.estimate({}).cycles, run.cycles()), 0, 0.03)
        << c.grid.rows << "x" << c.grid.cols << ", " << c.samples << " samples, density "
        << c.density << ": " << machine.estimate({}).cycles << " for " << run.cycles();
    EXPECT_TRUE(run.edge.phases.empty());
  }
}

TEST(Estimate, ASlowEdgeTakesItsTimeAndChangesNoBit) {
  Machine machine({{2, 2}, 32, 1, {64, 32, 16}});
  const StreamRun ideal = machine.run({});
  TimeModel time = balanced_time(machine.needs());
  time.samples = {};  // a first batch is loaded before it is run
  const StreamRun balanced = machine.run(time);
  EXPECT_EQ(balanced.outputs.values, ideal.outputs.values);
  EXPECT_EQ(total(balanced.edge.late()), 0u);
  ASSERT_EQ(balanced.edge.phases.size(), 2u);
  // 1.1 times the need, so 1 / 0.9 and 1 / 0.5 of the need.
  for (const double part : {0.9, 0.5}) {
    TimeModel slow = time;
    slow.edge.rate = static_cast<uint64_t>(part / 1.1 * static_cast<double>(time.edge.rate));
    slow.store.rate = slow.edge.rate;
    const StreamRun run = machine.run(slow);
    EXPECT_EQ(run.outputs.values, ideal.outputs.values);
    EXPECT_GT(run.edge.waits()[static_cast<size_t>(EdgeWait::Edge)], 0u);
    EXPECT_NEAR(share(machine.estimate(slow).cycles, run.cycles()), 0, 0.05) << part;
  }
  // A run is the same again, cycle for cycle.
  EXPECT_EQ(machine.run(time).cycles(), machine.run(time).cycles());
}

TEST(Estimate, TheStoreAndTheSamplesAreCausesOfTheirOwn) {
  Machine machine({{2, 2}, 8, 1, {32, 16}});
  TimeModel time;
  time.store = {kTimeUnit, 100};
  time.samples = {2 * kTimeUnit, 1000};  // 3,048 cycles, in which a third of the weights come
  const StreamRun run = machine.run(time);
  const EdgeWaits waits = run.edge.waits();
  EXPECT_GT(waits[static_cast<size_t>(EdgeWait::Samples)], 2900u);
  EXPECT_GT(waits[static_cast<size_t>(EdgeWait::Store)], 5000u);
  EXPECT_EQ(waits[static_cast<size_t>(EdgeWait::Optimizer)], 0u);
}

TEST(Estimate, DrawnWeightsAreWhatTheDensitySays) {
  const LayerShape layer{300, 200, "none", true};
  for (const double density : {0.0, 0.1, 0.5, 1.0}) {
    const LayerWeights w = drawn_weights(layer, 4, density, 9);
    uint64_t forward = 0, delta = 0;
    for (int r = 0; r < 4; ++r) {
      for (int p = 0; p < layer.outputs; ++p) forward += w.forward(r, p);
      for (int p = 0; p < layer.inputs; ++p) delta += w.delta(r, p);
    }
    EXPECT_NEAR(static_cast<double>(forward), density * 60000, 600) << density;
    EXPECT_NEAR(static_cast<double>(delta), density * 60000, 600) << density;
  }
}

TEST(Estimate, ANetworksWeightsAreCountedWhereTheyAreStreamed) {
  const Network network = random_network(2, HalfType::Binary16, {{7, 5, "none", true}}, 0.5);
  const Layer& layer = network.layers[0];
  const LayerWeights w = weights_of(forward_job(network, 2, 1), false).front();
  // Outputs 0, 2, 4 of grid row 0 come first, then 1 and 3.
  const int order[] = {0, 2, 4, 1, 3};
  for (int p = 0; p < 5; ++p) {
    for (int r = 0; r < 2; ++r) {
      uint32_t n = 0;
      for (int i = r; i < 7; i += 2) n += half_is_zero(layer.weight(order[p], i)) ? 0 : 1;
      EXPECT_EQ(w.forward(r, p), n);
    }
  }
}

}  // namespace
}  // namespace ow::jobs
