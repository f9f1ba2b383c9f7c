// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "ow/error.h"
#include "ow/jobs/stream_job.h"

namespace ow::jobs {
namespace {

ElfImage firmware() { return read_elf(OW_FIRMWARE_DIR "/stream_layer.elf", 49152); }

std::string complaint(GridShape grid, int samples, const std::vector<LayerShape>& layers) {
  try {
    make_plan("here", grid, samples, layers, firmware());
  } catch (const BadInput& e) {
    return e.what();
  }
  return "";
}

TEST(Plan, BuffersDoNotOverlapAndAreAligned) {
  const ElfImage image = firmware();
  const StreamPlan plan =
      make_plan("here", {4, 4}, 32, {{65, 130, true}, {130, 33, true}, {33, 10, false}}, image);
  uint32_t next = image.symbol("ow_heap");
  EXPECT_EQ(plan.layers[0].local_inputs, 17);
  for (size_t k = 0; k < plan.layers.size(); ++k) {
    const LayerPlan& layer = plan.layers[k];
    EXPECT_EQ(layer.x_addr % 64, 0u);
    EXPECT_EQ(layer.y_addr % 64, 0u);
    if (k == 0) {
      EXPECT_GE(layer.x_addr, next);
      next = layer.x_addr + 17 * 64;
    } else {
      EXPECT_EQ(layer.x_addr, plan.layers[k - 1].y_addr);
    }
    EXPECT_GE(layer.y_addr, next);
    const uint32_t outputs = static_cast<uint32_t>(plan.owned(layer.shape.outputs, 0));
    EXPECT_GE(layer.bias_addr, layer.y_addr + outputs * 64);
    next = layer.bias_addr + outputs * 4;
    EXPECT_EQ(layer.ring, 4);
  }
  EXPECT_LE(next, image.symbol("ow_heap_end"));
}

TEST(Plan, RefusesWhatDoesNotFit) {
  EXPECT_NE(complaint({4, 4}, 12, {{64, 10, false}}).find("multiple of the 8 lanes"),
            std::string::npos);
  EXPECT_NE(complaint({4, 4}, 136, {{64, 10, false}}).find("accumulator cache holds 128"),
            std::string::npos);
  const std::string memory = complaint({4, 4}, 32, {{4096, 64, false}});
  EXPECT_NE(memory.find("here: layers 4096-64 with 32 samples on 4 grid rows need"),
            std::string::npos)
      << memory;
  EXPECT_NE(memory.find("the limit is 49152"), std::string::npos) << memory;
  EXPECT_NE(complaint({1, 1}, 8, std::vector<LayerShape>(9, {8, 8, false})).find("takes 1 to 8"),
            std::string::npos);
}

golden::Layer small_layer() {
  golden::Layer layer;
  layer.inputs = 5;
  layer.outputs = 2;
  layer.weights = {1, 0, 3, 0x8000, 5, 0, 7, 0, 0, 0};
  layer.bias = {0, 0};
  return layer;
}

TEST(WeightStream, SendsWhatIsNotZeroInAscendingIndexAndClosesEveryOutput) {
  // Grid row 0 of 2 has features 0, 2, 4.
  const std::vector<Wavelet> sparse = weight_stream(small_layer(), 0, 2, false);
  const std::vector<Wavelet> expected = {{0, false, 0x00000001},
                                         {0, false, 0x00010003},
                                         {0, false, 0x00020005},
                                         {0, true, 1},
                                         {0, true, 3}};
  EXPECT_EQ(sparse, expected);
  const std::vector<Wavelet> odd = weight_stream(small_layer(), 1, 2, false);
  EXPECT_EQ(odd, (std::vector<Wavelet>{{0, true, 1}, {0, false, 0x00000007}, {0, true, 3}}));
  const std::vector<Wavelet> dense = weight_stream(small_layer(), 1, 2, true);
  EXPECT_EQ(dense, (std::vector<Wavelet>{{0, false, 0},
                                         {0, false, 0x00018000},
                                         {0, true, 1},
                                         {0, false, 7},
                                         {0, false, 0x00010000},
                                         {0, true, 3}}));
}

TEST(WeightStream, GoesOwnerByOwner) {
  golden::Layer layer;
  layer.inputs = 1;
  layer.outputs = 5;
  layer.weights = {1, 2, 3, 4, 5};
  layer.bias = {0, 0, 0, 0, 0};
  std::vector<uint32_t> values;
  for (const Wavelet& w : weight_stream(layer, 0, 3, false)) {
    if (!w.ctrl) values.push_back(w.data);
  }
  EXPECT_EQ(values, (std::vector<uint32_t>{1, 4, 2, 5, 3}));
}

TEST(LayerBound, IsTheMostOfStreamEngineAndReducer) {
  const StreamPlan plan = make_plan("here", {2, 2}, 32, {{5, 2, false}}, firmware());
  const LayerBound sparse = layer_bound(plan, small_layer(), false);
  EXPECT_EQ(sparse.stream, 5u);
  EXPECT_EQ(sparse.engine, 3u * 4 + 2);
  EXPECT_EQ(sparse.reducer, 2u * 32);
  EXPECT_EQ(sparse.cycles(), 64u);
  EXPECT_EQ(layer_bound(plan, small_layer(), true).engine, 6u * 4 + 2);
}

}  // namespace
}  // namespace ow::jobs
