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

PlanRequest request(GridShape grid, int samples, const std::vector<LayerShape>& layers) {
  PlanRequest r;
  r.who = "here";
  r.grid = grid;
  r.samples = samples;
  r.layers = layers;
  return r;
}

std::string complaint(const PlanRequest& r, const TileConfig& tile = kFullTile) {
  return refusal_of([&] { make_plan(r, firmware(), tile); });
}

struct Range {
  uint32_t begin;
  uint32_t end;
};

bool apart(const Range& a, const Range& b) { return a.end <= b.begin || b.end <= a.begin; }

Range rows_at(const StreamPlan& plan, uint32_t addr, int features) {
  return {addr, addr + static_cast<uint32_t>(plan.owned(features, 0) * plan.capacity) * 2};
}

TEST(Plan, BuffersDoNotOverlapAndAreAligned) {
  const ElfImage image = firmware();
  const StreamPlan plan =
      make_plan(request({4, 4}, 32, sizes({65, 130, 33, 10})), image, kFullTile);
  EXPECT_FALSE(plan.in_turn);
  EXPECT_EQ(plan.ring(), 4);
  std::vector<Range> taken = {rows_at(plan, plan.layers[0].x_addr, 65)};
  for (size_t k = 0; k < plan.layers.size(); ++k) {
    const LayerPlan& layer = plan.layers[k];
    EXPECT_TRUE(layer.kept);
    EXPECT_EQ(layer.x_addr % 64, 0u);
    if (k > 0) {
      EXPECT_EQ(layer.x_addr, plan.layers[k - 1].y_addr);
    }
    taken.push_back(rows_at(plan, layer.y_addr, layer.shape.outputs));
    taken.push_back(
        {layer.bias_addr,
         layer.bias_addr + static_cast<uint32_t>(plan.owned(layer.shape.outputs, 0) * 4)});
  }
  for (size_t a = 0; a < taken.size(); ++a) {
    EXPECT_GE(taken[a].begin, image.symbol("ow_heap"));
    EXPECT_LE(taken[a].end, image.symbol("ow_heap_end"));
    for (size_t b = 0; b < a; ++b) EXPECT_TRUE(apart(taken[a], taken[b])) << a << " " << b;
  }
}

TEST(Plan, ActivationsTakeTurnsWhereMemoryIsShort) {
  const ElfImage image = firmware();
  const StreamPlan plan =
      make_plan(request({1, 1}, 16, sizes({300, 700, 500, 600, 10})), image, kFullTile);
  EXPECT_TRUE(plan.in_turn);
  for (size_t k = 0; k < plan.layers.size(); ++k) {
    const LayerPlan& layer = plan.layers[k];
    const Range x = rows_at(plan, layer.x_addr, layer.shape.inputs);
    const Range y = rows_at(plan, layer.y_addr, layer.shape.outputs);
    EXPECT_TRUE(apart(x, y)) << k;
    EXPECT_GE(std::min(x.begin, y.begin), image.symbol("ow_heap") + 4 * (700 + 500 + 600 + 10));
    EXPECT_LE(std::max(x.end, y.end), image.symbol("ow_heap_end"));
    if (k > 0) {
      EXPECT_EQ(layer.x_addr, plan.layers[k - 1].y_addr);
    }
    EXPECT_EQ(layer.kept, k >= 2);
  }
}

TEST(Plan, PhasesDoWhatTheirLayersSay) {
  const StreamPlan plan = make_plan(
      request({2, 1}, 8, {{3, 4, "relu", true}, {4, 2, "none", false}}), firmware(), kFullTile);
  const Executable executable = executable_of(plan);
  ASSERT_EQ(executable.phases.size(), 3u);
  EXPECT_EQ(executable.exit, Exit::BothSides);
  EXPECT_STREQ(executable.phases.back().kernel, "send");
  for (size_t k = 0; k < plan.layers.size(); ++k) {
    ow_pass pass;
    std::memcpy(&pass, executable.phases[k].parameters.front().data(), sizeof pass);
    const uint32_t flags = k == 0 ? OW_PASS_BIAS | OW_PASS_RELU : 0u;
    EXPECT_EQ(pass.flags & (OW_PASS_BIAS | OW_PASS_RELU), flags);
    EXPECT_EQ(pass.x, plan.layers[k].x_addr);
    EXPECT_EQ(pass.y, plan.layers[k].y_addr);
    EXPECT_EQ(pass.indices, 2u);
  }
}

TEST(Plan, TakesAsManySamplesAsFitAndAreThere) {
  const ElfImage image = firmware();
  PlanRequest r = request({2, 3}, 0, sizes({20, 10}));
  r.count = 50;
  EXPECT_EQ(make_plan(r, image, kFullTile).samples, 24);  // 17 a column, a multiple of 8 lanes
  r.count = 100000;
  EXPECT_EQ(make_plan(r, image, kFullTile).samples, 128);
  r.layers = sizes({700, 500});
  EXPECT_EQ(make_plan(r, image, kFullTile).samples, 32);
  // A batch that does not fill the grid costs what it holds.
  const StreamPlan plan = make_plan(request({2, 3}, 32, sizes({20, 10})), image, kFullTile);
  EXPECT_EQ(plan.for_batch(96).samples, 32);
  EXPECT_EQ(plan.for_batch(25).samples, 16);
  EXPECT_EQ(plan.for_batch(1).samples, 8);
  EXPECT_EQ(plan.for_batch(1).ring(), 16);
}

