// SPDX-License-Identifier: Apache-2.0
// The fabric: latency, throughput, fairness, isolation of colours, the control plane, and random
// traffic with back-pressure against a scoreboard.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "ow/harness/fabric/node_grid.h"

namespace ow::fabric {
namespace {

namespace reg = ow::isa::reg;

std::vector<Seen> of_colour(const Edge& e, int colour) {
  std::vector<Seen> v;
  for (auto& s : e.seen) {
    if (s.w.colour == colour) v.push_back(s);
  }
  return v;
}

TEST(Control, WritesAndReadsOneTile) {
  Grid g(2, 3);
  g.write(1, 1, 2, 2, 0x40, {1, 2, 3, 0xDEADBEEF});
  int status = -1;
  EXPECT_EQ(g.read(1, 2, 0x40, 4, &status), (std::vector<uint32_t>{1, 2, 3, 0xDEADBEEF}));
  EXPECT_EQ(status, 0);
  g.route(0, 1, 5, kW, 1 << kE);
  EXPECT_EQ(g.read(0, 1, reg::Route::address(5), 1)[0],
            reg::Route::Enable::put(1) | reg::Route::Position::put(way(kW, 1 << kE)));
  g.bind_in(1, 0, 3, 7);
  EXPECT_EQ(g.read(1, 0, reg::Inq::address(3), 1)[0],
            reg::Inq::Enable::put(1) | reg::Inq::Colour::put(7));
  EXPECT_EQ(g.check_quiet(), "");
}

TEST(Control, RectangleReachesItsTilesAndNoOther) {
  Grid g(4, 5);
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 5; ++c) g.write(r, r, c, c, 0x100, {0xFFFFFFFF, 0xFFFFFFFF});
  }
  g.write(1, 2, 1, 3, 0x100, {11, 12});
  g.settle();
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 5; ++c) {
      bool in = r >= 1 && r <= 2 && c >= 1 && c <= 3;
      EXPECT_EQ(g.at(r, c).memory(0x40), in ? 11u : 0xFFFFFFFFu) << r << "," << c;
      EXPECT_EQ(g.at(r, c).memory(0x41), in ? 12u : 0xFFFFFFFFu) << r << "," << c;
    }
  }
  EXPECT_EQ(g.check_quiet(), "");
}

TEST(Control, ResponseLeavesAtTheEdgeThatItsHeadersName) {
  Grid g(3, 3);
  g.write(1, 1, 1, 1, 0, {77});
  // One column east, then north to the edge.
  g.request(0, 1, 1, 1, 1, {command(isa::PacketOp::Read, 1, 1), 0, header(1, 1), kToWestEdge});
  g.settle();
  auto seen = of_colour(g.edge(kN, 2), kRsp);
  ASSERT_EQ(seen.size(), 3u);  // Y header, status, data
  EXPECT_EQ(seen[0].w.data, kToWestEdge);
  EXPECT_EQ(seen[1].w.data, 0x00010001u);
  EXPECT_EQ(seen[2].w.data, 77u);
  EXPECT_TRUE(seen[2].w.ctrl);
  EXPECT_EQ(g.check_quiet(), "");
}

TEST(Control, FromTheNorthEdgeAPacketBeginsWithItsYHeader) {
  Grid g(3, 2);
  auto& q = g.edge(kN, 1).to_send;
  for (uint32_t d : {header(1, 2), command(isa::PacketOp::Write, 1), 0x20u, 99u})
    q.push_back({kReq, d == 99u, d});
  g.settle();
  EXPECT_NE(g.at(0, 1).memory(8), 99u);
  EXPECT_EQ(g.at(1, 1).memory(8), 99u);
  EXPECT_EQ(g.at(2, 1).memory(8), 99u);
  EXPECT_NE(g.at(1, 0).memory(8), 99u);
  EXPECT_EQ(g.check_quiet(), "");
}

