// SPDX-License-Identifier: Apache-2.0
// Cycles of the full router, in addition to fabric_test.cpp: a link in both directions, the order
// of arbitration, a colour that moves beside another one, the control plane.
#include <gtest/gtest.h>

#include <utility>

#include "seen.h"

namespace ow::fabric {
namespace {

namespace reg = ow::isa::reg;

// A link carries a wavelet in each cycle in both directions at once, each with a credit for the
// other direction.
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

// If several wavelets arrive in one cycle and the output is free, the one from the lowest port
// goes.
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

// Both networks take one cycle per hop and carry one word per cycle. The request port takes one
// more cycle after the hops.
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

// While both networks want an output they take turns.
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

}  // namespace
}  // namespace ow::fabric
