// SPDX-License-Identifier: Apache-2.0
// The diagnosis from register contents alone; tb/sw/deadlock has the same on the RTL.
#include "ow/diagnose/hang_report.h"

#include <gtest/gtest.h>

#include "fake_device.h"

namespace ow {
namespace {

constexpr uint32_t kThreadActive = 1u << 31;
constexpr uint32_t kWaitsIn = 1u << 28;
constexpr uint32_t kWaitsOut = 2u << 28;
constexpr uint32_t kWaitsRow = 3u << 28;

class HangReportTest : public testing::Test {
 protected:
  HangReportTest() : device(2, 2), control(device) {}
  void route(int row, int col, int colour, Port in, uint32_t mask) {
    device.tile(row, col)[kRegRoute + 4 * static_cast<uint32_t>(colour)] =
        route_word(Route{in, mask});
  }
  const Diagnosis* first() {
    report = make_hang_report(control);
    return report.diagnoses.empty() ? nullptr : &report.diagnoses.front();
  }
  FakeDevice device;
  ControlPlane control;
  HangReport report;
};

TEST_F(HangReportTest, AnIdleGridHasNothingToReport) {
  EXPECT_EQ(first(), nullptr) << report.text();
}

TEST_F(HangReportTest, AMissingConsumer) {
  route(0, 1, 5, Port::West, kOutRamp);
  device.tile(0, 1)[kRegRtOccupied] = 1u << 5;
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::NoConsumer);
  EXPECT_EQ(d->colour, 5);
  EXPECT_EQ(d->col, 1);
  EXPECT_TRUE(d->root);
}

TEST_F(HangReportTest, EqualLinesOfTilesAreOne) {
  for (int row = 0; row < 2; ++row) {
    for (int col = 0; col < 2; ++col) {
      device.tile(row, col)[kRegThread + 8] = kThreadActive | kWaitsIn | 3u << 24 | 16u << 16;
    }
  }
  first();
  EXPECT_EQ(report.diagnoses.size(), 4u);
  const std::string text = report.text();
  EXPECT_NE(text.find("cause: [unbound input queue] tiles (0, 0) to (1, 1): thread 2 (axpyw) waits "
                      "on input queue 3, which is bound to no colour\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("[unbound input queue]"), text.rfind("[unbound input queue]")) << text;
  device.tile(1, 1)[kRegThread + 8] = 0;
  first();
  EXPECT_NE(report.text().find("tiles (0, 0), (0, 1), (1, 0): thread 2"), std::string::npos)
      << report.text();
}

TEST_F(HangReportTest, ARingOfWaitsIsACauseAndAnExplainedOneIsNot) {
  const auto wait_for_each_other = [&](int col, int colour) {
    device.tile(0, col)[kRegThread + 4] = kThreadActive | kWaitsIn | 2u << 24;
    device.tile(0, col)[kRegInq + 8] = 32u + static_cast<uint32_t>(colour);
  };
  wait_for_each_other(0, 6);
  wait_for_each_other(1, 5);
  route(0, 0, 5, Port::Ramp, kOutE);
  route(0, 1, 5, Port::West, kOutRamp);
  route(0, 1, 6, Port::Ramp, kOutW);
  route(0, 0, 6, Port::East, kOutRamp);
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::WaitCycle) << report.text();
  // Another thread of one of them, which would send, waits for what never comes.
  device.tile(0, 1)[kRegThread + 8] = kThreadActive | kWaitsIn | 3u << 24;
  d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::UnboundInput) << report.text();
  EXPECT_FALSE(report.has(HangCause::WaitCycle)) << report.text();
}

TEST_F(HangReportTest, ACoreAtEbreakIsNamed) {
  device.tile(1, 0)[kRegCoreStatus] = 16u;
  device.tile(1, 0)[kRegCorePc] = 0x40;
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::CoreBreak);
  EXPECT_NE(d->text.find("no task, pc 0x40"), std::string::npos) << d->text;
}

TEST_F(HangReportTest, ACoreThatWaitsToPushNamesItsTaskAndQueue) {
  device.tile(0, 0)[kRegCoreStatus] = 1u;
  device.tile(0, 0)[kRegTaskRunning] = 32u + 3u;
  device.tile(0, 0)[kRegTaskEntry + 12] = 0x80;
  device.tile(0, 0)[kRegOutqLevel] = 8u << 8;
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::UnboundOutput);
  EXPECT_NE(d->text.find("the core (task 3 (0x80), pc 0x0) waits to push into output queue 2"),
            std::string::npos)
      << d->text;
}

TEST_F(HangReportTest, ALostCreditIsToldFromAFullBuffer) {
  route(0, 0, 5, Port::West, kOutE);
  route(0, 1, 5, Port::West, kOutRamp);
  device.tile(0, 0)[kRegRtCredits + 16] = 0x22122222;  // port east, colour 5
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::LostCredit);
  EXPECT_EQ(d->colour, 5);
  device.tile(0, 1)[kRegRtOccupied] = 1u << 5;
  d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::NoConsumer);
  EXPECT_FALSE(report.has(HangCause::LostCredit));
}

