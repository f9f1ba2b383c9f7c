// SPDX-License-Identifier: Apache-2.0
// Language models on simulated tiles, against golden: every logit, bit for bit.
#include "ow/compile/language_grid.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/device/control_plane.h"
#include "ow/golden/decode.h"
#include "ow/runtime/machine.h"
#include "ow/sim/sim.h"
#include "small_language.h"

namespace ow::jobs {
namespace {

Runtime open_grid(GridShape grid) {
  return make_runtime(make_device(DeviceKind::Replicated, grid));
}

// One user: the logits of `tokens` tokens drawn by seed.
void expect_golden(const LanguageModel& model, GridShape grid, const LanguageOptions& options,
                   uint32_t tokens) {
  LanguageGrid wafer({open_grid(grid)}, model, options, OW_FIRMWARE_DIR);
  const golden::Decoder decoder(model, options.region.rows, options.region.cols);
  golden::DecodeCache cache;
  std::vector<uint16_t> pages;
  for (int i = 0; i < wafer.plan().pages_of(static_cast<int>(tokens)); ++i) {
    pages.push_back(static_cast<uint16_t>(wafer.plan().pages - 1 - i));
  }
  wafer.set_pages(0, pages);
  Rng rng(3);
  for (uint32_t p = 0; p < tokens; ++p) {
    const auto token =
        static_cast<uint32_t>(rng.below(static_cast<uint64_t>(model.shape.vocabulary)));
    wafer.send({OW_COMMAND_EMBED | OW_COMMAND_LOGITS, p, p, token});
    const LanguageGrid::Report report = wafer.wait(1'000'000);
    ASSERT_EQ(decoder.step(&cache, static_cast<int>(token)), report.logits) << "position " << p;
  }
}

TEST(LanguageGrid, LogitsAreThoseOfGolden) {
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    LanguageShape shape = small_shape();
    shape.layers = 1;
    expect_golden(random_language_model(shape, type, 5, true), {2, 4}, {{2, 2}, 1, 128}, 40);
  }
}

// More queries, keys and values in a column than a pass has outputs.
TEST(LanguageGrid, ProductsOfSeveralPasses) {
  LanguageShape shape = small_shape();
  shape.width = 88;
  shape.layers = 1;
  shape.heads = shape.kv_heads = 6;
  shape.head_size = 28;
  shape.hidden = 61;
  shape.vocabulary = 97;
  shape.positions = 64;
  expect_golden(random_language_model(shape, HalfType::Binary16, 6), {3, 6}, {{3, 3}, 1, 16}, 5);
}

LanguageShape tiny_shape() {
  LanguageShape shape = small_shape();
  shape.width = 16;
  shape.layers = 1;
  shape.heads = 2;
  shape.kv_heads = 1;
  shape.head_size = 12;
  shape.hidden = 24;
  shape.vocabulary = 30;
  shape.positions = 400;
  return shape;
}

// More places in a row than a tile keeps scores of.
TEST(LanguageGrid, ScoresOfSeveralBlocks) {
  expect_golden(random_language_model(tiny_shape(), HalfType::Binary16, 8), {2, 2}, {{1, 2}, 1, 0},
                OW_SCORE_PLACES + 20);
}

TEST(LanguageGrid, ColumnsThatShareAHead) {
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    expect_golden(random_language_model(tiny_shape(), type, 9), {2, 6}, {{1, 6}, 1, 0}, 40);
  }
}

// All words of all tiles.
std::vector<std::vector<uint32_t>> memories(const Runtime& machine) {
  ControlPlane control(device_of(machine));
  return control.read_rect({0, 0, machine.grid().rows, machine.grid().cols}, 0,
                           machine.info().sram_bytes / 4);
}

TEST(LanguageGrid, LoadedDirectlyItHasTheSameMemories) {
  const LanguageModel model = random_language_model(tiny_shape(), HalfType::Binary16, 7);
  const LanguageOptions options{{1, 2}, 2, 64};
  const Runtime ports = open_grid({2, 2}), direct = open_grid({2, 2});
  copy_directly(direct, true);
  const LanguageGrid a({ports}, model, options, OW_FIRMWARE_DIR);
  const LanguageGrid b({direct}, model, options, OW_FIRMWARE_DIR);
  EXPECT_LT(direct.cycle() + 1'000, ports.cycle());
  EXPECT_EQ(memories(direct), memories(ports));
}

}  // namespace
}  // namespace ow::jobs
