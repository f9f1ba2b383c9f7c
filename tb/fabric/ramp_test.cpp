// SPDX-License-Identifier: Apache-2.0
// The ramp of a tile: queues, bindings, what is reported, and clears.
#include <gtest/gtest.h>

#include "seen.h"

namespace ow::fabric {
namespace {

namespace reg = ow::isa::reg;

// A wavelet of a colour without an input queue is reported and waits; one that is bound takes it.
TEST(Ramp, ColourWithoutAnInputQueueIsReportedAndWaits) {
  Grid g(1, 1);
  g.route(0, 0, 3, kW, 1 << kRamp);
  g.route(0, 0, 9, kW, 1 << kRamp);
  g.bind_in(0, 0, 2, 3);
  g.settle();
  auto& m = g.at(0, 0).m();
  g.edge(kW, 0).to_send = {{3, false, 5}, {9, false, 6}, {9, true, 3}};
  g.run(20);
  EXPECT_TRUE(m.err_valid_o);
  EXPECT_EQ(m.err_cause_o, int(isa::RampCause::NoConsumer));
  EXPECT_EQ(m.err_unit_o, 9);
  EXPECT_TRUE(g.at(0, 0).in_valid(2)) << "the other colour goes on";
  g.bind_in(0, 0, 5, 9);
  g.settle();
  EXPECT_FALSE(m.err_valid_o);
  EXPECT_EQ(g.at(0, 0).in_head(5), 6u);
  // Bound to another colour: what comes of the old one waits again.
  g.bind_in(0, 0, 5, 10);
  g.settle();
  EXPECT_FALSE(m.err_valid_o);
  g.edge(kW, 0).to_send = {{9, false, 8}};
  g.run(20);
  EXPECT_TRUE(m.err_valid_o);
  EXPECT_EQ(m.err_unit_o, 9);
}

// A push into a full queue, and the second of two in one cycle, are dropped and reported; what the
// queue holds stays whole.
TEST(Ramp, PushesThatTheQueueCannotTakeAreReported) {
  Grid g(1, 1);
  g.bind_out(0, 0, 2, 6);  // the colour has no route: the router takes what its buffer holds
  g.settle();
  auto& m = g.at(0, 0).m();
  int reports = 0;
  uint32_t next = 0;
  g.drive_node = [&](int, int, Node& node) {
    if (node.m().err_valid_o) {
      ++reports;
      EXPECT_EQ(node.m().err_cause_o, int(isa::RampCause::Overrun));
      EXPECT_EQ(node.m().err_unit_o, 2);
    }
    node.m().push_i = next < 40;
    node.m().push_q_i = 2;
    node.m().push_data_i = next++;
  };
  g.run(60);
  EXPECT_GT(reports, 20);
  g.drive_node = nullptr;
  g.route(0, 0, 6, kRamp, 1 << kE);
  g.settle();
  auto seen = of_colour(g.edge(kE, 0), 6);
  ASSERT_GE(seen.size(), 10u);
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i].w.data, i);

  reports = 0;
  next = 0;
  g.drive_node = [&](int, int, Node& node) {
    reports += node.m().err_valid_o;
    node.m().push_i = node.m().push2_i = next < 3;
    node.m().push_q_i = 2;
    node.m().push2_q_i = next == 1 ? 2 : 4;
    node.m().push_data_i = 100 + next;
    node.m().push2_data_i = 200 + next;
    ++next;
  };
  g.run(20);
  g.drive_node = nullptr;
  EXPECT_EQ(reports, 1);
  EXPECT_EQ(of_colour(g.edge(kE, 0), 6).size(), seen.size() + 3);
  EXPECT_FALSE(m.err_valid_o);
}