TEST(Control, BadPacketsAreSwallowedAndReadsAnswered) {
  Grid g(1, 2);
  int status = 0;
  EXPECT_TRUE(g.read(0, 1, 0x8000, 1, &status).empty());  // beyond the SRAM
  EXPECT_EQ(status, 1);
  EXPECT_TRUE(g.read(0, 1, 0x7FFC, 2, &status).empty());  // over its end
  EXPECT_EQ(status, 1);
  EXPECT_TRUE(g.read(0, 1, 0x2, 1, &status).empty());
  EXPECT_EQ(status, 1);
  EXPECT_TRUE(g.read(0, 1, reg::kBase + reg::kBytes, 1, &status).empty());
  EXPECT_EQ(status, 1);
  EXPECT_TRUE(g.read(0, 1, 0x10000000, 1, &status).empty());
  EXPECT_EQ(status, 1);
  EXPECT_TRUE(g.read(0, 1, 0, 0, &status).empty());
  EXPECT_EQ(status, 2);
  EXPECT_EQ(g.read(0, 1, 0x7FFC, 1, &status).size(), 1u);
  EXPECT_EQ(status, 0);
  // A read with words too many is answered as malformed.
  size_t before = g.edge(kW, 0).seen.size();
  g.request(0, 0, 0, 1, 1, {command(isa::PacketOp::Read, 1, 0x77), 0, kToWestEdge, 0, 5, 6});
  g.settle();
  ASSERT_EQ(g.edge(kW, 0).seen.size(), before + 3);
  EXPECT_EQ(g.edge(kW, 0).seen.back().w.data, 0x20770000u);
  // Cut short, unknown, too long, nothing at all: no answer, and the next packet is served.
  before = g.edge(kW, 0).seen.size();
  g.request(0, 0, 0, 1, 1, {command(isa::PacketOp::Read, 1)});
  g.request(0, 0, 0, 1, 1, {command(isa::PacketOp::Read, 1), 0});
  g.request(0, 0, 0, 1, 1, {command(isa::PacketOp::Read, 1), 0, kToWestEdge});
  g.request(0, 0, 0, 1, 1, {command(isa::PacketOp::Write, 1), 0});
  g.request(0, 0, 0, 1, 1, {command(static_cast<isa::PacketOp>(7), 1), 0, 1, 2, 3, 4});
  g.request(0, 0, 0, 1, 1, {command(isa::PacketOp::Write, 1), 0x30, 1, 2, 3, 4});
  g.request(0, 0, 0, 1, 1, {command(isa::PacketOp::Write, 8), 0x50, 1, 2});
  g.request(0, 0, 0, 1, 1, {command(isa::PacketOp::Write, 1), 0x123456, 1, 2});
  g.request(0, 0, 0, 1, 1, {});  // two headers without a tail: takes the next packet's words
  auto& q = g.edge(kW, 0).to_send;
  q.back().ctrl = true;
  q.push_back({kReq, true, 0});  // a lone X header
  g.settle();
  EXPECT_EQ(g.edge(kW, 0).seen.size(), before);
  EXPECT_EQ(g.at(0, 1).memory(0x30 / 4), 1u);
  EXPECT_EQ(g.at(0, 1).memory(0x34 / 4), 0u);
  EXPECT_EQ(g.at(0, 1).memory(0x54 / 4), 2u);
  g.write(0, 0, 0, 1, 0x60, {42});
  EXPECT_EQ(g.read(0, 1, 0x60, 1)[0], 42u);
  EXPECT_EQ(g.check_quiet(), "");
}

