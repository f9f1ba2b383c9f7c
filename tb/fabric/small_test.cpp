// SPDX-License-Identifier: Apache-2.0
// The rates of the small router: a hop, one colour, several; the control plane.
#include <gtest/gtest.h>

#include "seen.h"

namespace ow::fabric {
namespace {

TEST(Router, ThreeCyclesAHop) {
  Grid g(1, 9);
  for (int c = 0; c < 9; ++c) g.route(0, c, 3, kW, 1 << kE);
  g.settle();
  g.edge(kW, 0).log_sends = true;
  g.edge(kW, 0).to_send.push_back({3, false, 0x1234});
  g.run(60);
  const auto seen = of_colour(g.edge(kE, 0), 3);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].w.data, 0x1234u);
  EXPECT_EQ(seen[0].cycle - g.edge(kW, 0).sent_cycles.at(0), 27u);
  EXPECT_EQ(g.check_quiet(), "");
}

// n wavelets of each of `colours` colours through a row of four: cycles from the first to the last
// one.
uint64_t cycles(int colours, int n) {
  Grid g(1, 4);
  for (int c = 0; c < 4; ++c) {
    for (int k = 0; k < colours; ++k) g.route(0, c, k, kW, 1 << kE);
  }
  g.settle();
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < colours; ++k) g.edge(kW, 0).to_send_by_colour[k].push_back({k, false, 0});
  }
  g.run(uint64_t(3 * n * colours + 100));
  EXPECT_EQ(g.edge(kE, 0).seen.size(), size_t(n * colours));
  EXPECT_EQ(g.check_quiet(), "");
  return g.edge(kE, 0).seen.back().cycle - g.edge(kE, 0).seen.front().cycle;
}

TEST(Router, OneColourRunsAtTwoWaveletsInFiveCycles) {
  EXPECT_NEAR(double(cycles(1, 400)), 2.5 * 400, 4);
}

TEST(Router, SeveralColoursFillALink) { EXPECT_NEAR(double(cycles(3, 400)), 3 * 400, 4); }

// Two colours that cross each other: the router moves one of them per cycle.
TEST(Router, MovesOneColourACycle) {
  Grid g(1, 1);
  g.route(0, 0, 0, kW, 1 << kE);
  g.route(0, 0, 1, kN, 1 << kS);
  g.settle();
  for (int i = 0; i < 400; ++i) {
    g.edge(kW, 0).to_send.push_back({0, false, 0});
    g.edge(kN, 0).to_send.push_back({1, false, 0});
  }
  const uint64_t start = g.cycle();
  while (g.edge(kE, 0).seen.size() + g.edge(kS, 0).seen.size() < 800) {
    g.step();
    ASSERT_LT(g.cycle() - start, 2000u);
  }
  EXPECT_NEAR(double(g.cycle() - start), 800, 8);
  g.run(20);
  EXPECT_EQ(g.check_quiet(), "");
}

// Both networks of the control plane take 4 cycles per hop and carry 2 words in 7 cycles.
TEST(Router, TheControlPlaneTakesFourCyclesAHopAndRunsAtTwoWordsInSeven) {
  for (const int colour : {kReq, kRsp}) {
    Grid g(1, 9);
    const int n = 400;
    g.edge(kW, 0).log_sends = true;
    // Off the grid at the east edge.
    const uint32_t x = colour == kReq ? header(20, 20) : isa::PacketHeader::ToEdge::put(1);
    for (int i = 0; i < n; ++i)
      g.edge(kW, 0).to_send.push_back({colour, i == n - 1, i == 0 ? x : 7});
    g.run(5 * n);
    const auto seen = of_colour(g.edge(kE, 0), colour);
    ASSERT_EQ(int(seen.size()), n);
    EXPECT_EQ(seen.front().cycle - g.edge(kW, 0).sent_cycles.at(0), 36u);
    EXPECT_NEAR(double(seen.back().cycle - seen.front().cycle), 3.5 * n, 6);
  }
}

}  // namespace
}  // namespace ow::fabric
