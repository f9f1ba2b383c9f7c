// SPDX-License-Identifier: Apache-2.0
// Networks on grids of RTL tiles against the golden model, idle tiles checked.
#include "ow/execute/stream_job.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/check/training_job.h"
#include "ow/device/sim_control.h"
#include "ow/execute/network_run.h"
#include "ow/golden/network.h"
#include "ow/measure/grid_costs.h"
#include "ow/open/mini.h"
#include "ow/sim/sim.h"

namespace ow::jobs {
namespace {

ElfImage firmware() { return read_elf(OW_FIRMWARE_DIR "/forward.elf", 49152); }

std::vector<LayerShape> shapes(const std::vector<int>& sizes) {
  std::vector<LayerShape> layers;
  for (size_t k = 0; k + 1 < sizes.size(); ++k) {
    const std::string f = k + 2 < sizes.size() ? "relu" : "none";
    layers.push_back({sizes[k], sizes[k + 1], f, true});
  }
  return layers;
}

StreamPlan plan_for(GridShape grid, int samples, const Network& network, const ElfImage& image,
                    const TileConfig& tile = kFullTile) {
  PlanRequest r;
  r.who = "test";
  r.grid = grid;
  r.samples = samples;
  r.type = network.type;
  r.layers = network.shapes();
  return make_plan(r, image, tile);
}

Activations random_input(uint64_t seed, HalfType type, int features, int samples) {
  return random_activations(seed, type, features, samples, -2.0, 2.0);
}

void expect_equal(const Comparison& comparison) {
  for (const Workload& w : comparison.workloads()) {
    for (const Pass* pass : {&w.sparse, &w.dense}) {
      EXPECT_EQ(pass->different, 0u) << pass->first_difference;
    }
  }
  EXPECT_GT(comparison.workloads().back().sparse.compared, 0u);
  EXPECT_GT(comparison.workloads().back().dense.compared, 0u);
}

struct Case {
  GridShape grid;
  int samples;
  std::vector<int> sizes;
  double density;
};

// What the test is called.
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.grid.rows << "x" << c.grid.cols << "_" << c.samples << "_samples";
  for (int size : c.sizes) *out << "_" << size;
}

class Stream : public testing::TestWithParam<Case> {};

TEST_P(Stream, EveryActivationOfEveryLayerIsThatOfGolden) {
  const Case& c = GetParam();
  SimOptions sim;
  sim.check_idle = true;
  const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, c.grid, sim));
  const ElfImage image = firmware();
  const Network network = random_network(11, HalfType::Binary16, shapes(c.sizes), c.density);
  const StreamPlan plan = plan_for(c.grid, c.samples, network, image);
  Comparison comparison(machine, image, plan, network, "network", golden::run_network);
  // Twice, the second time with a batch that is not full.
  comparison.run(random_input(21, network.type, c.sizes.front(), plan.batch()));
  comparison.run(random_input(22, network.type, c.sizes.front(), plan.batch() - 3));
  expect_equal(comparison);
  for (const Workload& w : comparison.workloads()) EXPECT_GT(w.sparse.compared, 0u) << w.name;
  const Workload& job = comparison.workloads().back();
  EXPECT_GE(job.dense.cycles, job.dense.bound);
  EXPECT_GE(job.sparse.cycles, job.sparse.bound);
}

// Names what is special about the case; outputs and inputs rarely divide evenly.
INSTANTIATE_TEST_SUITE_P(
    Shapes, Stream,
    testing::Values(Case{{1, 1}, 8, {5, 3}, 0.5},       // alone
                    Case{{1, 3}, 16, {9, 7, 4}, 0.5},   // a row: no reduction
                    Case{{3, 1}, 32, {10, 8, 5}, 0.4},  // a column
                    Case{{2, 2}, 32, {13, 11, 6}, 0.3},
                    Case{{4, 4}, 32, {18, 9, 2}, 0.3},      // grid rows without an output
                    Case{{3, 5}, 24, {20, 10, 7, 4}, 0.2},  // three layers, ring of 5
                    Case{{2, 3}, 128, {6, 5}, 0.5},         // a row fills the accumulator
                    Case{{4, 2}, 32, {3, 6}, 0.3}));        // a grid row without an input

// Without pruning there is no speed-up, and the bound promises none.
// Fails if a dense network has a bound above 1.
TEST(StreamKinds, NothingPrunedIsAsFastAsDenseAndBoundSo) {
  const GridShape grid{2, 2};
  const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, grid, {}));
  const ElfImage image = firmware();
  const Network network = random_network(11, HalfType::Binary16, shapes({13, 11, 6}), 1);
  const StreamPlan plan = plan_for(grid, 32, network, image);
  Comparison comparison(machine, image, plan, network, "network", golden::run_network);
  comparison.run(random_input(21, network.type, 13, plan.batch()));
  expect_equal(comparison);
  for (const Workload& w : comparison.workloads()) {
    EXPECT_EQ(w.speed_up_bound(), 1) << w.name;
    EXPECT_NEAR(w.speed_up(), 1, 0.02) << w.name;
  }
}