// Several unicast injectors at once: packets that meet on a link or at a tile do not mix.
TEST(Control, PacketsFromSeveralEdgesDoNotMix) {
  Grid g(3, 3);
  std::mt19937 rng(5);
  struct Injector {
    int port, index;
    uint32_t base;
    bool x_header;
    uint32_t x, y;
  };
  const uint32_t west = header(0, 0, true), north = west;
  const uint32_t one = header(1, 1);
  const Injector injectors[] = {
      {kW, 0, 0x1000, true, one, one},         {kW, 1, 0x2000, true, one, 0},
      {kW, 2, 0x3000, true, one, north | one}, {kE, 0, 0x4000, true, west | one, one},
      {kE, 1, 0x5000, true, west | one, 0},    {kN, 1, 0x6000, false, 0, one},
      {kS, 1, 0x7000, false, 0, north | one}};
  std::map<uint32_t, uint32_t> want;
  for (auto& in : injectors) {
    auto& q = g.edge(in.port, in.index).to_send;
    for (uint32_t k = 0; k < 8; ++k) {
      if (in.x_header) q.push_back({kReq, false, in.x});
      q.push_back({kReq, false, in.y});
      q.push_back({kReq, false, command(isa::PacketOp::Write, 16)});
      q.push_back({kReq, false, in.base + 64 * k});
      for (uint32_t i = 0; i < 16; ++i) {
        uint32_t word = uint32_t(rng());
        want[(in.base + 64 * k) / 4 + i] = word;
        q.push_back({kReq, i == 15, word});
      }
    }
  }
  g.settle();
  for (auto& [a, word] : want) ASSERT_EQ(g.at(1, 1).memory(a), word) << "word " << a;
  EXPECT_EQ(g.check_quiet(), "");
}

// 4,096 words, into one tile and into a rectangle of 16: at most 1.25 cycles a word and the way.
TEST(Control, LoadCostsAtMostFiveQuartersOfACycleAWord) {
  for (bool all : {false, true}) {
    Grid g(4, 4);
    std::vector<uint32_t> data(4096);
    for (size_t i = 0; i < data.size(); ++i) data[i] = uint32_t(i * 2654435761u);
    g.write(all ? 0 : 3, 3, all ? 0 : 3, 3, 0, data);
    uint64_t start = g.cycle();
    while (g.at(3, 3).memory(4095) != data.back()) {
      g.step();
      ASSERT_LT(g.cycle(), 20000u);
    }
    uint64_t cycles = g.cycle() - start;
    RecordProperty(all ? "cycles_16_tiles" : "cycles_1_tile", int(cycles));
    std::printf("4096 words into %d tiles: %d cycles, %.4f a word\n", all ? 16 : 1, int(cycles),
                cycles / 4096.0);
    EXPECT_LE(cycles, 4096 * 5 / 4 + 2 * 8 + 8u);
    g.settle();
    for (int i = 0; i < 4096; i += 97) {
      EXPECT_EQ(g.at(3, 3).memory(i), data[i]);
      if (all) {
        EXPECT_EQ(g.at(0, 0).memory(i), data[i]);
      }
    }
    // Reading streams at a word a cycle too.
    start = g.cycle();
    auto back = g.read(3, 3, 0, 4096);
    EXPECT_EQ(back, data);
    std::printf("read back: %d cycles\n", int(g.cycle() - start));
    EXPECT_LE(g.cycle() - start, 4096 * 5 / 4 + 40u);
    EXPECT_EQ(g.check_quiet(), "");
  }
}

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

// Full data load on every output: requests and responses keep at least a quarter of each link.
TEST(Control, KeepsAQuarterOfEveryLinkUnderFullDataLoad) {
  Grid g(1, 4);
  for (int c = 0; c < 4; ++c) {
    g.route(0, c, 0, kW, 1 << kE);
    g.route(0, c, 1, kW, 1 << kE);
    g.route(0, c, 2, kE, 1 << kW);
  }
  g.settle();
  for (int i = 0; i < 12000; ++i) {
    g.edge(kW, 0).to_send_by_colour[i % 2].push_back({i % 2, false, 0});
    g.edge(kE, 0).to_send_by_colour[2].push_back({2, false, 0});
  }
  // The packet shares the edge's link with the data.
  std::vector<uint32_t> data(1000, 7);
  data.back() = 0x77777777;
  g.run(50);
  g.write(0, 0, 3, 3, 0, data);
  auto words = g.edge(kW, 0).to_send;
  g.edge(kW, 0).to_send.clear();
  for (auto& w : words) g.edge(kW, 0).to_send_by_colour[kReq].push_back(w);
  uint64_t start = g.cycle();
  while (g.at(0, 3).memory(999) != 0x77777777) {
    g.step();
    ASSERT_LT(g.cycle() - start, 8000u);
  }
  std::printf("1000 words against full data load: %d cycles\n", int(g.cycle() - start));
  EXPECT_LE(g.cycle() - start, 4 * 1010u);
  // Responses against data in the other direction.
  start = g.cycle();
  g.request(0, 0, 0, 3, 3, {command(isa::PacketOp::Read, 1000), 0, kToWestEdge, 0});
  words = g.edge(kW, 0).to_send;
  g.edge(kW, 0).to_send.clear();
  for (auto& w : words) g.edge(kW, 0).to_send_by_colour[kReq].push_back(w);
  while (of_colour(g.edge(kW, 0), kRsp).size() < 1003) {
    g.step();
    ASSERT_LT(g.cycle() - start, 8000u);
  }
  std::printf("1000 words back against full data load: %d cycles\n", int(g.cycle() - start));
  EXPECT_LE(g.cycle() - start, 4 * 1020u);
  for (int k = 0; k < 3; ++k) g.edge(kW, 0).to_send_by_colour[k].clear();
  g.edge(kE, 0).to_send_by_colour[2].clear();
  g.run(100);
  EXPECT_EQ(g.check_quiet(), "");
}

