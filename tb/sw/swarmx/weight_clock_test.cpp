// SPDX-License-Identifier: Apache-2.0
#include "ow/swarmx/weight_clock.h"

#include <gtest/gtest.h>

#include "ow/base/error.h"

namespace ow::swarmx {
namespace {

// One grid row, a layer: a number in each of these cycles.
WaferGradients wafer(const std::vector<uint64_t>& cycles) {
  WaferGradients w(1);
  for (const uint64_t cycle : cycles) w[0].add(0, true, cycle);
  return w;
}

TimeModel stages(int count, const Flow& reduce) {
  TimeModel time;
  time.reduce.assign(static_cast<size_t>(count), reduce);
  time.broadcast.resize(static_cast<size_t>(count));
  return time;
}

uint64_t came(const TimeModel& time, const std::vector<WaferGradients>& wafers) {
  WeightClock clock(time, 1, {0});
  clock.gradients(wafers);
  return clock.next(true, false).streamed[0].came;
}

TEST(WeightClock, StagesAreTheDepthOfTheTree) {
  EXPECT_EQ(stages_of(1), 0);
  EXPECT_EQ(stages_of(2), 1);
  EXPECT_EQ(stages_of(3), 2);
  EXPECT_EQ(stages_of(8), 3);
  EXPECT_EQ(stages_of(1024), 10);
}

TEST(WeightClock, OneWafersGradientsHaveTheLinksLatency) {
  TimeModel time;
  time.exit.latency = 30;
  time.optimizer = {kTimeUnit / 2, 5};
  WeightClock clock(time, 1, {0});
  clock.gradients({wafer({100, 101})});
  const memoryx::WeightTimes& t = clock.next(true, false);
  EXPECT_EQ(t.streamed[0].came, 131u);
  EXPECT_EQ(t.streamed[0].ready, 130 + 4 + 5u);
  EXPECT_EQ(t.update, 4 + 5u);
}

// A sum is there when both of its numbers are, and takes its time on the stage.
TEST(WeightClock, AStageWaitsForTheSlowerOfItsSides) {
  const Flow slow{kWaveletBits * kTimeUnit / 4, 50};  // one in four cycles
  EXPECT_EQ(came(stages(1, slow), {wafer({10, 11, 12}), wafer({10, 11, 12})}), 10 + 12 + 50u);
  EXPECT_EQ(came(stages(1, slow), {wafer({10, 11, 12}), wafer({10, 11, 90})}), 94 + 50u);
  EXPECT_EQ(came(stages(1, slow), {wafer({70, 71, 72}), wafer({10, 11, 90})}), 94 + 50u);
  // The second stage takes them as the first one lets them through.
  EXPECT_EQ(came(stages(2, slow), {wafer({10, 11}), wafer({10, 11}), wafer({10, 40})}),
            44 + 50 + 4 + 50u);
}

TEST(WeightClock, EachStageHasItsOwnTime) {
  TimeModel time = stages(2, {0, 10});
  time.reduce[1].latency = 1000;
  EXPECT_EQ(came(time, {wafer({5}), wafer({7}), wafer({6}), wafer({1})}), 7 + 10 + 1000u);
}

TEST(WeightClock, WhatIsOutsideTheMaskIsReducedAndNotUpdated) {
  TimeModel time = stages(1, {kWaveletBits * kTimeUnit / 4, 0});
  time.optimizer.rate = kTimeUnit / 8;
  WaferGradients w(1);
  w[0].add(1, true, 100);
  w[0].add(0, false, 100);
  w[0].add(0, true, 100);
  WeightClock clock(time, 1, {0});
  clock.gradients({w, w});
  const memoryx::WeightTimes& t = clock.next(true, false);
  EXPECT_EQ(t.resident.came, 104u);
  EXPECT_EQ(t.resident.ready, 112u);
  EXPECT_EQ(t.streamed[0].came, 112u);
  EXPECT_EQ(t.streamed[0].ready, 120u);
  EXPECT_EQ(t.update, 16u);
}

TEST(WeightClock, AStepWithoutAnUpdateIsKnownWithItsLastGradient) {
  TimeModel time;
  time.optimizer.rate = kTimeUnit / 100;
  WeightClock clock(time, 1, {0});
  EXPECT_EQ(clock.next(true, false).streamed[0].ready, 0u);
  clock.gradients({wafer({100, 120})});
  EXPECT_EQ(clock.next(false, false).streamed[0].ready, 120u);
  EXPECT_EQ(clock.next(false, false).update, 0u);
  // Nothing has come since: the same weights.
  EXPECT_EQ(clock.next(true, false).streamed[0].ready, 120u);
}

TEST(WeightClock, WafersHaveTheSameParameters) {
  WeightClock clock(stages(1, {}), 1, {0});
  EXPECT_THROW(clock.gradients({wafer({1, 2}), wafer({1})}), ProtocolError);
}

}  // namespace
}  // namespace ow::swarmx