// Clearing empties the queues both ways; bindings stay and wavelets flow again.
TEST(Ramp, ClearEmptiesTheQueues) {
  Grid g(1, 1);
  g.route(0, 0, 1, kW, 1 << kRamp);
  g.bind_in(0, 0, 0, 1);
  g.bind_out(0, 0, 3, 2);
  g.settle();
  auto& m = g.at(0, 0).m();
  for (int i = 0; i < 8; ++i) g.edge(kW, 0).to_send.push_back({1, false, uint32_t(i)});
  m.push_i = 1;
  m.push_q_i = 3;
  m.push_data_i = 7;
  g.run(6);
  m.push_i = 0;
  g.run(20);
  EXPECT_TRUE(g.at(0, 0).in_valid(0));
  m.clear_i = 1;
  g.run(1);
  m.clear_i = 0;
  g.run(1);
  EXPECT_FALSE(g.at(0, 0).in_valid(0));
  EXPECT_EQ(g.read(0, 0, reg::InqLevel::kAddress, 1)[0], 0u);
  EXPECT_EQ(g.read(0, 0, reg::OutqLevel::kAddress, 1)[0], 0u);
  for (int i = 0; i < 20; ++i) g.edge(kW, 0).to_send.push_back({1, false, uint32_t(i)});
  uint64_t expect = 0;
  g.drive_node = [&](int, int, Node& node) {
    node.m().inq_pop_i = node.in_valid(0);
    if (node.in_valid(0)) {
      EXPECT_EQ(node.in_head(0), expect++);
    }
  };
  g.run(60);
  EXPECT_EQ(expect, 20u);
}

// A queue is bound to another colour as all are cleared: what comes of its old colour meanwhile
// waits in the router. In whichever cycle the clearing falls, nothing is lost but what the queue
// held.
TEST(Ramp, ABindingThatIsWrittenAsTheQueuesAreClearedLosesNothing) {
  constexpr uint64_t kWavelets = 80;
  for (uint64_t at = 0; at < 60; ++at) {
    SCOPED_TRACE(at);
    Grid g(1, 1);
    g.route(0, 0, 9, kW, 1 << kRamp);
    g.bind_in(0, 0, 0, 9);
    g.settle();
    std::vector<uint64_t> got;
    const uint64_t begin = g.cycle();
    size_t held = 0;
    g.drive_node = [&](int, int, Node& n) {
      n.m().clear_i = g.cycle() == begin + at;
      n.m().inq_pop_i = 0;
      for (int q = 0; q < 2; ++q) {
        if (!n.in_valid(q)) continue;
        got.push_back(n.in_head(q));
        n.m().inq_pop_i = 1 << q;
      }
      if (n.m().clear_i) held = got.size();
    };
    for (uint32_t i = 0; i < kWavelets; ++i) {
      g.edge(kW, 0).to_send_by_colour[9].push_back({9, false, i});
    }
    g.bind_in(0, 0, 0, 10);
    auto& w = g.edge(kW, 0);
    for (const Wavelet& x : w.to_send) w.to_send_by_colour[kReq].push_back(x);
    w.to_send.clear();
    g.run(80);
    g.bind_in(0, 0, 1, 9);
    g.run(300);
    // Popped as they come, so that the queue holds one at most, and another one has just arrived.
    ASSERT_GE(got.size() + 2, kWavelets);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i], i < held ? i : i + kWavelets - got.size());
    }
  }
}

// Who has found a wavelet may pop it a cycle after the queues were cleared: that takes nothing.
TEST(Ramp, APopBehindAClearTakesNothing) {
  Grid g(1, 1);
  g.route(0, 0, 1, kW, 1 << kRamp);
  g.bind_in(0, 0, 0, 1);
  g.settle();
  auto& m = g.at(0, 0).m();
  for (uint32_t i = 0; i < 3; ++i) g.edge(kW, 0).to_send.push_back({1, false, i});
  g.run(20);
  ASSERT_TRUE(g.at(0, 0).in_valid(0));
  m.clear_i = 1;
  g.run(1);
  m.clear_i = 0;
  m.inq_pop_i = 1;
  g.run(1);
  m.inq_pop_i = 0;
  EXPECT_FALSE(g.at(0, 0).in_valid(0));
  g.edge(kW, 0).to_send.push_back({1, false, 7});
  g.run(20);
  ASSERT_TRUE(g.at(0, 0).in_valid(0));
  EXPECT_EQ(g.at(0, 0).in_head(0), 7u);
  EXPECT_EQ(g.read(0, 0, reg::InqLevel::kAddress, 1)[0], 1u);
}

}  // namespace
}  // namespace ow::fabric
