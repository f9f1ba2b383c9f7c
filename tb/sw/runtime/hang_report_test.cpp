// SPDX-License-Identifier: Apache-2.0
// The diagnosis from register contents alone; deadlock_test has the same on the RTL.
#include "ow/diagnose/hang_report.h"
#include "ow/device/tile_map.h"
#include "ow/runtime/routes.h"

#include <gtest/gtest.h>

#include "fake_device.h"

namespace ow {
namespace {

namespace reg = isa::reg;

// A thread that waits: for what, for which queue, in which operation.
uint32_t thread(ThreadWait waits, int queue, isa::TensorOp op = isa::TensorOp::Mov) {
  return reg::Thread::Active::put(1) | reg::Thread::Waits::put(waits) |
         reg::Thread::Queue::put(queue) | reg::Thread::Operation::put(op);
}
uint32_t inq(int colour) { return reg::Inq::Enable::put(1) | reg::Inq::Colour::put(colour); }
uint32_t error(ErrorSource source, int unit, uint32_t cause) {
  return reg::Error::Stopped::put(1) | reg::Error::Source::put(source) |
         reg::Error::Unit::put(unit) | reg::Error::Cause::put(cause);
}
uint32_t outq(int colour) { return reg::Outq::Enable::put(1) | reg::Outq::Colour::put(colour); }

class HangReportTest : public testing::Test {
 protected:
  HangReportTest() : device(2, 2), control(device) {}
  void route(int row, int col, int colour, Port in, uint32_t mask) {
    device.tile(row, col)[reg::Route::address(colour)] = route_word(Route{in, mask});
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

// Fails if the same line is printed for each tile.
TEST_F(HangReportTest, EqualLinesOfTilesAreOne) {
  for (int row = 0; row < 2; ++row) {
    for (int col = 0; col < 2; ++col) {
      device.tile(row, col)[reg::Thread::address(2)] =
          thread(ThreadWait::Input, 3, isa::TensorOp::Axpyw);
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
  device.tile(1, 1)[reg::Thread::address(2)] = 0;
  first();
  EXPECT_NE(report.text().find("tiles (0, 0), (0, 1), (1, 0): thread 2"), std::string::npos)
      << report.text();
}

// Fails if tiles that wait for each other have no cause in the report.
TEST_F(HangReportTest, ARingOfWaitsIsACauseAndAnExplainedOneIsNot) {
  const auto wait_for_each_other = [&](int col, int colour) {
    device.tile(0, col)[reg::Thread::address(1)] = thread(ThreadWait::Input, 2);
    device.tile(0, col)[reg::Inq::address(2)] = inq(colour);
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
  device.tile(0, 1)[reg::Thread::address(2)] = thread(ThreadWait::Input, 3);
  d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::UnboundInput) << report.text();
  EXPECT_FALSE(report.has(HangCause::WaitCycle)) << report.text();
}

// Fails if a core that stands at ebreak is not named.
TEST_F(HangReportTest, ACoreAtEbreakIsNamed) {
  device.tile(1, 0)[kRegCoreStatus] = reg::CoreStatus::Ebreak::put(1);
  device.tile(1, 0)[kRegCorePc] = 0x40;
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::CoreBreak);
  EXPECT_NE(d->text.find("no task, pc 0x40"), std::string::npos) << d->text;
}

// Fails if a core that waits in a queue instruction has no cause in the report.
TEST_F(HangReportTest, ACoreThatWaitsToPushNamesItsTaskAndQueue) {
  device.tile(0, 0)[kRegCoreStatus] = reg::CoreStatus::Running::put(1);
  device.tile(0, 0)[kRegTaskRunning] =
      reg::TaskRunning::Running::put(1) | reg::TaskRunning::Task::put(3);
  device.tile(0, 0)[reg::TaskEntry::address(3)] = 0x80;
  device.tile(0, 0)[kRegOutqLevel] = reg::OutqLevel::Level::put(2, 8);
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
  device.tile(0, 0)[reg::RtCredits::address(4)] = 0x22122222;  // port east, colour 5
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
  device.tile(1, 0)[reg::Thread::address(2)] = thread(ThreadWait::Input, 3, isa::TensorOp::Axpyw);
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::UnboundInput);
  EXPECT_EQ(d->thread, 2);
  EXPECT_EQ(d->queue, 3);
}

TEST_F(HangReportTest, AThreadWhoseHostHasNoMoreToSend) {
  device.tile(0, 1)[reg::Thread::address(1)] = thread(ThreadWait::Input, 0, isa::TensorOp::Axpyw);
  device.tile(0, 1)[reg::Inq::address(0)] = inq(9);
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
  device.tile(0, 1)[reg::Thread::address(1)] = thread(ThreadWait::Output, 2);
  device.tile(0, 1)[reg::Outq::address(2)] = outq(9);
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::OutputNotRouted);
}

TEST_F(HangReportTest, ARowThatIsNeverDrained) {
  device.tile(0, 0)[reg::Thread::address(1)] = thread(ThreadWait::Row, 0, isa::TensorOp::Axpyw);
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::RowNotDrained);
}

TEST_F(HangReportTest, AReductionThatWaitsForAnotherOneNamesIt) {
  device.tile(0, 0)[reg::Thread::address(1)] = thread(ThreadWait::Reduction, 0, isa::TensorOp::Sum);
  device.tile(0, 0)[reg::Thread::address(2)] = thread(ThreadWait::Input, 3, isa::TensorOp::Dot);
  const Diagnosis* d = first();
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->cause, HangCause::UnboundInput) << report.text();
  EXPECT_NE(report.text().find("thread 1 (sum) waits for a reduction that is in the middle of a "
                               "vector"),
            std::string::npos)
      << report.text();
}

TEST_F(HangReportTest, AReducerThatWaitsForItsNeighbour) {
  device.tile(0, 0)[kRegRedStatus] = reg::RedStatus::Running::put(1) |
                                     reg::RedStatus::Waits::put(ReducerWait::In0) |
                                     reg::RedStatus::Rows::put(4);
  device.tile(0, 0)[reg::RedActEq::kAddress] =
      isa::RedAction::Enable::put(1) | isa::RedAction::In0::put(1) | isa::RedAction::In0Q::put(4);
  device.tile(0, 0)[reg::Inq::address(4)] = inq(6);
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
  device.tile(0, 0)[reg::TaskEntry::address(20)] = 0x100;
  device.tile(0, 0)[kRegCoreStatus] = reg::CoreStatus::Running::put(1);
  first();
  EXPECT_TRUE(report.has(HangCause::TaskBlocked));
  EXPECT_TRUE(report.has(HangCause::TaskNoEntry));
}

TEST_F(HangReportTest, TrapsAndFaultsNameTheirPlace) {
  device.tile(0, 0)[kRegError] = error(ErrorSource::Core, 0, 5);
  device.tile(0, 0)[reg::ErrorPc::kAddress] = 0x120;
  device.tile(1, 0)[kRegError] = error(ErrorSource::Engine, 3, kEngineDescriptor);
  first();
  ASSERT_TRUE(report.has(HangCause::CoreTrapped));
  EXPECT_NE(
      report.find(HangCause::CoreTrapped)->text.find("load access fault, address 0x0; pc 0x120"),
      std::string::npos);
  ASSERT_TRUE(report.has(HangCause::EngineFault));
  EXPECT_EQ(report.find(HangCause::EngineFault)->thread, 3);
}

// Fails if a call of a null function is reported as something else.
TEST_F(HangReportTest, AFetchFromZeroIsACallOfNull) {
  const std::string null = parse_error(error(ErrorSource::Core, 0, 1), 0, 0).describe();
  EXPECT_NE(null.find("instruction access fault, address 0x0 (a call through a null pointer?)"),
            std::string::npos)
      << null;
  EXPECT_EQ(parse_error(error(ErrorSource::Core, 0, 1), 0x10000, 0x10000).describe().find("null"),
            std::string::npos);
}

TEST_F(HangReportTest, WaveletsThatNobodyTakes) {
  device.tile(0, 0)[kRegInqLevel] = reg::InqLevel::Level::put(0, 5);
  device.tile(0, 0)[reg::Inq::address(0)] = inq(2);
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