// ---------------------------------------------------------------------------------- random traffic

struct Flow {
  int colour;
  int src_port, src_index;                 // an edge, or
  int src_r = -1, src_c = -1, src_q = -1;  // an output queue
  std::vector<Wavelet> words;
  size_t pushed = 0;
  std::vector<std::array<int, 3>> ramps;   // r, c, queue
  std::vector<std::pair<int, int>> edges;  // port, index
};

// Random trees for all colours on a grid; every wavelet must come out once at each leaf, in order.
std::vector<uint64_t> random_run(uint32_t seed, int rows, int cols, bool skip, bool control) {
  std::mt19937 rng(seed);
  auto pick = [&](int n) { return int(rng() % n); };
  Grid g(rows, cols);
  g.skip = skip;
  const int dr[4] = {-1, 0, 1, 0}, dc[4] = {0, 1, 0, -1};
  std::vector<Flow> flows;
  std::vector<int> in_used(rows * cols), out_used(rows * cols);
  for (int colour = 0; colour < 24; ++colour) {
    Flow f;
    f.colour = colour;
    int r = pick(rows), c = pick(cols), in = kRamp;
    if (pick(2) || out_used[r * cols + c] == 8) {
      in = pick(4);
      if (in == kN) r = 0;
      if (in == kS) r = rows - 1;
      if (in == kW) c = 0;
      if (in == kE) c = cols - 1;
      f.src_port = in;
      f.src_index = (in == kN || in == kS) ? c : r;
    } else {
      f.src_r = r;
      f.src_c = c;
      f.src_q = out_used[r * cols + c]++;
      g.bind_out(r, c, f.src_q, colour);
    }
    std::vector<int> route(rows * cols, -1);  // input port
    std::vector<int> mask(rows * cols, 0);
    std::vector<std::pair<int, int>> frontier = {{r, c}};
    route[r * cols + c] = in;
    while (!frontier.empty()) {
      size_t k = pick(int(frontier.size()));
      auto [tr, tc] = frontier[k];
      frontier.erase(frontier.begin() + k);
      int t = tr * cols + tc;
      for (int p = 0; p < 4; ++p) {
        if (p == route[t] || pick(100) >= 45) continue;
        int nr = tr + dr[p], nc = tc + dc[p];
        if (nr < 0 || nc < 0 || nr >= rows || nc >= cols) {
          if (tr == r && tc == c && p == in) continue;
          mask[t] |= 1 << p;
          f.edges.push_back({p, (p == kN || p == kS) ? tc : tr});
        } else if (route[nr * cols + nc] < 0) {
          mask[t] |= 1 << p;
          route[nr * cols + nc] = (p + 2) % 4;
          frontier.push_back({nr, nc});
        }
      }
      if ((pick(2) || mask[t] == 0) && in_used[t] < 8 && route[t] != kRamp) {
        mask[t] |= 1 << kRamp;
        f.ramps.push_back({tr, tc, in_used[t]});
        g.bind_in(tr, tc, in_used[t]++, colour);
      }
      g.route(tr, tc, colour, route[t], mask[t]);
    }
    int n = 20 + pick(150);
    for (int i = 0; i < n; ++i) f.words.push_back({colour, pick(5) == 0, uint32_t(rng())});
    flows.push_back(f);
  }
  g.settle();
  for (int p = 0; p < 4; ++p) {
    for (int i = 0; i < ((p == kN || p == kS) ? cols : rows); ++i) {
      int rate = 20 + pick(81);
      g.edge(p, i).accepts = [rate, &rng](int c) { return c >= kReq || int(rng() % 100) < rate; };
    }
  }
  std::vector<std::vector<uint64_t>> got(rows * cols * 8);
  std::vector<int> pop_rate(rows * cols * 8), push_rate(rows * cols);
  for (auto& x : pop_rate) x = 5 + pick(96);
  for (auto& x : push_rate) x = 20 + pick(81);
  std::vector<uint64_t> trace;
  for (auto& f : flows) {
    if (f.src_r < 0) {
      auto& q = g.edge(f.src_port, f.src_index).to_send_by_colour[f.colour];
      q.insert(q.end(), f.words.begin(), f.words.end());
    }
  }
  g.drive_node = [&](int r, int c, Node& node) {
    auto& m = node.m();
    int t = r * cols + c;
    m.push_i = 0;
    m.inq_pop_i = 0;
    int start = int(rng() % flows.size());
    bool push_now = int(rng() % 100) < push_rate[t];
    for (size_t k = 0; k < flows.size() && push_now; ++k) {
      Flow& f = flows[(start + k) % flows.size()];
      if (f.src_r != r || f.src_c != c || f.pushed == f.words.size()) continue;
      if (!node.out_ready(f.src_q)) continue;
      auto& w = f.words[f.pushed++];
      m.push_i = 1;
      m.push_q_i = f.src_q;
      m.push_data_i = uint64_t(w.ctrl) << 32 | w.data;
      break;
    }
    for (int q = 0; q < 8; ++q) {
      bool now = int(rng() % 100) < pop_rate[t * 8 + q];
      if (!now || !node.in_valid(q)) continue;
      uint64_t w = node.in_head(q);
      got[t * 8 + q].push_back(w);
      trace.push_back(g.cycle() << 40 ^ uint64_t(t * 8 + q) << 33 ^ w);
      m.inq_pop_i |= 1 << q;
    }
  };
  // The control plane at the same time: writes to memory, each read back.
  int served = 0;
  std::vector<size_t> done(rows);  // per row: how much of what the west edge saw is read
  std::map<std::pair<int, uint32_t>, uint32_t> shadow;
  auto& w0 = g.edge(kW, 0);
  std::map<int, std::vector<uint32_t>> open;
  int tag = 0;
  for (int cycle = 0; cycle < 9000; ++cycle) {
    if (control && cycle < 4000 && w0.to_send_by_colour[kReq].empty() && open.size() < 8) {
      auto packet = [&](int r0, int r1, int c0, int c1, std::vector<uint32_t> words) {
        auto& q = w0.to_send_by_colour[kReq];
        q.push_back({kReq, false, header(c0, c1)});
        q.push_back({kReq, false, header(r0, r1)});
        for (size_t i = 0; i < words.size(); ++i) {
          q.push_back({kReq, i + 1 == words.size(), words[i]});
        }
      };
      int r0 = pick(rows), c0 = pick(cols);
      if (pick(2)) {
        int r1 = r0 + pick(rows - r0), c1 = c0 + pick(cols - c0), n = 1 + pick(12);
        uint32_t a = uint32_t(pick(50));
        std::vector<uint32_t> words = {command(isa::PacketOp::Write, n), a * 4};
        for (int i = 0; i < n; ++i) {
          words.push_back(uint32_t(rng()));
          for (int r = r0; r <= r1; ++r) {
            for (int c = c0; c <= c1; ++c) shadow[{r * cols + c, a + i}] = words.back();
          }
        }
        packet(r0, r1, c0, c1, words);
      } else {
        int n = 1 + pick(12);
        uint32_t a = uint32_t(pick(50));
        std::vector<uint32_t> want;
        for (int i = 0; i < n; ++i) want.push_back(shadow[{r0 * cols + c0, a + i}]);
        // The response goes west along its row and leaves there.
        packet(r0, r0, c0, c0, {command(isa::PacketOp::Read, n, tag), a * 4, kToWestEdge, 0});
        open[tag] = want;
        tag = (tag + 1) % 256;
      }
    }
    g.step();
    for (int r = 0; r < rows && control; ++r) {
      // One response at a time per edge: they come whole, in the order of their tiles.
      auto& seen = g.edge(kW, r).seen;
      size_t& at = done[r];
      std::vector<uint32_t> words;
      for (size_t k = at; k < seen.size(); ++k) {
        if (seen[k].w.colour != kRsp) continue;
        words.push_back(seen[k].w.data);
        if (seen[k].w.ctrl) {
          int id = int(isa::PacketResponse::Tag::get(words[2]));
          auto it = open.find(id);
          EXPECT_NE(it, open.end());
          if (it != open.end()) {
            EXPECT_EQ(std::vector<uint32_t>(words.begin() + 3, words.end()), it->second);
            open.erase(it);
            ++served;
          }
          trace.push_back(g.cycle() << 40 ^ uint64_t(id));
          at = k + 1;
          words.clear();
        }
      }
    }
  }
  if (control) {
    EXPECT_GT(served, 50);
    EXPECT_TRUE(open.empty());
  }
  for (auto& f : flows) {
    for (auto& [r, c, q] : f.ramps) {
      auto& v = got[(r * cols + c) * 8 + q];
      EXPECT_EQ(v.size(), f.words.size()) << "seed " << seed << " colour " << f.colour;
      for (size_t i = 0; i < std::min(v.size(), f.words.size()); ++i) {
        if (v[i] != (uint64_t(f.words[i].ctrl) << 32 | f.words[i].data)) {
          ADD_FAILURE() << "seed " << seed << " colour " << f.colour << " differs at " << i;
          break;
        }
      }
    }
    for (auto& [p, i] : f.edges) {
      auto v = of_colour(g.edge(p, i), f.colour);
      EXPECT_EQ(v.size(), f.words.size()) << "seed " << seed << " colour " << f.colour;
      for (size_t k = 0; k < std::min(v.size(), f.words.size()); ++k) {
        trace.push_back(v[k].cycle << 40 ^ v[k].w.data);
        if (v[k].w.data != f.words[k].data || v[k].w.ctrl != f.words[k].ctrl) {
          ADD_FAILURE() << "seed " << seed << " colour " << f.colour << " differs at " << k;
          break;
        }
      }
    }
  }
  g.drive_node = nullptr;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      g.at(r, c).m().push_i = 0;
      g.at(r, c).m().inq_pop_i = 0;
    }
  }
  for (int p = 0; p < 4; ++p) {
    for (int i = 0; i < ((p == kN || p == kS) ? cols : rows); ++i) {
      g.edge(p, i).accepts = [](int) { return true; };
    }
  }
  g.run(100);
  EXPECT_EQ(g.check_quiet(), "") << "seed " << seed;
  return trace;
}

TEST(Random, NothingIsLostDuplicatedOrReordered) {
  for (uint32_t seed = 1; seed <= 6; ++seed) random_run(seed, 3, 4, false, false);
}

TEST(Random, TheControlPlaneWorksBesideTheTraffic) {
  for (uint32_t seed = 101; seed <= 104; ++seed) random_run(seed, 4, 3, false, true);
}

TEST(Random, SkippingIdleNodesChangesNothing) {
  for (uint32_t seed = 201; seed <= 202; ++seed) {
    EXPECT_EQ(random_run(seed, 3, 3, false, true), random_run(seed, 3, 3, true, true));
  }
}

}  // namespace
}  // namespace ow::fabric
