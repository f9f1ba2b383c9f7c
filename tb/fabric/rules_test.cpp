// SPDX-License-Identifier: Apache-2.0
// Single rules of docs/fabric.md that no other test covers: wavelets that a new route takes along,
// when a filter judges, what switch registers read back, packets that lead nowhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "openwafer/error.h"
#include "switch_config.h"

namespace ow::fabric {
namespace {

// The head has gone to one of two outputs and waits for the other. With a new route it goes to all
// outputs of that route, even to one where it has already been.
TEST(Routes, WhatIsHeldFollowsANewRouteFromTheStart) {
  Grid g(1, 1);
  g.route(0, 0, 4, kW, out(kN) | out(kS));
  g.settle();
  g.edge(kN, 0).accepts = [](int) { return false; };
  for (uint32_t i = 0; i < 4; ++i) g.edge(kW, 0).to_send.push_back({4, false, i});
  g.run(60);
  ASSERT_EQ(words(g.edge(kN, 0), 4), (Words{0, 1}));
  ASSERT_EQ(words(g.edge(kS, 0), 4), (Words{0, 1, 2}));
  g.route(0, 0, 4, kW, out(kE) | out(kS));
  g.settle();
  EXPECT_EQ(words(g.edge(kN, 0), 4), (Words{0, 1}));
  EXPECT_EQ(words(g.edge(kS, 0), 4), (Words{0, 1, 2, 2, 3}));
  EXPECT_EQ(words(g.edge(kE, 0), 4), (Words{2, 3}));
}

// A router that holds two wavelets of the west for the north, which takes nothing.
void hold_two(Grid* g) {
  g->route(0, 0, 4, kW, out(kN));
  g->settle();
  g->edge(kN, 0).accepts = [](int) { return false; };
  for (uint32_t i = 0; i < 4; ++i) g->edge(kW, 0).to_send.push_back({4, false, i});
  g->run(60);
  ASSERT_EQ(words(g->edge(kN, 0), 4), (Words{0, 1}));
}

// A route without outputs discards what is held, and its credits are back at the west before the
// input moves.
TEST(Routes, TheInputMovesAfterARouteWithoutOutputs) {
  Grid g(1, 1);
  hold_two(&g);
  g.route(0, 0, 4, kW, 0);
  g.settle();
  g.route(0, 0, 4, kE, out(kS));
  g.settle();
  for (uint32_t i = 10; i < 14; ++i) g.edge(kE, 0).to_send.push_back({4, false, i});
  g.settle();
  EXPECT_EQ(words(g.edge(kS, 0), 4), (Words{10, 11, 12, 13}));
  g.route(0, 0, 4, kW, out(kS));
  g.settle();
  for (uint32_t i = 20; i < 24; ++i) g.edge(kW, 0).to_send.push_back({4, false, i});
  g.settle();
  EXPECT_EQ(words(g.edge(kS, 0), 4), (Words{10, 11, 12, 13, 20, 21, 22, 23}));
}

// A route from another port stops the colour. Two writes of the old one restart it, all credits as
// they were; a second write from the other port would send credits astray.
TEST(Routes, AColourThatWasStoppedGoesOnAtItsOldPort) {
  Grid g(1, 1);
  hold_two(&g);
  g.route(0, 0, 4, kE, out(kS));
  g.settle();
  g.route(0, 0, 4, kW, out(kS));
  g.settle();
  EXPECT_EQ(words(g.edge(kS, 0), 4), Words{});
  g.route(0, 0, 4, kW, out(kS));
  for (uint32_t i = 4; i < 9; ++i) g.edge(kW, 0).to_send.push_back({4, false, i});
  g.settle();
  EXPECT_EQ(words(g.edge(kS, 0), 4), (Words{2, 3, 4, 5, 6, 7, 8}));
}

TEST(Routes, ARestartThatSendsCreditsAstrayIsReported) {
  Grid g(1, 1);
  hold_two(&g);
  g.route(0, 0, 4, kE, out(kS));
  g.settle();
  std::string said;
  try {
    g.route(0, 0, 4, kE, out(kS));
    g.settle();
  } catch (const DeviceFault& e) {
    said = e.what();
  }
  EXPECT_NE(said.find("belong elsewhere"), std::string::npos) << said;
}

// Two wavelets at the port of a colour without a route fill its buffer; a third one breaks the
// rule.
TEST(Credits, AWaveletForAFullBufferIsReported) {
  Grid g(1, 1);
  Node& n = g.at(0, 0);
  int sent = 0;
  std::string said;
  try {
    for (; sent < 6; ++sent) {
      n.m().link_e_i = pack_wavelet({3, false, 0});
      n.clock(false);
    }
  } catch (const DeviceFault& e) {
    said = e.what();
  }
  EXPECT_NE(said.find("internal assertion ow_fabric_node.u_router."), std::string::npos) << said;
  EXPECT_NE(said.find("overran"), std::string::npos) << said;
  EXPECT_GE(sent, 2);
}

// A write has given its credits back when its word waits for the memory.
TEST(Credits, OfAWriteComeBackBeforeItIsInMemory) {
  Grid g(1, 1);
  bool refuses = true;
  g.drive_node = [&](int, int, Node& n) { n.m().mem_stall_i = refuses; };
  g.write(0, 0, 0, 0, 0x40, {0x1234});
  g.run(60);
  EXPECT_EQ(g.edge(kW, 0).credits(kReq), 2);
  EXPECT_NE(g.at(0, 0).memory(0x10), 0x1234u);
  refuses = false;
  EXPECT_EQ(g.read(0, 0, 0x40, 1)[0], 0x1234u);
}

// ROUTE reads the position that is in effect, SWITCH which one that is, and not the others.
TEST(Switch, RegistersReadBackThePositionInEffect) {
  Grid g(1, 1);
  Config k;
  k.ways = {way(kW, out(kE)), way(kN, out(kS)), way(kW, out(kN) | out(kS))};
  k.mode = 3;
  k.ring = true;
  for (int pos = 0; pos < 3; ++pos) {
    k.pos = pos;
    configure(&g, 0, 0, 7, k);
    const uint32_t route = g.read(0, 0, reg::Route::address(7), 1)[0];
    EXPECT_EQ(route, kObeys | reg::Route::Position::put(k.ways[pos]) | reg::Route::PopMode::put(3) |
                         reg::Route::Ring::put(1));
    EXPECT_EQ(g.read(0, 0, reg::Switch::address(7), 1)[0],
              reg::Switch::Last::put(2) | reg::Switch::Current::put(pos));
  }
}

// A new range applies to wavelets that come after its write, and not to those that the router
// already holds.
TEST(Filter, ARangeJudgesAWaveletAsItComesIn) {
  Grid g(1, 1);
  g.route(0, 0, 9, kW, out(kRamp));
  g.bind_in(0, 0, 1, 9);
  g.settle();
  constexpr uint32_t kHeld = 10;  // a queue and the router's buffer
  for (uint32_t i = 0; i < kHeld; ++i) g.edge(kW, 0).to_send.push_back({9, false, i << 16});
  g.run(100);
  ASSERT_TRUE(g.edge(kW, 0).to_send.empty());
  ASSERT_EQ(g.read(0, 0, reg::RtOccupied::kAddress, 1)[0], 1u << 9);
  Filter f;
  f.kind = kRange;
  f.low = 100;
  f.high = 101;
  set_filter(&g, 0, 0, 0, 9, f);
  g.settle();
  Words got;
  g.drive_node = [&](int, int, Node& n) {
    n.m().inq_pop_i = n.in_valid(1) ? 2 : 0;
    if (n.in_valid(1)) got.push_back(n.in_head(1) >> 16);
  };
  for (uint32_t i : {99u, 100u, 101u, 102u}) g.edge(kW, 0).to_send.push_back({9, false, i << 16});
  g.run(100);
  EXPECT_EQ(got, (Words{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 100, 101}));
}

// A colour whose wavelets are all dropped still takes every second slot of the ramp from another
// one.
TEST(Filter, AWaveletThatIsDroppedTakesTheRampsSlot) {
  Grid g(1, 1);
  g.route(0, 0, 1, kW, out(kRamp));
  g.route(0, 0, 2, kN, out(kRamp));
  for (int c : {1, 2}) g.bind_in(0, 0, c, c);
  Filter f;
  f.kind = kRange;
  f.low = f.high = 0xFFFF;
  set_filter(&g, 0, 0, 0, 1, f);
  g.settle();
  size_t got = 0;
  g.drive_node = [&](int, int, Node& n) {
    EXPECT_FALSE(n.in_valid(1));
    n.m().inq_pop_i = n.in_valid(2) ? 4 : 0;
    got += n.in_valid(2);
  };
  constexpr uint64_t kN2 = 400;
  for (uint64_t i = 0; i < 2 * kN2; ++i) g.edge(kW, 0).to_send.push_back({1, false, 0});
  for (uint64_t i = 0; i < kN2; ++i) g.edge(kN, 0).to_send.push_back({2, false, 0});
  const uint64_t start = g.cycle();
  while (got < kN2 && g.cycle() < start + 4 * kN2) g.step();
  EXPECT_NEAR(double(g.cycle() - start), 2.0 * kN2, 10);
}

// Requests with hops to a first column and none to a last one, or the same for rows, and a response
// that ends at a tile. No tile answers them, and packets after them are served.
TEST(Control, PacketsThatLeadNowhereAreSwallowed) {
  Grid g(2, 2);
  auto& q = g.edge(kW, 0).to_send;
  const uint32_t nowhere = header(2, 0), here = header(0, 0);
  for (const auto& [x, y] : {std::pair{nowhere, here}, {here, nowhere}, {header(1, 1), nowhere}}) {
    for (uint32_t d : {x, y, command(isa::PacketOp::Write, 1), 0x20u, 99u}) {
      q.push_back({kReq, d == 99u, d});
    }
  }
  g.request(0, 0, 0, 0, 0, {command(isa::PacketOp::Read, 1), 0, header(1, 1), here});
  g.settle();
  for (int r = 0; r < 2; ++r) {
    for (int c = 0; c < 2; ++c) EXPECT_NE(g.at(r, c).memory(8), 99u) << r << "," << c;
    for (int port : {kN, kE, kS, kW}) EXPECT_TRUE(g.edge(port, r).seen.empty()) << port;
  }
  g.write(1, 1, 1, 1, 0x20, {5});
  EXPECT_EQ(g.read(1, 1, 0x20, 1)[0], 5u);
  EXPECT_EQ(g.check_quiet(), "");
}

// A copy that would leave by the port at which its packet came is not made. Other copies are made.
TEST(Control, NoPacketTurnsBack) {
  Grid g(2, 2);
  constexpr uint32_t kBack = isa::PacketHeader::Negative::put(1);
  const auto from = [&](int port, const std::vector<uint32_t>& heads, uint32_t value) {
    auto& q = g.edge(port, 0).to_send;
    for (uint32_t h : heads) q.push_back({kReq, false, h});
    for (uint32_t d : {command(isa::PacketOp::Write, 1), 0x20u, value}) {
      q.push_back({kReq, d == value, d});
    }
    g.settle();
  };
  // Alone, and as one of two copies, of which the other one turns into the column here.
  from(kW, {header(1, 1) | kBack, header(0, 0)}, 90);
  from(kN, {header(1, 1) | kBack}, 91);
  for (int r = 0; r < 2; ++r) EXPECT_LT(g.at(r, 0).memory(8), 90u) << r;
  from(kW, {header(0, 1) | kBack, header(0, 0)}, 92);
  EXPECT_EQ(g.at(0, 0).memory(8), 92u);
  from(kN, {header(0, 1) | kBack}, 93);
  EXPECT_EQ(g.at(0, 0).memory(8), 93u);
  for (int port : {kN, kE, kS, kW}) EXPECT_TRUE(g.edge(port, 0).seen.empty()) << port;
  EXPECT_EQ(g.check_quiet(), "");
}

// A request of one word comes from the host at any side; from the north or the south only its hops
// along the column count.
TEST(Control, TheHostSendsRequestsOfOneWordToo) {
  Grid g(3, 3);
  std::vector<std::pair<int, uint32_t>> got;
  g.drive_node = [&](int r, int c, Node& n) {
    if (n.m().got_o) got.emplace_back(3 * r + c, isa::PacketBrief::Task::get(n.m().got_data_o));
  };
  g.edge(kW, 1).to_send.push_back({kReq, true, one_word(1, 2, 3)});
  g.edge(kE, 0).to_send.push_back({kReq, true, one_word(0, -1, 4)});
  g.edge(kN, 1).to_send.push_back({kReq, true, one_word(2, 1, 5)});
  g.edge(kS, 2).to_send.push_back({kReq, true, one_word(-1, -2, 6)});
  g.settle();
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, (std::vector<std::pair<int, uint32_t>>{{1, 4}, {5, 6}, {7, 5}, {8, 3}}));
}

// A write whose range ends beyond the memory, or beyond the registers, writes nothing.
TEST(Control, ARangeThatIsNotWhollyThereIsNotWritten) {
  Grid g(1, 1);
  constexpr uint32_t kLast = 0x7FFC;
  const uint32_t before = g.at(0, 0).memory(kLast / 4);
  g.write(0, 0, 0, 0, kLast, {before + 1, 2});
  g.write(0, 0, 0, 0, kLast - 2, {before + 1});
  g.bind_in(0, 0, 3, 7);
  g.write(0, 0, 0, 0, reg::Inq::address(3),
          std::vector<uint32_t>(reg::kBytes / 4, reg::Inq::Enable::put(1)));
  g.write(0, 0, 0, 0, reg::Inq::address(3) + 1, {0});
  g.settle();
  EXPECT_EQ(g.at(0, 0).memory(kLast / 4), before);
  EXPECT_EQ(g.read(0, 0, reg::Inq::address(3), 1)[0],
            reg::Inq::Enable::put(1) | reg::Inq::Colour::put(7));
  g.write(0, 0, 0, 0, kLast, {before + 1});
  g.settle();
  EXPECT_EQ(g.at(0, 0).memory(kLast / 4), before + 1);
}

}  // namespace
}  // namespace ow::fabric
