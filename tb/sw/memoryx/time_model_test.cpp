// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/time_model.h"

#include <gtest/gtest.h>

#include <string>

#include "ow/base/error.h"

namespace ow {
namespace {

TimeOptions parse(const std::string& text) {
  YamlMap map(Yaml::parse(text, "job.yaml"));
  return read_time(map["time"]);
}

std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const BadInput& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
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
  // Those of one layer leave four times as fast as all of them would in the whole step.
  needs.gradients = 1000;
  needs.step_cycles = 4000;
  needs.updates = 500;
  needs.update_cycles = 500;
  EXPECT_EQ(balanced_time(needs).optimizer.rate, (11 * kTimeUnit + 9) / 10);
  EXPECT_EQ(balanced_time(needs).reduce.rate, (88 * kTimeUnit + 9) / 10);
  EXPECT_FALSE(balanced_time({}).modelled());
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
  const TimeModel time = make_time(options, {});
  EXPECT_EQ(time.edge.rate, 163840u);
  EXPECT_EQ(time.edge.latency, kWseLatency);
  EXPECT_EQ(time.edge_depth, 64u);
  EXPECT_EQ(time.optimizer.rate, 4 * kTimeUnit);
  EXPECT_EQ(time.reduce.latency, 100u);
  EXPECT_EQ(time.broadcast.latency, kWseLatency);
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
}

}  // namespace
}  // namespace ow
