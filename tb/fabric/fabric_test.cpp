// SPDX-License-Identifier: Apache-2.0
// The fabric and its ramps: latency, throughput, fairness, isolation of colours. The control plane:
// control_test.cpp; random traffic: random_test.cpp.
#include <gtest/gtest.h>

#include <map>

#include "seen.h"

namespace ow::fabric {
namespace {

namespace reg = ow::isa::reg;

// West edge to east edge through n routers: the word is in the n-th output register n cycles after
// it was on the first input.
TEST(Data, OneCycleAHop) {
  Grid g(1, 9);
  for (int c = 0; c < 9; ++c) g.route(0, c, 3, kW, 1 << kE);
  g.settle();
  g.edge(kW, 0).log_sends = true;
  g.edge(kW, 0).to_send.push_back({3, false, 0x1234});
  g.run(30);
  auto seen = of_colour(g.edge(kE, 0), 3);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].w.data, 0x1234u);
  EXPECT_EQ(seen[0].cycle - g.edge(kW, 0).sent_cycles.at(0), 9u);
  EXPECT_EQ(g.check_quiet(), "");
}

// One colour over 8 hops, round a corner, and as a multicast along a row into every tile.
TEST(Data, OneColourRunsAtOneWaveletACycle) {
  Grid g(2, 9);
  const int n = 1000;
  for (int c = 0; c < 8; ++c) g.route(0, c, 0, kW, 1 << kE | (c % 3 == 0 ? 1 << kRamp : 0));
  g.route(0, 8, 0, kW, 1 << kS);
  g.route(1, 8, 0, kN, 1 << kW | 1 << kE);
  for (int c = 0; c < 8; ++c) g.route(1, c, 0, kE, 1 << kW);
  for (int c = 0; c < 8; c += 3) g.bind_in(0, c, c % 8, 0);
  g.settle();
  std::map<int, std::vector<uint64_t>> ramp;
  g.drive_node = [&](int r, int c, Node& node) {
    node.m().inq_pop_i = node.m().inq_valid_o;
    for (int q = 0; q < 8; ++q) {
      if (node.in_valid(q)) ramp[r * 100 + c].push_back(node.in_head(q));
    }
  };
  // A control wavelet without commands flows like data.
  auto word = [](int i) { return i % 7 == 0 ? uint32_t(i) << 26 | uint32_t(i % 4) : uint32_t(i); };
  for (int i = 0; i < n; ++i) g.edge(kW, 0).to_send.push_back({0, i % 7 == 0, word(i)});
  g.run(n + 60);
  for (Edge* e : {&g.edge(kW, 1), &g.edge(kE, 1)}) {
    auto seen = of_colour(*e, 0);
    ASSERT_EQ(int(seen.size()), n);
    EXPECT_EQ(seen.back().cycle - seen.front().cycle, uint64_t(n - 1));
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(seen[i].w.data, word(i));
      ASSERT_EQ(seen[i].w.ctrl, i % 7 == 0);
    }
  }
  ASSERT_EQ(ramp.size(), 3u);
  for (auto& [where, v] : ramp) {
    ASSERT_EQ(int(v.size()), n) << where;
    for (int i = 0; i < n; ++i) ASSERT_EQ(v[i], word(i) | uint64_t(i % 7 == 0) << 32);
  }
  g.drive_node = nullptr;
  EXPECT_EQ(g.check_quiet(), "");
}

// Ramp to ramp at one wavelet per cycle through queues of 8.
TEST(Data, RampToRampRunsAtOneWaveletACycle) {
  Grid g(1, 3);
  g.route(0, 0, 6, kRamp, 1 << kE);
  g.route(0, 1, 6, kW, 1 << kE);
  g.route(0, 2, 6, kW, 1 << kRamp);
  g.bind_out(0, 0, 2, 6);
  g.bind_in(0, 2, 4, 6);
  g.settle();
  std::vector<uint64_t> cycles;
  uint32_t next = 0, expect = 0;
  g.drive_node = [&](int, int c, Node& node) {
    auto& m = node.m();
    m.push_i = 0;
    m.inq_pop_i = 0;
    if (c == 0 && node.out_ready(2) && next < 1000) {
      m.push_i = 1;
      m.push_q_i = 2;
      m.push_data_i = next++;
    }
    if (c == 2 && node.in_valid(4)) {
      EXPECT_EQ(node.in_head(4), expect++);
      cycles.push_back(g.cycle());
      m.inq_pop_i = 1 << 4;
    }
  };
  g.run(1100);
  ASSERT_EQ(cycles.size(), 1000u);
  EXPECT_EQ(cycles.back() - cycles.front(), 999u);
  EXPECT_EQ(g.check_quiet(), "");
}

