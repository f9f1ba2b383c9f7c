// SPDX-License-Identifier: Apache-2.0
// Networks on grids of RTL tiles against the golden model, idle tiles checked.
#include "ow/execute/stream_job.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "graph_steps.h"
#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/compile/lower.h"
#include "ow/device/sim_control.h"
#include "ow/execute/network_run.h"
#include "ow/golden/train.h"
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

// A network's run on a grid, and its plan.
struct Planned {
  TrainingJob job;
  Plan plan;
};
Planned planned(GridShape grid, int samples, const Network& network, const ElfImage& image,
                const TileConfig& tile = kFullTile) {
  Planned p;
  p.job = forward_job(network, grid.rows, grid.cols, samples);
  p.plan = make_forward_plan("test", p.job, 0, image, tile);
  return p;
}

Activations random_input(uint64_t seed, HalfType type, int features, int samples) {
  return random_activations(seed, type, features, samples, -2.0, 2.0);
}

std::shared_ptr<const FirstValues> random_values(const Graph& graph, uint64_t seed) {
  Rng rng(seed);
  auto first = std::make_shared<FirstValues>();
  for (const Parameter& p : graph.parameters) {
    std::vector<float>& values = first->values[p.name];
    for (size_t n = 0; n < p.rows * p.columns; ++n) {
      const bool kept = p.form == Parameter::Form::Vector || rng.uniform() < 0.6;
      values.push_back(kept ? static_cast<float>(rng.uniform() - 0.5) : 0.0f);
    }
  }
  return first;
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
  const auto [job, plan] = planned(c.grid, c.samples, network, image);
  Comparison comparison(machine, image, plan, job, "network", golden::run_forward);
  // Twice, the second time with a batch that is not full.
  comparison.run(random_input(21, network.type, c.sizes.front(), plan.batch()));
  comparison.run(random_input(22, network.type, c.sizes.front(), plan.batch() - 3));
  expect_equal(comparison);
  for (const Workload& w : comparison.workloads()) EXPECT_GT(w.sparse.compared, 0u) << w.name;
  const Workload& all = comparison.workloads().back();
  EXPECT_GE(all.dense.cycles, all.dense.bound);
  EXPECT_GE(all.sparse.cycles, all.sparse.bound);
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
  const auto [job, plan] = planned(grid, 32, network, image);
  Comparison comparison(machine, image, plan, job, "network", golden::run_forward);
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
    const auto [job, plan] = planned(grid, 48, network, image);
    EXPECT_FALSE(plan.all_kept());
    Comparison comparison(machine, image, plan, job, "network", golden::run_forward);
    comparison.run(random_input(23, type, 300, plan.batch()));
    comparison.run(random_input(24, type, 300, 10));
    expect_equal(comparison);
  }
}

// Residuals, a fork, norms, gates and copies.
void run_graph(HalfType type, GridShape grid, const SimOptions& sim = {}) {
  const ElfImage image = read_elf(OW_FIRMWARE_DIR "/forward_graph.elf", 49152);
  Growing graph(18);
  const std::string up = graph.linear("input", 26, true);
  const std::string norm = graph.element("layer_norm", {up});
  const std::string gelu = graph.element("gelu", {graph.linear(norm, 26, true)});
  const std::string sum = graph.element("add", {up, gelu});
  const std::string gate = graph.element("silu", {graph.linear(sum, 13, false)});
  const std::string gated = graph.element("mul", {gate, graph.linear(sum, 13, false)});
  const std::string copied =
      graph.with("linear", {graph.element("rms_norm", {gated})}, {{"outputs", 5}, {"copies", 2}});
  graph.element("relu", {copied});
  TrainingJob job = forward_job();
  job.type = type;
  job.graph = graph.graph();
  job.layers = lower(job.graph).layers;
  job.grid_rows = grid.rows;
  job.grid_cols = grid.cols;
  job.first = random_values(job.graph, 31);
  const Plan plan = make_forward_plan("test", job, 40, image, kFullTile);
  const Runtime machine = make_runtime(make_device(DeviceKind::Replicated, grid, sim));
  Comparison comparison(machine, image, plan, job, "graph", golden::run_forward);
  comparison.run(random_input(32, type, 18, plan.batch()));
  comparison.run(random_input(33, type, 18, 5));
  expect_equal(comparison);
}

TEST(StreamGraph, IsThatOfGolden) { run_graph(HalfType::Bfloat16, {2, 2}); }

TEST(StreamGraphs, AreThoseOfGoldenOnAnyGrid) {
  SimOptions sim;
  sim.check_idle = true;
  for (const GridShape grid : {GridShape{1, 1}, GridShape{2, 3}, GridShape{4, 2}}) {
    run_graph(HalfType::Binary16, grid, sim);
    run_graph(HalfType::Bfloat16, grid, sim);
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
    const auto [job, plan] = planned(grid, 6, network, image, tile);
    Comparison comparison(machine, image, plan, job, "network", golden::run_forward);
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
  const auto [job, plan] = planned(grid, 64, network, image);
  uint64_t cycles[2], useful[2];
  for (const int k : {0, 1}) {
    Comparison comparison(machine, image, plan, job, "network", golden::run_forward);
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
  const auto network = [](int outputs) {
    return random_network(41, HalfType::Binary16, shapes({8, outputs}), 1.0);
  };
  const Plan plan = planned({2, 2}, 8, network(6), image).plan;
  // The host streams one output less than the kernel was told of.
  StreamJob stream(machine, image, plan, forward_job(network(5), 2, 2));
  stream.write_input(random_input(42, HalfType::Binary16, 8, plan.batch()));
  try {
    stream.run(false);
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
