// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/time_model.h"

#include <gtest/gtest.h>

#include <string>

#include "messages.h"
#include "ow/base/error.h"

namespace ow {
namespace {

TimeOptions parse(const std::string& text) {
  YamlMap map(Yaml::parse(text, "job.yaml"));
  return read_time(map["time"]);
}

std::string complaint(const std::string& text) {
  return refusal_of([&] { parse(text); });
}

TEST(TimeModel, AFlowTakesLatencyAndWholeCycles) {
  const Flow half{kTimeUnit / 2, 7};
  EXPECT_EQ(half.cycles(0), 7u);
  EXPECT_EQ(half.cycles(3), 13u);
  EXPECT_EQ(half.period(1), 2 * kTimeUnit);
  const Flow three{3 * kTimeUnit, 0};
  EXPECT_EQ(three.cycles(1), 1u);
  EXPECT_EQ(three.cycles(4), 2u);
  EXPECT_EQ(three.period(1), kTimeUnit / 3 + 1);
  EXPECT_EQ(Flow{}.cycles(UINT64_MAX), 0u);
  EXPECT_EQ((Flow{1, 0}).cycles(UINT64_MAX), UINT64_MAX);
}

TEST(TimeModel, WseIsAboutOneBitACycleAndRow) {
  const TimeModel time = wse_time();
  EXPECT_EQ(time.edge.rate, 1200u * 65536 / 1224);
  // A wavelet every 32.64 cycles.
  EXPECT_EQ(time.edge.cycles(100 * kWaveletBits), 5000u + 3265u);
  EXPECT_TRUE(time.modelled());
}

TEST(TimeModel, BalancedIsElevenTenthsOfTheNeed) {
  TimeNeeds needs;
  needs.weights = 1000;
  needs.weight_cycles = 4000;
  const TimeModel time = balanced_time(needs);
  // 8 bits a cycle are needed.
  EXPECT_EQ(time.edge.rate, (88 * kTimeUnit + 9) / 10);
  EXPECT_FALSE(time.samples.bounded());
  EXPECT_FALSE(time.exit.bounded());
  // Gradients of one layer are made in each cycle: so they leave, and are reduced and updated.
  needs.updates = 500;
  needs.update_cycles = 500;
  const TimeModel three = balanced_time(needs, 3);
  EXPECT_EQ(three.optimizer.rate, (11 * kTimeUnit + 9) / 10);
  EXPECT_EQ(three.exit.rate, (32 * 11 * kTimeUnit + 9) / 10);
  ASSERT_EQ(three.reduce.size(), 3u);
  ASSERT_EQ(three.broadcast.size(), 3u);
  EXPECT_EQ(three.reduce[2].rate, three.exit.rate);
  EXPECT_EQ(three.broadcast[0].rate, three.edge.rate);
  EXPECT_EQ(three.way_in(), 5 * kBalancedLatency);
  EXPECT_EQ(three.way_out(), 4 * kBalancedLatency);
  EXPECT_FALSE(balanced_time({}).modelled());
}

TEST(TimeModel, TheSlowestLinkOfAWayIsItsPeriod) {
  TimeModel time;
  EXPECT_EQ(time.period_in() + time.period_out(true), 0u);
  time.edge.rate = 8 * kTimeUnit;
  time.broadcast = {{16 * kTimeUnit, 0}, {4 * kTimeUnit, 0}};
  time.exit.rate = 16 * kTimeUnit;
  time.reduce = {{32 * kTimeUnit, 0}, {2 * kTimeUnit, 0}};
  EXPECT_EQ(time.period_in(), 8 * kTimeUnit);
  EXPECT_EQ(time.period_out(false), 2 * kTimeUnit);
  EXPECT_EQ(time.period_out(true), 16 * kTimeUnit);
}

TEST(TimeModel, IdealUnlessSaidOtherwise) {
  EXPECT_FALSE(make_time({}, {}).modelled());
  EXPECT_FALSE(make_time(parse("time: ideal"), {}).modelled());
  EXPECT_EQ(make_time(parse("time: wse"), {}).edge.rate, wse_time().edge.rate);
  EXPECT_TRUE(parse("time: balanced").wants_needs());
}

TEST(TimeModel, AMappingChangesAPreset) {
  const TimeOptions options = parse(
      "time:\n  preset: wse\n  edge: {bits: 2.5, depth: 64}\n  optimizer: {parameters: 4}\n"
      "  reduce: {latency: 100}\n");
  const TimeModel time = make_time(options, {}, 1);
  EXPECT_EQ(time.edge.rate, 163840u);
  EXPECT_EQ(time.exit.rate, wse_time().edge.rate);
  EXPECT_EQ(time.edge.latency, kWseLatency);
  EXPECT_EQ(time.edge_depth, 64u);
  EXPECT_EQ(time.optimizer.rate, 4 * kTimeUnit);
  ASSERT_EQ(time.reduce.size(), 1u);
  EXPECT_EQ(time.reduce[0].latency, 100u);
  EXPECT_EQ(time.broadcast[0].latency, kWseLatency);
  EXPECT_EQ(make_time(options, {}).way_out(), kWseLatency);
}

// One setting for all stages, and single stages counted from the wafers on. Stages that do not
// exist are ignored.
TEST(TimeModel, EachStageCanBeNamed) {
  const TimeOptions options = parse(
      "time:\n  broadcast: {bits: 8, latency: 10, stages: [{}, {bits: 4}, {latency: 7}]}\n"
      "  exit: {bits: 16, latency: 3, depth: 9}\n");
  const TimeModel two = make_time(options, {}, 2), four = make_time(options, {}, 4);
  ASSERT_EQ(two.broadcast.size(), 2u);
  EXPECT_EQ(two.broadcast[1].rate, 4 * kTimeUnit);
  EXPECT_EQ(two.broadcast[1].latency, 10u);
  EXPECT_EQ(four.broadcast[0].rate, 8 * kTimeUnit);
  EXPECT_EQ(four.broadcast[2].latency, 7u);
  EXPECT_EQ(four.broadcast[3].latency, 10u);
  EXPECT_FALSE(four.reduce[0].bounded());
  EXPECT_EQ(two.exit.rate, 16 * kTimeUnit);
  EXPECT_EQ(two.exit.latency, 3u);
  EXPECT_EQ(two.exit_depth, 9u);
}

TEST(TimeModel, RefusesWhatMakesNoSense) {
  expect_in("job.yaml:1: key 'time' must be ideal, balanced or wse, not 'fast'",
            complaint("time: fast"));
  expect_in("key 'time.edge.bits'", complaint("time: {edge: {bits: 0}}"));
  expect_in("key 'time.edge.depth'", complaint("time: {edge: {depth: 2000}}"));
  expect_in("key 'time.store.latency'", complaint("time: {store: {latency: -1}}"));
  expect_in("key 'time.optimizer.bits' is not known", complaint("time: {optimizer: {bits: 1}}"));
  expect_in("key 'time.wire' is not known", complaint("time: {wire: {bits: 1}}"));
  expect_in("key 'time.reduce'", complaint("time: {reduce: 3}"));
  expect_in("key 'time.exit.depth'", complaint("time: {exit: {depth: 0}}"));
  expect_in("key 'time.exit.way' is not known", complaint("time: {exit: {way: 1}}"));
  expect_in("bits' must be", complaint("time: {reduce: {stages: [{bits: 0}]}}"));
  expect_in("key 'time.reduce.stages'", complaint("time: {reduce: {stages: 3}}"));
}

}  // namespace
}  // namespace ow