// A wavelet of a colour without an input queue is reported and waits. A queue that is bound takes
// it.
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
  // Bound to another colour: wavelets of the old one wait again.
  g.bind_in(0, 0, 5, 10);
  g.settle();
  EXPECT_FALSE(m.err_valid_o);
  g.edge(kW, 0).to_send = {{9, false, 8}};
  g.run(20);
  EXPECT_TRUE(m.err_valid_o);
  EXPECT_EQ(m.err_unit_o, 9);
}

// A push into a full queue, and the second of two in one cycle, are dropped and reported. The queue
// keeps what it holds.
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

// A queue is bound to another colour while all queues are cleared. Wavelets of its old colour wait
// in the router meanwhile. Whatever the cycle of clearing, only the words in the queue are lost.
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
    // Each wavelet is popped as it comes. So the queue holds at most one, and another has just
    // arrived.
    ASSERT_GE(got.size() + 2, kWavelets);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i], i < held ? i : i + kWavelets - got.size());
    }
  }
}

// A reader that has seen a wavelet may pop it one cycle after the queues were cleared. Such a pop
// takes nothing.
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

// A queue takes 8 wavelets, the buffers on the way 2 each, and nothing is lost when they are full.
TEST(Data, QueuesHoldEight) {
  Grid g(1, 1);
  g.route(0, 0, 1, kW, 1 << kRamp);
  g.bind_in(0, 0, 0, 1);
  g.settle();
  for (int i = 0; i < 20; ++i) g.edge(kW, 0).to_send.push_back({1, false, uint32_t(i)});
  g.run(60);
  EXPECT_EQ(g.edge(kW, 0).to_send.size(), 20u - 8 - 2);
  int expect = 0;
  g.drive_node = [&](int, int, Node& node) {
    node.m().inq_pop_i = node.in_valid(0);
    if (node.in_valid(0)) {
      EXPECT_EQ(node.in_head(0), uint64_t(expect++));
    }
  };
  g.run(60);
  EXPECT_EQ(expect, 20);
  EXPECT_EQ(g.check_quiet(), "");
}

// n backlogged flows towards one output get 1/n each, within 1 %.
TEST(Data, BackloggedFlowsShareAnOutputEqually) {
  for (int n = 2; n <= 9; ++n) {
    Grid g(1, 1);
    for (int k = 0; k < n; ++k) {
      const int in[3] = {kW, kN, kS};
      g.route(0, 0, 2 * k, in[k % 3], 1 << kE);
    }
    g.settle();
    const int cycles = 9000;
    for (int k = 0; k < n; ++k) {
      Edge& e = g.edge(k % 3 == 0 ? kW : k % 3 == 1 ? kN : kS, 0);
      for (int i = 0; i < cycles; ++i) e.to_send_by_colour[2 * k].push_back({2 * k, false, 0});
    }
    size_t first = g.edge(kE, 0).seen.size();
    g.run(cycles);
    std::map<int, int> count;
    int total = 0;
    for (size_t i = first; i < g.edge(kE, 0).seen.size(); ++i, ++total) {
      count[g.edge(kE, 0).seen[i].w.colour]++;
    }
    EXPECT_GE(total, cycles - 10);
    for (int k = 0; k < n; ++k) {
      EXPECT_NEAR(count[2 * k] * n / double(total), 1.0, 0.01) << "flow " << k << " of " << n;
    }
  }
}