// Bfloat16; layers without a bias and with ReLU at the end; activations in two places in turn.
TEST(StreamKinds, EveryKindOfLayerIsThatOfGolden) {
  const ElfImage image = firmware();
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    const GridShape grid{2, 3};
    const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, grid));
    std::vector<LayerShape> layers = shapes({300, 400, 30, 500, 7});
    layers[1].bias = false;
    layers[1].activation = "none";
    layers[3].bias = false;
    layers[3].activation = "relu";
    const Network network = random_network(12, type, layers, 0.05);
    const StreamPlan plan = plan_for(grid, 48, network, image);
    EXPECT_TRUE(plan.in_turn);
    Comparison comparison(machine, image, plan, network, "network", golden::run_network);
    comparison.run(random_input(23, type, 300, plan.batch()));
    comparison.run(random_input(24, type, 300, 10));
    expect_equal(comparison);
  }
}

TEST(StreamMini, RunsOnTilesOfTwoLanesAndFourColours) {
  const ElfImage image = read_elf(OW_FIRMWARE_DIR "/forward_mini.elf", kMiniTile.sram_bytes);
  for (const GridShape grid :
       {GridShape{1, 1}, GridShape{1, 3}, GridShape{2, 1}, GridShape{2, 2}}) {
    const Runtime machine = make_runtime(make_mini_grid(grid));
    const TileConfig tile = tile_of(machine);
    EXPECT_EQ(tile.lanes, kMiniTile.lanes);
    EXPECT_EQ(tile.threads, kMiniTile.threads);
    EXPECT_EQ(tile.colours, kMiniTile.colours);
    EXPECT_EQ(tile.sram_bytes, kMiniTile.sram_bytes);
    const Network network = random_network(13, HalfType::Binary16, shapes({37, 22, 10}), 0.4);
    const StreamPlan plan = plan_for(grid, 6, network, image, tile);
    Comparison comparison(machine, image, plan, network, "network", golden::run_network);
    comparison.run(random_input(25, network.type, 37, plan.batch()));
    comparison.run(random_input(26, network.type, 37, 1));
    expect_equal(comparison);
  }
}

TEST(StreamBatch, CostsAndCountsWhatItHolds) {
  const ElfImage image = firmware();
  const GridShape grid{1, 2};
  const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, grid));
  const Network network = random_network(14, HalfType::Binary16, shapes({100, 20}), 1.0);
  const StreamPlan plan = plan_for(grid, 64, network, image);
  uint64_t cycles[2], useful[2];
  for (const int k : {0, 1}) {
    Comparison comparison(machine, image, plan, network, "network", golden::run_network);
    comparison.run(random_input(27, network.type, 100, k == 0 ? 128 : 9));
    expect_equal(comparison);
    cycles[k] = comparison.workloads().back().dense.cycles;
    useful[k] = comparison.workloads().back().dense.multiply_adds;
  }
  EXPECT_EQ(useful[0], 100u * 20 * 128);
  EXPECT_EQ(useful[1], 100u * 20 * 9);
  EXPECT_LT(cycles[1], cycles[0] / 3);
}

TEST(StreamHang, ReportNamesWhatTheGridWaitsFor) {
  const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, GridShape{2, 2}));
  const ElfImage image = firmware();
  Network network = random_network(41, HalfType::Binary16, shapes({8, 6}), 1.0);
  const StreamPlan plan = plan_for({2, 2}, 8, network, image);
  StreamJob job(machine, image, plan, network);
  job.write_input(random_input(42, network.type, 8, plan.batch()));
  // The host streams one output less than the kernel was told of.
  network.layers[0].outputs = 5;
  network.layers[0].weights.resize(5 * 8);
  try {
    job.run(false);
    FAIL() << "the job ended";
  } catch (const DeviceFault& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("nothing moves any more"), std::string::npos) << text;
  }
}

TEST(Bench, MeasuresWhatTheFabricAndTheEngineAreBuiltFor) {
  const SimOptions sim;
  EXPECT_EQ(measure_weight(firmware(), 32, sim).cycles_per_weight(), 4.0);
  const HopCost hops = measure_hops(sim);
  EXPECT_EQ(hops.cycles_per_hop(), 1.0);
  EXPECT_EQ(hops.wavelets_per_cycle(), 1.0);
  const LoadCost load = measure_load(4096, sim);
  EXPECT_LT(load.one(), 1.25);
  EXPECT_LT(load.all(), 1.25);
}

TEST(Bench, ColumnSumsRunAtOneWaveletACycleThroughEveryTile) {
  const SimOptions sim;
  const ElfImage kernel = read_elf(OW_FIRMWARE_DIR "/column_sum.elf", 49152);
  for (const ColumnType type : {ColumnType::F32, ColumnType::F16, ColumnType::Bf16}) {
    const ColumnSumCost cost = measure_column_sum(kernel, type, sim);
    EXPECT_EQ(cost.wrong, 0u) << static_cast<int>(type);
    EXPECT_GE(cost.wavelets_per_cycle(), 0.99) << static_cast<int>(type);
  }
  // A ramp takes 32 sums, a weight and a row end for each output.
  const ReduceCost drain = measure_reduction(firmware(), sim);
  EXPECT_GE(drain.wavelets_per_cycle(), 0.99);
  EXPECT_GE(drain.elements_per_cycle(), 0.93);
}

TEST(Bench, DotProductsAreSummedAlongARowOfTilesAtABeatACycle) {
  const ElfImage kernel = read_elf(OW_FIRMWARE_DIR "/dot_rows.elf", 49152);
  for (const int cols : {1, 4, 8}) {
    const DotRowsCost cost = measure_dot_rows(kernel, cols, SimOptions{});
    EXPECT_EQ(cost.wrong, 0u) << cols;
    EXPECT_GE(cost.beats_per_cycle(), 0.95) << cols;
  }
}

}  // namespace
}  // namespace ow::jobs