TEST(Plan, ColoursAreAsManyAsTheGridNeeds) {
  EXPECT_EQ(colours_of({1, 1}, Exit::BothSides), 2);
  EXPECT_EQ(colours_of({1, 9}, Exit::BothSides), 3);
  EXPECT_EQ(colours_of({2, 2}, Exit::BothSides), 4);
  EXPECT_EQ(colours_of({3, 2}, Exit::BothSides), 5);
  EXPECT_EQ(colours_of({3, 3}, Exit::BothSides), 6);
  EXPECT_NE(complaint(request({3, 2}, 2, sizes({4, 4})), kMiniTile)
                .find("3 x 2 tiles need 5 colours, the limit is 4"),
            std::string::npos);
}

TEST(Plan, RefusesWhatDoesNotFit) {
  EXPECT_NE(complaint(request({4, 4}, 12, sizes({64, 10}))).find("multiple of the 8 lanes"),
            std::string::npos);
  EXPECT_NE(complaint(request({4, 4}, 136, sizes({64, 10}))).find("accumulator cache holds 128"),
            std::string::npos);
  const std::string memory = complaint(request({4, 4}, 32, sizes({4096, 64})));
  EXPECT_NE(memory.find("here: layers 4096-64 with 32 samples on 4 grid rows need"),
            std::string::npos)
      << memory;
  EXPECT_NE(memory.find("the limit is 49152"), std::string::npos) << memory;
  EXPECT_EQ(complaint(request({1, 1}, 8, std::vector<LayerShape>(9, {8, 8}))), "");
  EXPECT_NE(complaint(request({1, 1}, 2, sizes({4, 4})), kMiniTile)
                .find("is built for tiles of 49152 bytes, the limit here is 8192"),
            std::string::npos);
  PlanRequest brain = request({1, 1}, 2, sizes({4, 4}));
  brain.type = HalfType::Bfloat16;
  EXPECT_NE(complaint(brain, kMiniTile).find("in bfloat16, the limit is binary16"),
            std::string::npos);
  TileConfig tile = kFullTile;
  tile.threads = 2;
  EXPECT_NE(complaint(request({1, 1}, 8, sizes({4, 4})), tile).find("needs 3 threads"),
            std::string::npos);
}

TEST(Plan, RefusesFirmwareOfAnotherKind) {
  const ElfImage other = read_elf(OW_FIRMWARE_DIR "/add_stream.elf", 49152);
  EXPECT_THROW(make_plan(request({1, 1}, 8, sizes({4, 4})), other, kFullTile), BadInput);
}

Network network_of(Layer layer) {
  Network network;
  network.layers.push_back(std::move(layer));
  return network;
}

// All wavelets, asked for a few at a time.
std::vector<Wavelet> weight_stream(const Network& network, int row, int rows, bool dense) {
  std::vector<std::unique_ptr<memoryx::MatrixSource>> matrices;
  for (const Layer& layer : network.layers) matrices.push_back(memoryx::layer_matrix(layer));
  memoryx::StreamOptions options;
  options.rows = rows;
  options.dense = dense;
  memoryx::WeightStream source(memoryx::matrix_batches(std::move(matrices), options), options);
  std::vector<Wavelet> out;
  uint64_t weights = 0;
  while (!source.done(row)) source.next(row, 1 + out.size() % 3, &out);
  for (const Wavelet& w : out) weights += w.ctrl ? 0 : 1;
  EXPECT_EQ(source.wavelets(row), out.size());
  EXPECT_EQ(source.weights(row), weights);
  uint64_t counted = 0;
  for (const Layer& layer : network.layers) counted += stream_weights(layer, row, rows, dense);
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
  network.layers.push_back(second);
  const std::vector<Wavelet> stream = weight_stream(network, 0, 2, false);
  ASSERT_EQ(stream.size(), 7u);
  EXPECT_EQ(stream[4], (Wavelet{0, true, kRowEnd | kStreamEnd}));
  EXPECT_EQ(stream[5], (Wavelet{0, false, 9}));
  EXPECT_EQ(stream[6], (Wavelet{0, true, kRowEnd | kStreamEnd}));
}

TEST(LayerBound, IsTheMostOfStreamEngineAndReducer) {
  const StreamPlan plan = make_plan(request({2, 2}, 32, sizes({5, 2})), firmware(), kFullTile);
  const LayerBound sparse = layer_bound(plan, small_layer(), false);
  EXPECT_EQ(sparse.stream, 5u);
  EXPECT_EQ(sparse.engine, 3u * 4 + 2);
  EXPECT_EQ(sparse.reducer, 2u * 32);
  EXPECT_EQ(sparse.cycles(), 64u);
  EXPECT_EQ(layer_bound(plan, small_layer(), true).engine, 6u * 4 + 2);
}

// Both are bounds of one machine by one rule: what is not pruned cannot promise a speed-up.
// Fails if a dense network has a bound above 1.
TEST(LayerBound, OfALayerThatIsNotPrunedPromisesNoSpeedUp) {
  for (const int samples : {8, 32, 128}) {
    for (const GridShape grid : {GridShape{1, 1}, GridShape{2, 3}, GridShape{4, 1}}) {
      const StreamPlan plan =
          make_plan(request(grid, samples, sizes({5, 2})), firmware(), kFullTile);
      Layer full = small_layer();
      for (uint16_t& weight : full.weights) weight = 1;
      Workload w, pruned;
      w.sparse.bound = layer_bound(plan, full, false).cycles();
      w.dense.bound = layer_bound(plan, full, true).cycles();
      EXPECT_EQ(w.speed_up_bound(), 1) << samples << " samples, " << grid.rows << " rows";
      pruned.sparse.bound = layer_bound(plan, small_layer(), false).cycles();
      pruned.dense.bound = layer_bound(plan, small_layer(), true).cycles();
      EXPECT_EQ(pruned.dense.bound, w.dense.bound);
      EXPECT_GE(pruned.speed_up_bound(), 1);
    }
  }
}

}  // namespace
}  // namespace ow::jobs