TEST(Data, ABlockedColourDoesNotSlowAnother) {
  Grid g(1, 4);
  for (int c = 0; c < 4; ++c) {
    for (int k : {1, 2}) g.route(0, c, k, kW, 1 << kE);
  }
  g.settle();
  g.edge(kE, 0).accepts = [](int colour) { return colour != 1; };
  Edge& in = g.edge(kW, 0);
  for (int i = 0; i < 30; ++i) in.to_send_by_colour[1].push_back({1, false, uint32_t(i)});
  g.run(100);
  for (int i = 0; i < 500; ++i) in.to_send_by_colour[2].push_back({2, false, uint32_t(i)});
  g.run(520);
  auto seen = of_colour(g.edge(kE, 0), 2);
  ASSERT_EQ(seen.size(), 500u);
  EXPECT_EQ(seen.back().cycle - seen.front().cycle, 499u);
  EXPECT_EQ(of_colour(g.edge(kE, 0), 1).size(), 2u);
  g.edge(kE, 0).accepts = [](int) { return true; };
  g.run(100);
  EXPECT_EQ(of_colour(g.edge(kE, 0), 1).size(), 30u);
  EXPECT_EQ(g.check_quiet(), "");
}

// A blocked branch of a multicast: the other branch gets what the buffers hold, once, and the rest
// when the branch opens.
TEST(Data, AMulticastBranchGoesAheadAndNothingIsSentTwice) {
  Grid g(1, 2);
  g.route(0, 0, 9, kW, 1 << kE | 1 << kN | 1 << kS);
  g.route(0, 1, 9, kW, 1 << kE);
  g.settle();
  g.edge(kN, 0).accepts = [](int) { return false; };
  for (int i = 0; i < 20; ++i) g.edge(kW, 0).to_send.push_back({9, false, uint32_t(i)});
  g.run(80);
  EXPECT_EQ(of_colour(g.edge(kN, 0), 9).size(), 2u);
  EXPECT_EQ(of_colour(g.edge(kS, 0), 9).size(), 3u);
  g.edge(kN, 0).accepts = [](int) { return true; };
  g.run(80);
  for (Edge* e : {&g.edge(kN, 0), &g.edge(kS, 0), &g.edge(kE, 0)}) {
    auto seen = of_colour(*e, 9);
    ASSERT_EQ(seen.size(), 20u);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(seen[i].w.data, uint32_t(i));
  }
  EXPECT_EQ(g.check_quiet(), "");
}

// Wavelets that come before their route wait and follow it; those at a wrong port stop the colour.
TEST(Data, EarlyWaveletsWaitAndMisroutedOnesAreShown) {
  Grid g(1, 1);
  for (int i = 0; i < 6; ++i) g.edge(kW, 0).to_send_by_colour[4].push_back({4, false, uint32_t(i)});
  g.run(30);
  EXPECT_EQ(g.edge(kW, 0).credits(4), 0);
  EXPECT_EQ(g.read(0, 0, reg::RtOccupied::kAddress, 1)[0], 1u << 4);
  EXPECT_EQ(g.read(0, 0, reg::RtMisroute::kAddress, 1)[0], 0u);
  g.route(0, 0, 4, kW, 1 << kS);
  g.settle();
  ASSERT_EQ(of_colour(g.edge(kS, 0), 4).size(), 6u);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(of_colour(g.edge(kS, 0), 4)[i].w.data, uint32_t(i));
  EXPECT_EQ(g.check_quiet(), "");
  g.edge(kN, 0).to_send.push_back({4, false, 1});
  g.run(10);
  EXPECT_EQ(g.read(0, 0, reg::RtMisroute::kAddress, 1)[0], 1u << 4);
  g.edge(kW, 0).to_send.push_back({4, false, 1});
  g.run(20);
  EXPECT_EQ(of_colour(g.edge(kS, 0), 4).size(), 6u);
  // A route without an output discards.
  g.route(0, 0, 7, kE, 0);
  g.settle();
  for (int i = 0; i < 50; ++i) g.edge(kE, 0).to_send.push_back({7, false, 1});
  g.run(100);
  EXPECT_EQ(g.edge(kE, 0).credits(7), 2);
}

}  // namespace
}  // namespace ow::fabric
