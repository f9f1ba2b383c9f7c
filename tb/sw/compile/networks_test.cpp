// SPDX-License-Identifier: Apache-2.0
// Networks of any kind, drawn by seed: the bits are those of golden, or the size is refused, and
// which of the two is what the formula here says. Everyday the small ones, all with `ctest -L
// slow`.
#include "ow/measure/drawn_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "ow/execute/network_run.h"

namespace ow::bench {
namespace {

constexpr uint64_t kNetworks = 40;
constexpr int kMustRun = 32;
constexpr int kMustRunOnMini = 5;  // as many as these seeds give

int64_t over(int64_t n, int64_t d) { return (n + d - 1) / d; }
int64_t blocks_of_64(int64_t bytes) { return over(bytes, 64) * 64; }

// Whether a tile has the type, and room for the fewest samples that it can work on: one per lane.
// It needs the fp32 biases of every layer, and the input and the output of the layer that has most.
bool fits(const DrawnNetwork& d, bool mini) {
  if (mini && d.type == HalfType::Bfloat16) return false;
  const TileConfig tile = mini ? jobs::kMiniTile : jobs::kFullTile;
  const ElfImage firmware = read_elf(
      mini ? OW_FIRMWARE_DIR "/forward_mini.elf" : OW_FIRMWARE_DIR "/forward.elf", tile.sram_bytes);
  const int64_t rows = d.grid.rows;
  int64_t biases = 0;
  int64_t widest = 0;
  for (const LayerShape& layer : d.layers) {
    if (layer.bias) biases += 4 * over(layer.outputs, rows);
    widest = std::max(widest, blocks_of_64(2 * tile.lanes * over(layer.inputs, rows)) +
                                  blocks_of_64(2 * tile.lanes * over(layer.outputs, rows)));
  }
  const int64_t free = firmware.symbol("ow_heap_end") / 64 * 64;
  return blocks_of_64(over(firmware.symbol("ow_heap"), 4) * 4 + biases) + widest <= free;
}

// Runs it and says whether the bits were compared and equal.
bool check(const DrawnNetwork& d, bool mini) {
  SCOPED_TRACE(d.text() + (mini ? " of mini" : ""));
  const NetworkOutcome out = run_drawn(d, mini, OW_FIRMWARE_DIR);
  std::printf("%s%s: %s\n", d.text().c_str(), mini ? " of mini" : "",
              out.refusal.empty()
                  ? (std::to_string(out.compared) + " compared, " + std::to_string(out.different) +
                     " differ, " + std::to_string(out.cycles) + " cycles")
                        .c_str()
                  : "refused");
  EXPECT_EQ(out.refusal.empty(), fits(d, mini)) << out.refusal;
  if (!out.refusal.empty()) {
    EXPECT_NE(out.refusal.find("the limit is"), std::string::npos) << out.refusal;
    return false;
  }
  EXPECT_TRUE(out.equal()) << out.first_difference;
  return out.equal();
}

TEST(NetworksEveryday, SmallOnesAreEqualOnBothBuilds) {
  constexpr double kSmall = 1.5e6;  // multiply-adds
  int run = 0;
  for (uint64_t seed = 1; seed <= kNetworks; ++seed) {
    const DrawnNetwork d = draw_network(seed);
    if (d.work() > kSmall) continue;
    run += check(d, false) ? 1 : 0;
    if (d.for_mini()) check(d, true);
  }
  EXPECT_GE(run, 3);
}

// A refusal is quick, even of a large network.
TEST(NetworksEveryday, WhatMiniCannotHoldIsRefusedWithTheLimit) {
  int of_type = 0;
  int of_size = 0;
  for (uint64_t seed = 1; seed <= kNetworks; ++seed) {
    const DrawnNetwork d = draw_network(seed);
    if (!d.for_mini() || fits(d, true)) continue;
    EXPECT_FALSE(check(d, true));
    ++(d.type == HalfType::Bfloat16 ? of_type : of_size);
  }
  EXPECT_GE(of_type, 1);
  EXPECT_GE(of_size, 1);
}

// Each network is a test, on full tiles, and on tiles of mini if they have a grid of that shape.
// The formula says what must happen. Another test holds that it says "equal" often enough.
class NetworksAll : public testing::TestWithParam<uint64_t> {};

TEST_P(NetworksAll, IsEqualOrRefusedOnFullTiles) { check(draw_network(GetParam()), false); }

TEST_P(NetworksAll, IsEqualOrRefusedOnMini) {
  const DrawnNetwork d = draw_network(GetParam());
  if (d.for_mini()) check(d, true);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NetworksAll, testing::Range(uint64_t{1}, kNetworks + 1));

TEST(NetworksAllCounts, AtLeast32Of40FitFullTiles) {
  int fit = 0;
  int mini = 0;
  int fit_mini = 0;
  for (uint64_t seed = 1; seed <= kNetworks; ++seed) {
    const DrawnNetwork d = draw_network(seed);
    fit += fits(d, false) ? 1 : 0;
    mini += d.for_mini() ? 1 : 0;
    fit_mini += d.for_mini() && fits(d, true) ? 1 : 0;
  }
  std::printf("full: %d of %d; mini: %d of %d, the others are refused\n", fit,
              static_cast<int>(kNetworks), fit_mini, mini);
  EXPECT_GE(fit, kMustRun);
  EXPECT_GE(fit_mini, kMustRunOnMini);
}

}  // namespace
}  // namespace ow::bench