TEST_F(HangReportTest, ARouteCycle) {
  route(0, 0, 1, Port::South, kOutE);
  route(0, 1, 1, Port::West, kOutS);
  route(1, 1, 1, Port::North, kOutW);
  route(1, 0, 1, Port::East, kOutN);
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::RouteCycle);
  EXPECT_NE(d->text.find("(0, 0) -> (0, 1) -> (1, 1)"), std::string::npos) << d->text;
}

TEST_F(HangReportTest, AThreadOnAnUnboundQueue) {
  device.tile(1, 0)[kRegThread + 8] = kThreadActive | kWaitsIn | 3u << 24 | 16u << 16;
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::UnboundInput);
  EXPECT_EQ(d->thread, 2);
  EXPECT_EQ(d->queue, 3);
}

TEST_F(HangReportTest, AThreadWhoseHostHasNoMoreToSend) {
  device.tile(0, 1)[kRegThread + 4] = kThreadActive | kWaitsIn | 16u << 16;
  device.tile(0, 1)[kRegInq] = 32 + 9;
  route(0, 0, 9, Port::West, kOutE);
  route(0, 1, 9, Port::West, kOutRamp);
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::NoUpstream);
  EXPECT_TRUE(d->root);
  EXPECT_NE(d->text.find("the host has no more to send (edge west, port 0)"), std::string::npos)
      << d->text;
}

TEST_F(HangReportTest, AnOutputQueueWithoutARoute) {
  device.tile(0, 1)[kRegThread + 4] = kThreadActive | kWaitsOut | 2u << 24;
  device.tile(0, 1)[kRegOutq + 8] = 32 + 9;
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::OutputNotRouted);
}

TEST_F(HangReportTest, ARowThatIsNeverDrained) {
  device.tile(0, 0)[kRegThread + 4] = kThreadActive | kWaitsRow | 16u << 16;
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::RowNotDrained);
}

TEST_F(HangReportTest, AReducerThatWaitsForItsNeighbour) {
  device.tile(0, 0)[kRegRedStatus] = 1u << 31 | 2u << 28 | 4;
  device.tile(0, 0)[kRegRed + 0x10] = 1u | 1u << 1 | 4u << 2;
  device.tile(0, 0)[kRegInq + 16] = 32 + 6;
  route(0, 0, 6, Port::South, kOutRamp);
  route(1, 0, 6, Port::Ramp, kOutN);
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::NoUpstream);
  EXPECT_NE(d->text.find("tile (1, 0) sends no more of them"), std::string::npos) << d->text;
}

TEST_F(HangReportTest, BlockedAndMissingTasks) {
  device.tile(0, 0)[kRegTaskActivate] = 3u << 20;
  device.tile(0, 0)[kRegTaskBlock] = 1u << 20;
  device.tile(0, 0)[kRegTaskEntry + 80] = 0x100;
  device.tile(0, 0)[kRegCoreStatus] = 1;
  first();
  EXPECT_TRUE(report.has(HangCause::TaskBlocked));
  EXPECT_TRUE(report.has(HangCause::TaskNoEntry));
}

TEST_F(HangReportTest, TrapsAndFaultsNameTheirPlace) {
  device.tile(0, 0)[kRegError] = 1u << 31 | 5u;
  device.tile(0, 0)[kRegError + 8] = 0x120;
  device.tile(1, 0)[kRegError] = 1u << 31 | 1u << 16 | 3u << 8 | 2;
  first();
  ASSERT_TRUE(report.has(HangCause::CoreTrapped));
  EXPECT_NE(
      report.find(HangCause::CoreTrapped)->text.find("load access fault, address 0x0; pc 0x120"),
      std::string::npos);
  ASSERT_TRUE(report.has(HangCause::EngineFault));
  EXPECT_EQ(report.find(HangCause::EngineFault)->thread, 3);
}

TEST_F(HangReportTest, AFetchFromZeroIsACallOfNull) {
  const std::string null = parse_error(1u << 31 | 1u, 0, 0).describe();
  EXPECT_NE(null.find("instruction access fault, address 0x0 (a call through a null pointer?)"),
            std::string::npos)
      << null;
  EXPECT_EQ(parse_error(1u << 31 | 1u, 0x10000, 0x10000).describe().find("null"),
            std::string::npos);
}

TEST_F(HangReportTest, WaveletsThatNobodyTakes) {
  device.tile(0, 0)[kRegInqLevel] = 5;
  device.tile(0, 0)[kRegInq] = 32 + 2;
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::NoTask);
}

TEST_F(HangReportTest, AMisrouteNamesTheSender) {
  route(0, 0, 2, Port::West, kOutE);
  route(0, 1, 2, Port::North, kOutRamp);
  device.tile(0, 1)[kRegRtMisroute] = 4;
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::Misroute);
  EXPECT_NE(d->text.find("tile (0, 0) sends it from west"), std::string::npos) << d->text;
}

}  // namespace
}  // namespace ow
