// SPDX-License-Identifier: Apache-2.0
// The control plane: writes and reads of tiles and rectangles, bad packets, its rate, and its share
// of links that are full of data.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../harness/seed.h"
#include "seen.h"

namespace ow::fabric {
namespace {

namespace reg = ow::isa::reg;

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

// One at a time, from each tile to each: first along X, then along Y, in all four directions.
TEST(Control, RequestsOfOneWordReachTheirTileAndNoOther) {
  constexpr int kSide = 3, kTiles = kSide * kSide;
  Grid g(kSide, kSide);
  int from = 0, to = 0;
  bool asked = false;
  std::vector<std::pair<int, uint32_t>> got;
  g.drive_node = [&](int r, int c, Node& n) {
    auto& m = n.m();
    const int t = r * kSide + c;
    if (m.got_o) got.emplace_back(t, m.got_data_o);
    m.ask_valid_i = t == from && !asked;
    if (m.ask_valid_i == 0) return;
    m.ask_i = one_word(to / kSide - r, to % kSide - c, to);
    asked = true;
  };
  for (from = 0; from < kTiles; ++from) {
    for (to = 0; to < kTiles; ++to) {
      got.clear();
      asked = false;
      g.run(80);
      ASSERT_EQ(got.size(), 1u) << from << " to " << to;
      EXPECT_EQ(got[0].first, to) << "from " << from;
      EXPECT_EQ(isa::PacketBrief::HopsX::get(got[0].second), 0u);
      EXPECT_EQ(isa::PacketBrief::HopsY::get(got[0].second), 0u);
      EXPECT_EQ(isa::PacketBrief::Task::get(got[0].second), uint32_t(to));
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
  const auto seed = static_cast<uint32_t>(test_seed(5));
  SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
  std::mt19937 rng(seed);
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

// A word that the tile's memory refuses is kept and written first. The words after it, words that
// are swallowed, later packets and later reads all see that order.
TEST(Control, WritesKeepTheirOrderWhenTheMemoryRefusesThem) {
  Grid g(1, 2);
  const auto seed = static_cast<uint32_t>(test_seed(9));
  SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
  std::mt19937 rng(seed);
  g.drive_node = [&](int, int c, Node& n) { n.m().mem_stall_i = c == 1 && rng() % 4 != 0; };
  std::map<uint32_t, uint32_t> want;
  for (uint32_t k = 0; k < 60; ++k) {
    const uint32_t first = rng() % 8;
    std::vector<uint32_t> data(1 + rng() % 4);
    for (uint32_t& word : data) word = uint32_t(rng());
    for (uint32_t i = 0; i < data.size(); ++i) want[first + i] = data[i];
    std::vector<uint32_t> words = {command(isa::PacketOp::Write, data.size()), 4 * first};
    words.insert(words.end(), data.begin(), data.end());
    if (k % 3 == 0) words.push_back(~data.back());  // more than it says: swallowed
    g.request(0, 0, 0, 1, 1, words);
    if (k % 4 == 0) g.bind_in(0, 1, 3, k % 8);
    if (k % 5 == 0) {
      EXPECT_EQ(g.read(0, 1, 4 * first, int(data.size())), data) << "packet " << k;
    }
  }
  g.settle();
  for (auto& [a, word] : want) EXPECT_EQ(g.at(0, 1).memory(a), word) << "word " << a;
  EXPECT_EQ(g.check_quiet(), "");
}

// 4,096 words into one tile and into a rectangle of 16 take one cycle per word, and the hops. With
// the small router, whose endpoint asks the memory from a register, it is 4 cycles per word and two
// more per hop.
TEST(Control, AWordOfALoadCostsAFewCycles) {
  constexpr uint64_t kMost = 4096 * OW_NODE_LOAD_QUARTERS / 4;
  constexpr uint64_t kWay = 8 * (OW_NODE_LOAD_QUARTERS > 5 ? 4 : 2);
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
    EXPECT_LE(cycles, kMost + kWay + 8);
    g.settle();
    for (int i = 0; i < 4096; i += 97) {
      EXPECT_EQ(g.at(3, 3).memory(i), data[i]);
      if (all) {
        EXPECT_EQ(g.at(0, 0).memory(i), data[i]);
      }
    }
    // Reads also stream at one word per cycle.
    start = g.cycle();
    auto back = g.read(3, 3, 0, 4096);
    EXPECT_EQ(back, data);
    std::printf("read back: %d cycles\n", int(g.cycle() - start));
    EXPECT_LE(g.cycle() - start, kMost + 2 * kWay + 8);
    EXPECT_EQ(g.check_quiet(), "");
  }
}

// Full data load on every output: requests and responses have a quarter of each link, data the
// rest.
TEST(Control, KeepsAQuarterOfEveryLinkUnderFullDataLoad) {
  Grid g(1, 4);
  for (int c = 0; c < 4; ++c) {
    g.route(0, c, 0, kW, 1 << kE);
    g.route(0, c, 1, c == 0 ? kN : kW, 1 << kE);
    g.route(0, c, 2, kE, 1 << kW);
  }
  g.settle();
  for (int i = 0; i < 6000; ++i) {
    g.edge(kW, 0).to_send_by_colour[0].push_back({0, false, 0});
    g.edge(kN, 0).to_send_by_colour[1].push_back({1, false, 0});
    for (int k = 0; k < 2; ++k) g.edge(kE, 0).to_send_by_colour[2].push_back({2, false, 0});
  }
  // The packet shares the edge's link with some of the data.
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
  EXPECT_GE(g.cycle() - start, 4 * 990u);
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
  EXPECT_GE(g.cycle() - start, 4 * 990u);
  g.edge(kW, 0).to_send_by_colour[0].clear();
  g.edge(kN, 0).to_send_by_colour[1].clear();
  g.edge(kE, 0).to_send_by_colour[2].clear();
  g.run(100);
  EXPECT_EQ(g.check_quiet(), "");
}

}  // namespace
}  // namespace ow::fabric
