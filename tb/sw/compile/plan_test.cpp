// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "messages.h"
#include "ow/base/error.h"
#include "ow/compile/executable.h"
#include "ow/execute/network_run.h"
#include "ow/execute/stream_job.h"
#include "ow/firmware/job.h"

namespace ow::jobs {
namespace {

constexpr uint32_t kRowEnd = isa::Control::RowEnd::kMask,
                   kStreamEnd = isa::Control::StreamEnd::kMask;

ElfImage firmware() { return read_elf(OW_FIRMWARE_DIR "/forward.elf", 49152); }

std::vector<LayerShape> sizes(const std::vector<int>& widths) {
  std::vector<LayerShape> layers;
  for (size_t k = 0; k + 1 < widths.size(); ++k) layers.push_back({widths[k], widths[k + 1]});
  return layers;
}

TrainingJob run_of(GridShape grid, int samples, const std::vector<LayerShape>& layers) {
  TrainingJob job = forward_job();
  job.grid_rows = grid.rows;
  job.grid_cols = grid.cols;
  job.samples = samples;
  job.layers = layers;
  return job;
}

Plan plan_of(const TrainingJob& job, size_t count = 0, const TileConfig& tile = kFullTile) {
  return make_forward_plan("here", job, count, firmware(), tile);
}

std::string complaint(const TrainingJob& job, const TileConfig& tile = kFullTile) {
  return refusal_of([&] { plan_of(job, 0, tile); });
}

struct Range {
  uint32_t begin;
  uint32_t end;
};

bool apart(const Range& a, const Range& b) { return a.end <= b.begin || b.end <= a.begin; }

Range rows_at(const Plan& plan, const ValuePlan& value) {
  return {value.addr,
          value.addr + static_cast<uint32_t>(plan.owned(value.features, 0) * plan.samples) * 2};
}

// The values that have memory: of a layer with an activation that of the activation.
std::vector<ValuePlan> stored(const Plan& plan) {
  std::vector<ValuePlan> values;
  for (const ValuePlan& value : plan.values) {
    if (value.addr != 0) values.push_back(value);
  }
  return values;
}

TEST(Plan, BuffersDoNotOverlapAndAreAligned) {
  const ElfImage image = firmware();
  const Plan plan = plan_of(run_of({4, 4}, 32, sizes({65, 130, 33, 10})));
  EXPECT_TRUE(plan.all_kept());
  EXPECT_EQ(plan.ring(), 4);
  std::vector<Range> taken;
  for (const ValuePlan& value : stored(plan)) {
    EXPECT_TRUE(value.kept);
    EXPECT_EQ(value.addr % 64, 0u);
    taken.push_back(rows_at(plan, value));
  }
  for (const Plan::Vector& bias : plan.vectors) {
    const int outputs = plan.layers[bias.parameter / 2].outputs;
    taken.push_back({bias.addr, bias.addr + static_cast<uint32_t>(plan.owned(outputs, 0) * 4)});
  }
  ASSERT_EQ(taken.size(), 4u + 3);
  for (size_t a = 0; a < taken.size(); ++a) {
    EXPECT_GE(taken[a].begin, image.symbol("ow_heap"));
    EXPECT_LE(taken[a].end, image.symbol("ow_heap_end"));
    for (size_t b = 0; b < a; ++b) EXPECT_TRUE(apart(taken[a], taken[b])) << a << " " << b;
  }
}

// A value's memory is another's when nothing takes it any more, and the plan says which are lost.
TEST(Plan, ValuesShareMemoryWhereItIsShort) {
  const ElfImage image = firmware();
  const Plan plan = plan_of(run_of({1, 1}, 16, sizes({300, 700, 500, 600, 10})));
  EXPECT_FALSE(plan.all_kept());
  const std::vector<ValuePlan> values = stored(plan);
  ASSERT_EQ(values.size(), 5u);
  for (size_t k = 0; k < values.size(); ++k) {
    const Range mine = rows_at(plan, values[k]);
    EXPECT_LE(mine.end, image.symbol("ow_heap_end"));
    bool lost = false;
    for (size_t later = k + 1; later < values.size(); ++later) {
      const bool together = !apart(mine, rows_at(plan, values[later]));
      EXPECT_FALSE(together && later == k + 1) << "input and output of layer " << k;
      lost |= together;
    }
    EXPECT_EQ(values[k].kept, !lost) << k;
  }
  EXPECT_TRUE(values[4].kept);
}

TEST(Plan, PhasesDoWhatTheirLayersSay) {
  const Plan plan = plan_of(run_of({2, 1}, 8, {{3, 4, "relu", true}, {4, 2, "none", false}}));
  const Executable& executable = plan.executable;
  ASSERT_EQ(executable.phases.size(), 3u);
  EXPECT_EQ(executable.exit, Exit::BothSides);
  EXPECT_STREQ(executable.phases.back().kernel, "send");
  const std::vector<ValuePlan> values = stored(plan);
  for (size_t k = 0; k < 2; ++k) {
    ow_pass pass;
    std::memcpy(&pass, executable.phases[k].parameters.front().data(), sizeof pass);
    const uint32_t flags = k == 0 ? OW_PASS_BIAS | OW_PASS_RELU : 0u;
    EXPECT_EQ(pass.flags & (OW_PASS_BIAS | OW_PASS_RELU), flags);
    EXPECT_EQ(pass.x, values[k].addr);
    EXPECT_EQ(pass.y, values[k + 1].addr);
    EXPECT_EQ(pass.indices, 2u);
  }
}

TEST(Plan, TakesAsManySamplesAsFitAndAreThere) {
  TrainingJob job = run_of({2, 3}, 0, sizes({20, 10}));
  EXPECT_EQ(plan_of(job, 50).samples, 24);  // 17 a column, a multiple of 8 lanes
  EXPECT_EQ(plan_of(job, 100000).samples, 128);
  job.layers = sizes({700, 500});
  EXPECT_EQ(plan_of(job, 100000).samples, 32);
  // A batch that does not fill the grid costs what it holds, at the same places.
  const Plan plan = plan_of(run_of({2, 3}, 32, sizes({20, 10})));
  const Plan fewer = with_samples(plan, run_of({2, 3}, 32, sizes({20, 10})), 8);
  EXPECT_EQ(fewer.ring(), 16);
  EXPECT_EQ(fewer.executable.list_addr, plan.executable.list_addr);
  EXPECT_EQ(fewer.executable.ends_addr, plan.executable.ends_addr);
  ow_pass before, after;
  std::memcpy(&before, plan.executable.phases[0].parameters[0].data(), sizeof before);
  std::memcpy(&after, fewer.executable.phases[0].parameters[0].data(), sizeof after);
  EXPECT_EQ(after.x, before.x);
  EXPECT_EQ(after.y, before.y);
  EXPECT_EQ(after.bias, before.bias);
  EXPECT_EQ(share_of(96, {2, 3}, 8), 32);
  EXPECT_EQ(share_of(25, {2, 3}, 8), 16);
  EXPECT_EQ(share_of(1, {2, 3}, 8), 8);
}

TEST(Plan, ColoursAreAsManyAsTheGridNeeds) {
  EXPECT_EQ(colours_of({1, 1}, Exit::BothSides), 2);
  EXPECT_EQ(colours_of({1, 9}, Exit::BothSides), 3);
  EXPECT_EQ(colours_of({2, 2}, Exit::BothSides), 4);
  EXPECT_EQ(colours_of({3, 2}, Exit::BothSides), 5);
  EXPECT_EQ(colours_of({3, 3}, Exit::BothSides), 6);
  EXPECT_NE(complaint(run_of({3, 2}, 2, sizes({4, 4})), kMiniTile)
                .find("3 x 2 tiles need 5 colours, the limit is 4"),
            std::string::npos);
}

TEST(Plan, RefusesWhatDoesNotFit) {
  EXPECT_NE(complaint(run_of({4, 4}, 12, sizes({64, 10}))).find("multiple of the 8 lanes"),
            std::string::npos);
  EXPECT_NE(complaint(run_of({4, 4}, 136, sizes({64, 10})))
                .find("the limit is 128 (a row of the accumulator cache)"),
            std::string::npos);
  const std::string memory = complaint(run_of({4, 4}, 32, sizes({4096, 64})));
  EXPECT_NE(memory.find("here: running layers 4096-64 with 32 samples a tile on 4 grid rows needs"),
            std::string::npos)
      << memory;
  EXPECT_NE(memory.find("the limit is 49152"), std::string::npos) << memory;
  EXPECT_EQ(complaint(run_of({1, 1}, 8, std::vector<LayerShape>(9, {8, 8}))), "");
  EXPECT_NE(complaint(run_of({1, 1}, 2, sizes({4, 4})), kMiniTile)
                .find("is built for tiles of 49152 bytes, the limit here is 8192"),
            std::string::npos);
  TrainingJob brain = run_of({1, 1}, 2, sizes({4, 4}));
  brain.type = HalfType::Bfloat16;
  EXPECT_NE(complaint(brain, kMiniTile).find("no arithmetic in bfloat16 (the limit is binary16)"),
            std::string::npos);
  TileConfig tile = kFullTile;
  tile.threads = 2;
  EXPECT_NE(complaint(run_of({1, 1}, 8, sizes({4, 4})), tile).find("needs 3 threads"),
            std::string::npos);
}

TEST(Plan, RefusesFirmwareOfAnotherKind) {
  const ElfImage other = read_elf(OW_FIRMWARE_DIR "/add_stream.elf", 49152);
  EXPECT_THROW(make_forward_plan("here", run_of({1, 1}, 8, sizes({4, 4})), 0, other, kFullTile),
               BadInput);
}

Network network_of(Layer layer) {
  Network network;
  network.layers.push_back(std::move(layer));
  return network;
}

// All wavelets, asked for a few at a time.
std::vector<Wavelet> weight_stream(const Network& network, int row, int rows, bool dense) {
  const TrainingJob job = forward_job(network, rows, 1, 8);
  memoryx::MemoryX memory(job, {});
  memory.begin();
  memoryx::StreamOptions options;
  options.rows = rows;
  options.dense = dense;
  memoryx::StreamSchedule schedule;
  for (size_t k = 0; k < network.layers.size(); ++k) {
    schedule.push_back({2 * k, memoryx::Pass::Forward});  // a bias behind each
  }
  const auto begun = memory.stream(schedule, options);
  memoryx::WeightStream& source = *begun;
  std::vector<Wavelet> out;
  uint64_t weights = 0;
  while (!source.done(row)) source.next(row, 1 + out.size() % 3, &out);
  for (const Wavelet& w : out) weights += w.ctrl ? 0 : 1;
  EXPECT_EQ(source.wavelets(row), out.size());
  EXPECT_EQ(source.weights(row), weights);
  uint64_t counted = 0;
  const std::vector<LayerWeights> of_layers = weights_of(job, dense);
  for (size_t k = 0; k < of_layers.size(); ++k) {
    counted += stream_weights(job.layers[k], of_layers[k], row);
  }
  EXPECT_EQ(counted, weights);
  return out;
}

Layer small_layer() {
  Layer layer;
  layer.inputs = 5;
  layer.outputs = 2;
  layer.weights = {1, 0, 3, 0x8000, 5, 0, 7, 0, 0, 0};
  layer.bias_values = {0, 0};
  return layer;
}

TEST(WeightStream, SendsWhatIsNotZeroInAscendingIndexAndClosesEveryOutput) {
  // Grid row 0 of 2 has features 0, 2, 4.
  const std::vector<Wavelet> sparse = weight_stream(network_of(small_layer()), 0, 2, false);
  const std::vector<Wavelet> expected = {{0, false, 0x00000001},
                                         {0, false, 0x00010003},
                                         {0, false, 0x00020005},
                                         {0, true, kRowEnd},
                                         {0, true, kRowEnd | kStreamEnd}};
  EXPECT_EQ(sparse, expected);
  const std::vector<Wavelet> odd = weight_stream(network_of(small_layer()), 1, 2, false);
  EXPECT_EQ(odd, (std::vector<Wavelet>{
                     {0, true, kRowEnd}, {0, false, 0x00000007}, {0, true, kRowEnd | kStreamEnd}}));
  const std::vector<Wavelet> dense = weight_stream(network_of(small_layer()), 1, 2, true);
  EXPECT_EQ(dense, (std::vector<Wavelet>{{0, false, 0},
                                         {0, false, 0x00018000},
                                         {0, true, kRowEnd},
                                         {0, false, 7},
                                         {0, false, 0x00010000},
                                         {0, true, kRowEnd | kStreamEnd}}));
}

TEST(WeightStream, GoesOwnerByOwner) {
  Layer layer;
  layer.inputs = 1;
  layer.outputs = 5;
  layer.weights = {1, 2, 3, 4, 5};
  layer.bias_values = {0, 0, 0, 0, 0};
  std::vector<uint32_t> values;
  for (const Wavelet& w : weight_stream(network_of(layer), 0, 3, false)) {
    if (!w.ctrl) values.push_back(w.data);
  }
  EXPECT_EQ(values, (std::vector<uint32_t>{1, 4, 2, 5, 3}));
}

TEST(WeightStream, LayersFollowOneAnother) {
  Network network = network_of(small_layer());
  Layer second;
  second.inputs = 2;
  second.outputs = 1;
  second.weights = {9, 0};
  second.bias_values = {0};
  network.layers.push_back(second);
  const std::vector<Wavelet> stream = weight_stream(network, 0, 2, false);
  ASSERT_EQ(stream.size(), 7u);
  EXPECT_EQ(stream[4], (Wavelet{0, true, kRowEnd | kStreamEnd}));
  EXPECT_EQ(stream[5], (Wavelet{0, false, 9}));
  EXPECT_EQ(stream[6], (Wavelet{0, true, kRowEnd | kStreamEnd}));
}

LayerBound bound_of(const Plan& plan, const Layer& layer, bool dense) {
  const TrainingJob job = forward_job(network_of(layer), plan.grid.rows, plan.grid.cols);
  return layer_bound(plan, 0, weights_of(job, dense).front());
}

TEST(LayerBound, IsTheMostOfStreamEngineAndReducer) {
  const Plan plan = plan_of(run_of({2, 2}, 32, sizes({5, 2})));
  const LayerBound sparse = bound_of(plan, small_layer(), false);
  EXPECT_EQ(sparse.stream, 5u);
  EXPECT_EQ(sparse.engine, 3u * 4 + 2);
  EXPECT_EQ(sparse.reducer, 2u * 32);
  EXPECT_EQ(sparse.cycles(), 64u);
  EXPECT_EQ(bound_of(plan, small_layer(), true).engine, 6u * 4 + 2);
}

// Both are bounds of one machine by one rule: what is not pruned cannot promise a speed-up.
// Fails if a dense network has a bound above 1.
TEST(LayerBound, OfALayerThatIsNotPrunedPromisesNoSpeedUp) {
  for (const int samples : {8, 32, 128}) {
    for (const GridShape grid : {GridShape{1, 1}, GridShape{2, 3}, GridShape{4, 1}}) {
      const Plan plan = plan_of(run_of(grid, samples, sizes({5, 2})));
      Layer full = small_layer();
      for (uint16_t& weight : full.weights) weight = 1;
      Workload w, pruned;
      w.sparse.bound = bound_of(plan, full, false).cycles();
      w.dense.bound = bound_of(plan, full, true).cycles();
      EXPECT_EQ(w.speed_up_bound(), 1) << samples << " samples, " << grid.rows << " rows";
      pruned.sparse.bound = bound_of(plan, small_layer(), false).cycles();
      pruned.dense.bound = bound_of(plan, small_layer(), true).cycles();
      EXPECT_EQ(pruned.dense.bound, w.dense.bound);
      EXPECT_GE(pruned.speed_up_bound(), 1);
    }
  }
}

}  // namespace
}  // namespace ow::jobs
