// SPDX-License-Identifier: Apache-2.0
// Networks on grids of RTL tiles against the golden model, idle tiles checked.
#include "ow/jobs/stream_job.h"

#include <gtest/gtest.h>

#include <string>

#include "ow/error.h"
#include "ow/golden/formats.h"
#include "ow/golden/rng.h"
#include "ow/jobs/bench.h"
#include "ow/jobs/digits.h"
#include "ow/sim.h"

namespace ow::jobs {
namespace {

ElfImage firmware() { return read_elf(OW_FIRMWARE_DIR "/stream_layer.elf", 49152); }

golden::Network random_network(uint64_t seed, const std::vector<int>& sizes, double density) {
  golden::Rng rng(seed);
  golden::Network network;
  for (size_t k = 0; k + 1 < sizes.size(); ++k) {
    golden::Layer layer;
    layer.inputs = sizes[k];
    layer.outputs = sizes[k + 1];
    layer.relu = k + 2 < sizes.size();
    for (int n = 0; n < layer.inputs * layer.outputs; ++n) {
      const bool kept = rng.uniform() < density;
      const uint16_t value = golden::round_to_f16(2.0 * rng.uniform() - 1.0);
      layer.weights.push_back(kept ? value : uint16_t{0});
    }
    for (int j = 0; j < layer.outputs; ++j) {
      layer.bias.push_back(static_cast<float>(rng.uniform() - 0.5));
    }
    network.layers.push_back(layer);
  }
  return network;
}

golden::Activations random_input(uint64_t seed, int features, int samples) {
  golden::Rng rng(seed);
  golden::Activations x = golden::Activations::zero(features, samples);
  for (uint16_t& v : x.values) v = golden::round_to_f16(4.0 * rng.uniform() - 2.0);
  return x;
}

struct Case {
  GridShape grid;
  int samples;
  std::vector<int> sizes;
  double density;
};

class Stream : public testing::TestWithParam<Case> {};

TEST_P(Stream, EveryActivationOfEveryLayerIsThatOfGolden) {
  const Case& c = GetParam();
  SimOptions sim;
  sim.check_idle = true;
  const auto device = make_device(DeviceKind::Replicated, c.grid, sim);
  ControlPlane control(*device);
  const ElfImage image = firmware();
  const golden::Network network = random_network(11, c.sizes, c.density);
  const StreamPlan plan = make_plan("test", c.grid, c.samples, shapes(network), image);
  Comparison comparison(control, image, plan, network, "network");
  // Twice, the second time with a batch that is not full.
  comparison.run(random_input(21, c.sizes.front(), plan.batch()));
  comparison.run(random_input(22, c.sizes.front(), plan.batch() - 3));
  for (const Workload& w : comparison.workloads()) {
    for (const Pass* pass : {&w.sparse, &w.dense}) {
      EXPECT_GT(pass->compared, 0u) << w.name;
      EXPECT_EQ(pass->different, 0u) << pass->first_difference;
    }
  }
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

// One batch of the job of `ow run` on both simulators.
TEST(StreamMonolithic, EveryEdgeWaveletAgreesInValueAndCycle) {
  const RunParams params = load_params(OW_SOURCE_DIR "/configs/digits-2x2.yaml");
  RunOptions options;
  options.firmware = OW_FIRMWARE_DIR "/stream_layer.elf";
  options.device = RunDevice::Monolithic;
  options.limit = 64;
  const Checked checked = check_run(params, options);
  const golden::Network network = golden::train(params.training, checked.training);
  const golden::Activations x = golden::digit_activations(checked.held_out);
  std::vector<EdgeEvent> logs[2];
  for (const DeviceKind kind : {DeviceKind::Replicated, DeviceKind::Monolithic}) {
    const auto device = make_device(kind, params.grid);
    device->record_edges(true);
    ControlPlane control(*device);
    Comparison comparison(control, checked.firmware, checked.plan, network, "digits");
    comparison.run(x);
    for (const Workload& w : comparison.workloads()) {
      EXPECT_EQ(w.sparse.different + w.dense.different, 0u) << w.name;
    }
    logs[kind == DeviceKind::Replicated ? 0 : 1] = device->edge_log();
  }
  ASSERT_GT(logs[0].size(), 10000u);
  ASSERT_EQ(logs[0].size(), logs[1].size());
  for (size_t n = 0; n < logs[0].size(); ++n) {
    ASSERT_TRUE(logs[0][n] == logs[1][n]) << "edge event " << n << " in cycle " << logs[0][n].cycle;
  }
}

TEST(StreamHang, ReportNamesWhatTheGridWaitsFor) {
  const auto device = make_device(DeviceKind::Replicated, GridShape{2, 2});
  ControlPlane control(*device);
  const ElfImage image = firmware();
  golden::Network network = random_network(41, {8, 6}, 1.0);
  const StreamPlan plan = make_plan("test", {2, 2}, 8, shapes(network), image);
  StreamJob job(control, image, plan, network);
  job.write_input(random_input(42, 8, plan.batch()));
  // The host streams one output less than the kernel was told of.
  network.layers[0].outputs = 5;
  network.layers[0].weights.resize(5 * 8);
  try {
    job.run(false);
    FAIL() << "the job ended";
  } catch (const DeviceFault& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("came to rest"), std::string::npos) << text;
  }
}

TEST(Bench, MeasuresWhatTheFabricAndTheEngineAreBuiltFor) {
  const SimOptions sim;
  EXPECT_EQ(measure_weight(firmware(), 32, sim).cycles_per_weight(), 4.0);
  const HopCost hops = measure_hops(sim);
  EXPECT_EQ(hops.cycles_per_hop(), 1.0);
  EXPECT_EQ(hops.wavelets_per_cycle(), 1.0);
  const LoadCost load = measure_load(512, sim);
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

}  // namespace
}  // namespace ow::jobs
