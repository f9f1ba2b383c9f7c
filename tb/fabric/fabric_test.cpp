// SPDX-License-Identifier: Apache-2.0
// The fabric and its ramps: latency, throughput, fairness, isolation of colours. The control plane:
// control_test.cpp; random traffic: random_test.cpp.
#include <gtest/gtest.h>

#include <map>
#include <utility>

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

// Ramp to ramp at one wavelet a cycle through queues of 8.
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

// Both ways at once a link carries a wavelet in each cycle, and beside it a credit for what goes
// the other way.
TEST(Data, ALinkCarriesAWaveletAndACreditEachWayInEveryCycle) {
  Grid g(1, 3);
  const int n = 500;
  for (int c = 0; c < 3; ++c) {
    g.route(0, c, 0, kW, 1 << kE);
    g.route(0, c, 1, kE, 1 << kW);
  }
  g.settle();
  for (int i = 0; i < n; ++i) {
    g.edge(kW, 0).to_send.push_back({0, false, uint32_t(i)});
    g.edge(kE, 0).to_send.push_back({1, false, uint32_t(i)});
  }
  g.run(n + 30);
  for (const auto& [e, colour] : {std::pair{&g.edge(kE, 0), 0}, {&g.edge(kW, 0), 1}}) {
    const auto seen = of_colour(*e, colour);
    ASSERT_EQ(int(seen.size()), n) << colour;
    EXPECT_EQ(seen.back().cycle - seen.front().cycle, uint64_t(n - 1)) << colour;
  }
  EXPECT_EQ(g.check_quiet(), "");
}

// Of what comes in one cycle and finds the output free, that from the first port goes.
TEST(Data, OfWhatComesTogetherTheFirstPortGoesFirst) {
  Grid g(1, 1);
  const int ports[] = {kN, kE, kW};
  for (int first = 0; first < 3; ++first) {
    // Later ports have lower colours, so that it is not the colour that decides.
    for (int k = first; k < 3; ++k) g.route(0, 0, 9 - k, ports[k], 1 << kS);
    g.settle();
    const size_t before = g.edge(kS, 0).seen.size();
    for (int k = first; k < 3; ++k) g.edge(ports[k], 0).to_send.push_back({9 - k, false, 0});
    g.run(20);
    ASSERT_EQ(g.edge(kS, 0).seen.size(), before + 3 - first);
    EXPECT_EQ(g.edge(kS, 0).seen[before].w.colour, 9 - first);
    EXPECT_EQ(g.edge(kS, 0).seen.back().cycle, g.edge(kS, 0).seen[before].cycle + 2 - first);
  }
}

// A colour that moves its switch with every other wavelet, through the same router and over the
// same link's other direction, takes no slot from one at full rate.
TEST(Data, TheSwitchOfAColourCostsAnotherNothing) {
  Grid g(1, 2);
  const int n = 600;
  for (int c = 0; c < 2; ++c) {
    g.route(0, c, 1, kW, 1 << kE);
    g.write_reg(
        0, c, reg::Switch::address(2),
        reg::Switch::Position1::put(way(kE, 1 << kW | 1 << kN)) | reg::Switch::Last::put(1));
    g.write_reg(0, c, reg::Route::address(2),
                reg::Route::Enable::put(1) | reg::Route::Obey::put(1) | reg::Route::Ring::put(1) |
                    reg::Route::Position::put(way(kE, 1 << kW)));
  }
  g.settle();
  const uint32_t advance = isa::Control::Commands::put(0, isa::SwitchOp::Advance);
  for (int i = 0; i < n; ++i) {
    g.edge(kW, 0).to_send.push_back({1, false, 0});
    g.edge(kE, 0).to_send.push_back({2, i % 2 == 0, i % 2 == 0 ? advance : 0});
  }
  g.run(n + 20);
  const auto seen = of_colour(g.edge(kE, 0), 1);
  ASSERT_EQ(int(seen.size()), n);
  EXPECT_EQ(seen.back().cycle - seen.front().cycle, uint64_t(n - 1));
  EXPECT_GT(of_colour(g.edge(kN, 1), 2).size(), 50u) << "the switch has not moved";
}

// Both networks: a cycle a hop, a word a cycle; and the request port a cycle behind the hops.
TEST(Data, TheControlPlaneTakesACycleAHopAndAWordACycle) {
  for (const int colour : {kReq, kRsp}) {
    Grid g(1, 9);
    const int n = 200;
    g.edge(kW, 0).log_sends = true;
    // Off the grid at the east edge.
    const uint32_t x = colour == kReq ? header(20, 20) : isa::PacketHeader::ToEdge::put(1);
    for (int i = 0; i < n; ++i)
      g.edge(kW, 0).to_send.push_back({colour, i == n - 1, i == 0 ? x : 7});
    g.run(n + 40);
    const auto seen = of_colour(g.edge(kE, 0), colour);
    ASSERT_EQ(int(seen.size()), n);
    EXPECT_EQ(seen.front().cycle - g.edge(kW, 0).sent_cycles.at(0), 9u);
    EXPECT_EQ(seen.back().cycle - seen.front().cycle, uint64_t(n - 1));
  }
  Grid g(1, 9);
  uint64_t asked = 0, got = 0;
  g.drive_node = [&](int, int c, Node& n) {
    n.m().ask_valid_i = c == 0 && asked == 0;
    n.m().ask_i = one_word(0, 8, 3);
    if (n.m().ask_valid_i) asked = g.cycle();
    if (n.m().got_o == 0) return;
    got = g.cycle();
    EXPECT_EQ(c, 8);
  };
  g.run(40);
  EXPECT_EQ(got - asked, 8u + 1);
}

// While both networks want an output they take it by turns.
TEST(Data, RequestsAndResponsesTakeTurns) {
  Grid g(1, 2);
  const int n = 200;
  auto& q = g.edge(kW, 0).to_send;
  g.request(0, 0, 0, 0, 0,
            {command(isa::PacketOp::Read, n), 0, isa::PacketHeader::ToEdge::put(1), header(0, 0)});
  for (int i = 0; i < n; ++i) q.push_back({kReq, i == n - 1, i == 0 ? header(20, 20) : 7});
  g.run(3 * n);
  const auto& seen = g.edge(kE, 0).seen;
  ASSERT_EQ(of_colour(g.edge(kE, 0), kReq).size(), size_t(n));
  ASSERT_EQ(of_colour(g.edge(kE, 0), kRsp).size(), size_t(n + 3));
  int turns = 0;
  for (size_t i = 20; i < size_t(n); ++i) turns += seen[i].w.colour != seen[i - 1].w.colour;
  EXPECT_EQ(turns, n - 20);
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
