// SPDX-License-Identifier: Apache-2.0
// The link between two clocks: phases, skew, jitter, and how training handles them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "../../harness/seed.h"
#include "Vow_link_wires.h"
#include "ow/base/rng.h"
#include "ow/measure/link/two_clocks.h"
#include "verilated.h"

namespace ow::link {
namespace {

void exchange(TwoClocks* link, uint64_t periods) {
  for (int side = 0; side < 2; ++side) link->router(side).offered = kAllColours;
  link->run(periods);
  EXPECT_TRUE(link->drain());
  EXPECT_EQ(link->errors(), 0u) << link->first_error();
}

TEST(TwoClockLink, ComesUpAndLosesNothingInEveryPhase) {
  for (int phase = 0; phase < kTicks; ++phase) {
    Crossing crossing;
    crossing.phase = phase;
    crossing.flight = 1 + phase * 5 % 11;
    crossing.skew = 16;
    crossing.jitter = phase % 3;
    const uint64_t seed = test_seed(static_cast<uint64_t>(phase) + 1);
    SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
    TwoClocks link(crossing, seed);
    ASSERT_TRUE(link.train(8000)) << phase;
    exchange(&link, 300);
  }
}

TEST(TwoClockLink, RunsAtFullRateWithConstantLatency) {
  for (int phase = 0; phase < kTicks; phase += 3) {
    for (const bool far : {false, true}) {
      Crossing crossing;
      crossing.phase = phase;
      crossing.flight = far ? 11 : 1;
      crossing.skew = far ? 16 : 0;
      TwoClocks link(crossing, 3);
      ASSERT_TRUE(link.train());
      for (int side = 0; side < 2; ++side) link.router(side).offered = 1u << 9;
      link.run(100);
      const uint64_t before = link.router(0).taken() + link.router(1).taken();
      link.run(1000);
      EXPECT_EQ(link.router(0).taken() + link.router(1).taken() - before, 2000u)
          << phase << " " << far;
      EXPECT_TRUE(link.drain());
      for (int side = 0; side < 2; ++side) {
        EXPECT_EQ(link.router(side).latency_min(), link.router(side).latency_max());
        EXPECT_GE(link.router(side).latency_min(), 11u * kTicks / 2) << phase << " " << far;
        EXPECT_LE(link.router(side).latency_max(), 33u * kTicks / 4) << phase << " " << far;
      }
    }
  }
}

// The phase of one clock drifts by three bit times in all. The delays stay as training has set
// them, which absorbs a quarter of a bit. Beyond the bit's edge the frames are wrong, and the link
// trains again by itself.
TEST(TwoClockLink, ADriftOfThePhaseTrainsItAgainAndLosesNothing) {
  using State = isa::link::State;
  Crossing crossing;
  crossing.phase = 5;
  crossing.skew = 8;
  TwoClocks link(crossing, 6);
  ASSERT_TRUE(link.train());
  const auto trainings = [&] {
    return State::Trainings::get(link.status(0, State::kAddress)) +
           State::Trainings::get(link.status(1, State::kAddress));
  };
  for (int side = 0; side < 2; ++side) link.router(side).offered = kAllColours;
  for (int ticks = 0; ticks < 3 * kTicks; ++ticks) {
    if (ticks == kTicks / 4) {
      EXPECT_EQ(trainings(), 2u) << "within the bit";
      EXPECT_EQ(link.status(0, isa::link::Wrong::kAddress), 0u);
      EXPECT_EQ(link.status(1, isa::link::Wrong::kAddress), 0u);
    }
    link.drift(1);
    link.run(1000);
  }
  link.run(20000);
  ASSERT_TRUE(link.train());
  EXPECT_GE(trainings(), 4u);
  EXPECT_TRUE(link.drain());
  EXPECT_EQ(link.errors(), 0u) << link.first_error();
}

// The delays that training finds make up for the skew: early lanes get more.
TEST(TwoClockLink, DelaysMakeUpForTheSkew) {
  Crossing crossing;
  crossing.phase = 3;
  crossing.skew = 16;
  TwoClocks link(crossing, 4);
  ASSERT_TRUE(link.train());
  // Lane 7 is the latest, lane 40 the earliest. The difference is a bit time, which is 8 steps.
  for (int side = 0; side < 2; ++side) {
    EXPECT_NEAR(link.delay(side, 40) - link.delay(side, 7), 8, 1);
  }
}

TEST(TwoClockLink, RetrainingNoiseAndBrokenLanesLoseNothing) {
  Crossing crossing;
  crossing.phase = 11;
  crossing.skew = 8;
  crossing.jitter = 1;
  crossing.bit_error_rate = 1e-3;
  const uint64_t seed = test_seed(5);
  SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
  TwoClocks link(crossing, seed);
  ASSERT_TRUE(link.train());
  exchange(&link, 2000);
  link.wires(0).set_fault(12, Fault::Stuck1);
  link.wires(0).set_fault(50, Fault::BridgedOr, 51);
  for (int side = 0; side < 2; ++side) link.router(side).offered = kAllColours;
  link.run(12000);
  ASSERT_TRUE(link.train());
  link.retrain(1);
  link.run(6000);
  ASSERT_TRUE(link.train());
  exchange(&link, 1000);
  EXPECT_EQ(link.status(1, isa::link::Faulty::address(0)), 1u << 12);
}

// Without ticks, as in a grid of one clock, a delay element is a wire, whatever training has set.
TEST(LinkDelay, IsAWireWithoutTicks) {
  VerilatedContext context;
  Vow_link_wires wires(&context);
  Rng random(6);
  for (int n = 0; n < 100; ++n) {
    wires.lane_a_i = random.next() & ((uint64_t{1} << kGroupLanes) - 1);
    wires.lane_b_i = random.next() & ((uint64_t{1} << kGroupLanes) - 1);
    for (int word = 0; word < 6; ++word) wires.tap_i[word] = static_cast<uint32_t>(random.next());
    wires.tick_i = n & 1;
    wires.eval();
    EXPECT_EQ(wires.lane_a_o, wires.lane_a_i);
    EXPECT_EQ(wires.lane_b_o, wires.lane_b_i);
  }
}

// Frames that one wrong frame costs. The report of it takes longer in some phases than in others.
TEST(TwoClockLink, OneWrongFrameCostsEightOrNineFrames) {
  for (int phase = 0; phase < kTicks; phase += 3) {
    Crossing crossing;
    crossing.phase = phase;
    crossing.flight = 1 + phase * 5 % 11;
    crossing.skew = 16;
    TwoClocks link(crossing, static_cast<uint64_t>(phase) + 20);
    ASSERT_TRUE(link.train());
    for (int side = 0; side < 2; ++side) link.router(side).offered = kAllColours;
    link.run(1000);
    constexpr uint64_t kGap = 400;
    constexpr int kTimes = 10;
    uint64_t lost = 0;
    for (int i = 0; i < kTimes; ++i) {
      Lanes mask;
      mask.group[0] = uint64_t{1} << i;
      const uint64_t before = link.router(1).taken();
      link.wires(0).flip_next(mask);
      link.run(kGap);
      lost += kGap - (link.router(1).taken() - before);
    }
    const double frames = static_cast<double>(lost) / 2 / kTimes;
    std::printf("phase %d: %.1f frames\n", phase, frames);
    EXPECT_TRUE(frames == 8 || frames == 9) << frames;
    EXPECT_TRUE(link.drain());
    EXPECT_EQ(link.errors(), 0u) << link.first_error();
  }
}

}  // namespace
}  // namespace ow::link
