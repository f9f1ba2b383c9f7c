// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/update_time.h"

#include <gtest/gtest.h>

#include <vector>

namespace ow::memoryx {
namespace {

using Cycles = std::vector<uint64_t>;

// Four cycles a parameter, ten late.
constexpr Flow kSlow{kTimeUnit / 4, 10};

Cycles ready(const UpdateTime& updates, bool wait) {
  Cycles cycles;
  for (const ReadyTime& layer : updates.times(wait).streamed) cycles.push_back(layer.ready);
  return cycles;
}

TEST(UpdateTime, GradientsAreTakenAsTheyLeave) {
  UpdateTime updates(kSlow, 1, {0, 1});
  for (const uint64_t cycle : {100, 101, 120}) updates.leave(0, 1, 1, cycle, cycle);
  updates.leave(0, 0, 1, 130, 130);
  EXPECT_EQ(updates.last(), 130u);
  EXPECT_EQ(ready(updates, false), (Cycles{130 + 4 + 10, 120 + 4 + 10}));
  EXPECT_EQ(updates.alone(), 4 * 4 + 10u);
}

TEST(UpdateTime, ALayerWaitsForThoseThatLeftBefore) {
  UpdateTime updates(kSlow, 1, {0, 1});
  updates.leave(0, 1, 100, 1000, 1100);
  updates.leave(0, 0, 10, 1100, 1120);
  EXPECT_EQ(ready(updates, false), (Cycles{1000 + 440 + 10, 1000 + 400 + 10}));
}

TEST(UpdateTime, TheSlowestGridRowCounts) {
  UpdateTime updates(kSlow, 2, {0});
  updates.leave(0, 0, 1, 50, 50);
  updates.leave(1, 0, 5, 20, 40);
  EXPECT_EQ(ready(updates, false), Cycles{54 + 10});
  EXPECT_EQ(ready(updates, true), Cycles{50 + 20 + 10});
  EXPECT_EQ(updates.alone(), 30u);
}

// Nothing changes before the last gradient; then what is wanted first comes first.
TEST(UpdateTime, WhereAllGradientsMustBeKnownTheFirstLayerIsUpdatedFirst) {
  UpdateTime updates(kSlow, 1, {0, 1, 2});
  updates.leave(0, 2, 30, 0, 1000);
  updates.leave(0, 1, 20, 1000, 2000);
  updates.leave(0, 0, 10, 2000, 3000);
  EXPECT_EQ(ready(updates, true), (Cycles{3050, 3130, 3250}));
  EXPECT_EQ(ready(updates, false), (Cycles{3014, 2014, 1014}));
}

// The order of updates is that in which the next step takes them, not that of their numbers.
TEST(UpdateTime, WhatIsTakenFirstIsUpdatedFirst) {
  UpdateTime updates(kSlow, 1, {2, 0});
  updates.leave(0, 0, 10, 0, 1000);
  updates.leave(0, 2, 20, 1000, 2000);
  EXPECT_EQ(ready(updates, true), (Cycles{2000 + 30 * 4 + 10, 0, 2000 + 20 * 4 + 10}));
}

// Biases of a layer leave in front of its matrix; where all gradients must be known they are the
// first to be updated, all layers' of them.
TEST(UpdateTime, BiasesAreNewBeforeTheMatrices) {
  UpdateTime updates(kSlow, 1, {0, 2});
  updates.leave(0, 3, 5, 100, 200);  // biases
  updates.leave(0, 2, 20, 200, 300);
  updates.leave(0, 1, 6, 900, 1000);  // biases
  updates.leave(0, 0, 10, 1000, 2000);
  const WeightTimes beside = updates.times(false), behind = updates.times(true);
  EXPECT_EQ(beside.resident.came, 1000u);
  EXPECT_EQ(beside.resident.ready, 1014u);
  EXPECT_EQ(beside.streamed[2].came, 300u);
  EXPECT_EQ(beside.streamed[0].came, 2000u);
  EXPECT_EQ(beside.streamed[0].ready, 2014u);
  EXPECT_EQ(behind.resident.came, 2000u);
  EXPECT_EQ(behind.resident.ready, 2000 + 11 * 4 + 10u);
  EXPECT_EQ(behind.streamed[2].came, 2000u);
  EXPECT_EQ(behind.streamed[0].ready, 2000 + 21 * 4 + 10u);
  EXPECT_EQ(behind.update, 41 * 4 + 10u);
}

// Many that leave evenly are what each of them is by itself.
TEST(UpdateTime, ManyAreTheSumOfEach) {
  for (const uint64_t period : {1, 4, 7}) {
    UpdateTime each(kSlow, 1, {0}), all(kSlow, 1, {0});
    constexpr uint64_t kCount = 50;
    for (uint64_t k = 1; k <= kCount; ++k) each.leave(0, 0, 1, 100 + k * period, 100 + k * period);
    all.leave(0, 0, kCount, 100 + period, 100 + kCount * period);
    EXPECT_EQ(ready(each, false), ready(all, false)) << period;
  }
}

TEST(UpdateTime, WithoutABoundItTakesItsLatencyAlone) {
  UpdateTime updates({0, 7}, 1, {0, 1});
  updates.leave(0, 1, 1000, 10, 20);
  updates.leave(0, 0, 1000, 20, 30);
  EXPECT_EQ(ready(updates, false), (Cycles{37, 27}));
  EXPECT_EQ(ready(updates, true), (Cycles{37, 37}));
  EXPECT_EQ(updates.alone(), 7u);
  updates.begin();
  EXPECT_EQ(updates.last(), 0u);
}

TEST(UpdateTime, ClippingAndADynamicScaleWaitForAllGradients) {
  TrainingJob job;
  EXPECT_FALSE(updates_wait(job));
  job.optimizer.max_norm = 1;
  EXPECT_TRUE(updates_wait(job));
  job.optimizer.max_norm = 0;
  job.loss_scale.dynamic = true;
  EXPECT_TRUE(updates_wait(job));
}

}  // namespace
}  // namespace ow::memoryx
