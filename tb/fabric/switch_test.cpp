// SPDX-License-Identifier: Apache-2.0
// Switch positions, commands, teardown and filters: the published examples. Random configurations:
// random_switch_test.cpp.
#include <gtest/gtest.h>

#include "switch_config.h"

namespace ow::fabric {
namespace {

// The position of a colour's switch in column c of row 0, and whether it is torn down.
uint32_t position(Grid& g, int c, int colour) {
  return reg::Switch::Current::get(g.read(0, c, reg::Switch::address(colour), 1)[0]);
}
bool torn(Grid& g, int c, int colour) {
  return reg::Switch::Torn::get(g.read(0, c, reg::Switch::address(colour), 1)[0]);
}

// Data after each advance: 0 leaves to the east, 2 to the south, 4 to the north, 6 to the west.
TEST(Switch, DataFollowTheAdvancesEastSouthNorthWest) {
  Grid g(1, 1);
  g.bind_out(0, 0, 3, 8);
  Config k;
  k.ways = {way(kRamp, out(kE)), way(kRamp, out(kS)), way(kRamp, out(kN)), way(kRamp, out(kW))};
  configure(&g, 0, 0, 8, k);
  g.settle();
  Words send;
  for (uint64_t v : {0, 2, 4, 6}) {
    send.push_back(v);
    send.push_back(kCtrl | slot(0, kAdv));
  }
  size_t next = 0;
  g.drive_node = [&](int, int, Node& n) {
    n.m().push_i = n.out_ready(3) && next < send.size();
    n.m().push_q_i = 3;
    if (n.m().push_i) n.m().push_data_i = send[next++];
  };
  g.run(100);
  const uint64_t adv = kCtrl | slot(0, kAdv);
  EXPECT_EQ(words(g.edge(kE, 0), 8), (Words{0, adv}));
  EXPECT_EQ(words(g.edge(kS, 0), 8), (Words{2, adv}));
  EXPECT_EQ(words(g.edge(kN, 0), 8), (Words{4, adv}));
  EXPECT_EQ(words(g.edge(kW, 0), 8), (Words{6, adv}));
  g.drive_node = nullptr;
  // No ring: it stays at the last position.
  EXPECT_EQ(position(g, 0, 8), 3u);
  EXPECT_EQ(g.check_quiet(), "");
}

// Control wavelets leave on the old position and then advance it: started at position 1 of a ring,
// the payloads 0, 2, 4, 6 leave west, east, south, north.
TEST(Switch, ControlWaveletsLeaveOnTheOldPositionWestEastSouthNorth) {
  Grid g(1, 1);
  g.bind_out(0, 0, 0, 17);
  Config k;
  k.ways = {way(kRamp, out(kN)), way(kRamp, out(kW)), way(kRamp, out(kE)), way(kRamp, out(kS))};
  k.pos = 1;
  k.ring = true;
  configure(&g, 0, 0, 17, k);
  g.settle();
  Words send;
  for (uint64_t v : {0, 2, 4, 6}) {
    send.push_back(kCtrl | slot(0, kAdv) | isa::Control::Identity::put(v));
  }
  size_t next = 0;
  g.drive_node = [&](int, int, Node& n) {
    n.m().push_i = n.out_ready(0) && next < send.size();
    n.m().push_q_i = 0;
    if (n.m().push_i) n.m().push_data_i = send[next++];
  };
  g.run(100);
  g.drive_node = nullptr;
  EXPECT_EQ(words(g.edge(kW, 0), 17), (Words{send[0]}));
  EXPECT_EQ(words(g.edge(kE, 0), 17), (Words{send[1]}));
  EXPECT_EQ(words(g.edge(kS, 0), 17), (Words{send[2]}));
  EXPECT_EQ(words(g.edge(kN, 0), 17), (Words{send[3]}));
  EXPECT_EQ(position(g, 0, 17), 1u);
  EXPECT_EQ(g.check_quiet(), "");
}

// A column is gathered by switching inputs: each tile sends its own words, then lets its neighbour
// pass. An input that is not selected waits, even if it already has words to send.
TEST(Switch, InputsTakeTurnsAndNothingThatWaitsIsLost) {
  const int n = 5, per = 40;
  Grid g(1, n);
  for (int c = 0; c < n; ++c) {
    g.bind_out(0, c, 0, 2);
    Config k;
    k.ways = {way(kRamp, out(kW))};
    if (c + 1 < n) k.ways.push_back(way(kE, out(kW)));
    k.mode = 2;
    // East of a tile is not selected at first: no credits there.
    if (c + 1 < n) k.kept_in = out(kE);
    if (c > 0) k.fresh_out = out(kW);
    configure(&g, 0, c, 2, k);
  }
  g.settle();
  std::vector<int> sent(n);
  g.drive_node = [&](int, int c, Node& node) {
    auto& m = node.m();
    m.push_i = 0;
    if (sent[c] > per || !node.out_ready(0)) return;
    m.push_i = 1;
    m.push_q_i = 0;
    m.push_data_i = sent[c] < per ? uint64_t(c) << 16 | sent[c] : kCtrl | slot(0, kAdv);
    ++sent[c];
  };
  g.run(1200);
  g.drive_node = nullptr;
  // Its own advance moves each tile on. It is used up there, so an empty list goes on.
  Words want;
  for (int c = 0; c < n; ++c) {
    for (int i = 0; i < per; ++i) want.push_back(uint64_t(c) << 16 | i);
    want.push_back(c + 1 < n ? kCtrl : kCtrl | slot(0, kAdv));
  }
  Words seen = words(g.edge(kW, 0), 2);
  for (auto& w : seen) {
    if (w == (kCtrl | slot(7, kAdv))) w = kCtrl;
  }
  EXPECT_EQ(seen, want);
}

// What waits for an output follows the position that a write of SWITCH makes the current one.
TEST(Switch, AWriteMovesWhatWaitsToTheCurrentPosition) {
  for (int now = 1; now < 4; ++now) {
    Grid g(1, 1);
    Config c;
    c.ways.assign(4, way(kN, out(kE)));
    c.ways[0] = way(kW, out(kE));
    c.ways[now] = way(kW, out(kS));
    configure(&g, 0, 0, 4, c);
    g.settle();
    g.edge(kE, 0).accepts = [](int) { return false; };
    for (uint32_t i = 0; i < 4; ++i) g.edge(kW, 0).to_send.push_back({4, false, i});
    g.run(40);
    EXPECT_EQ(words(g.edge(kE, 0), 4), (Words{0, 1}));
    g.write_reg(0, 0, reg::Switch::address(4),
                reg::Switch::Position1::put(c.ways[1]) | reg::Switch::Position2::put(c.ways[2]) |
                    reg::Switch::Position3::put(c.ways[3]) | reg::Switch::Last::put(3) |
                    reg::Switch::Current::put(now));
    g.run(40);
    EXPECT_EQ(words(g.edge(kS, 0), 4), (Words{2, 3})) << "position " << now;
    EXPECT_EQ(words(g.edge(kE, 0), 4), (Words{0, 1})) << "position " << now;
  }
}

// A fence takes both credits. One that finds a single one waits, and the router sleeps meanwhile.
TEST(Switch, AFenceThatWaitsForItsSecondCreditLetsTheRouterSleep) {
  Grid g(1, 2);
  g.route(0, 0, 4, kW, out(kE));
  g.route(0, 1, 4, kW, out(kRamp));
  g.bind_in(0, 1, 0, 4);
  g.settle();
  g.skip = true;
  // Eight fill the queue of the second tile, one more its router's slot.
  for (uint32_t i = 0; i < 9; ++i) g.edge(kW, 0).to_send.push_back({4, false, i});
  g.edge(kW, 0).to_send.push_back({4, true, slot(0, kAdv)});
  g.run(100);
  const uint64_t evals = g.at(0, 0).evals;
  g.run(100);
  EXPECT_EQ(g.at(0, 0).evals, evals);
  std::vector<uint32_t> got;
  g.drive_node = [&](int, int c, Node& n) {
    n.m().inq_pop_i = c == 1 && n.in_valid(0) ? 1 : 0;
    if (n.m().inq_pop_i) got.push_back(static_cast<uint32_t>(n.in_head(0)));
  };
  g.run(100);
  ASSERT_EQ(got.size(), 10u);
  for (uint32_t i = 0; i < 9; ++i) EXPECT_EQ(got[i], i);
}

// K advances move exactly the next K routers that can move.
TEST(Switch, PopOnAdvanceMovesTheNextRoutersThatCanMove) {
  for (int commands = 0; commands <= 4; ++commands) {
    Grid g(1, 8);
    std::vector<bool> can(8);
    for (int c = 0; c < 8; ++c) {
      can[c] = c % 3 != 1;
      Config k;
      k.ways = {way(kW, out(kE))};
      if (can[c]) k.ways.push_back(way(kW, out(kE) | out(kS)));
      k.mode = 2;
      configure(&g, 0, c, 3, k);
    }
    g.settle();
    uint32_t list = 0;
    for (int i = 0; i < commands; ++i) list |= slot(i, kAdv);
    g.edge(kW, 0).to_send.push_back({3, true, list});
    g.edge(kW, 0).to_send.push_back({3, false, 9});
    g.run(60);
    int left = commands;
    for (int c = 0; c < 8; ++c) {
      bool moved = can[c] && left-- > 0;
      EXPECT_EQ(words(g.edge(kS, c), 3).size(), moved ? 1u : 0u) << commands << " at " << c;
    }
    EXPECT_EQ(words(g.edge(kE, 0), 3).size(), 2u);
    EXPECT_EQ(g.check_quiet(), "");
  }
}

// Slot i is for the i-th router: the second keeps it from its ramp, the third is reset, the fourth
// is torn down.
TEST(Switch, AlwaysPopGivesEachRouterItsOwnCommand) {
  Grid g(1, 4);
  for (int c = 0; c < 4; ++c) {
    Config k;
    k.ways = {way(kW, out(kE) | out(kRamp)), way(kW, out(kE) | out(kRamp) | out(kN))};
    k.mode = 1;
    k.pos = c == 2 ? 1 : 0;
    configure(&g, 0, c, 0, k);
    g.bind_in(0, c, 5, 0);
  }
  g.settle();
  const uint32_t list = slot(0, kAdv) | slot(1, kNop | kNoce) | slot(2, kRst) | slot(3, kTear) | 1;
  g.edge(kW, 0).to_send.push_back({0, true, list});
  g.run(40);
  for (int c = 0; c < 4; ++c) EXPECT_EQ(g.at(0, c).in_valid(5), c != 1) << c;
  EXPECT_EQ(position(g, 0, 0), 1u);
  EXPECT_FALSE(torn(g, 0, 0));
  EXPECT_EQ(position(g, 1, 0), 0u);
  EXPECT_FALSE(torn(g, 1, 0));
  EXPECT_EQ(position(g, 2, 0), 0u);
  EXPECT_FALSE(torn(g, 2, 0));
  EXPECT_EQ(position(g, 3, 0), 0u);
  EXPECT_TRUE(torn(g, 3, 0));
  EXPECT_EQ(g.read(0, 3, reg::RtTorn::kAddress, 1)[0], 1u);
  // The ring of commands has turned by four.
  EXPECT_EQ(words(g.edge(kE, 0), 0),
            (Words{kCtrl | 1 | slot(4, kAdv) | slot(5, kNoce) | slot(6, kRst) | slot(7, kTear)}));
}

// A colour is torn down by its last wavelet, rerouted, and torn down again: first along the row,
// then down the column, then along the row. What the next phase sends early waits for its turn.
TEST(Switch, ATornDownColourIsReroutedAndLosesNothing) {
  Grid g(1, 1);
  Config row, column;
  row.ways = {way(kW, out(kE))};
  row.kept_in = out(kN);
  column.ways = {way(kN, out(kS))};
  configure(&g, 0, 0, 6, row);
  g.settle();
  g.edge(kN, 0).set_credits(6, 0);
  for (uint32_t i = 0; i < 10; ++i) g.edge(kW, 0).to_send_by_colour[6].push_back({6, false, i});
  g.edge(kW, 0).to_send_by_colour[6].push_back({6, true, slot(0, kTear)});
  for (uint32_t i = 20; i < 25; ++i) g.edge(kW, 0).to_send_by_colour[6].push_back({6, false, i});
  for (uint32_t i = 10; i < 15; ++i) g.edge(kN, 0).to_send_by_colour[6].push_back({6, false, i});
  g.edge(kN, 0).to_send_by_colour[6].push_back({6, true, slot(0, kTear)});
  g.run(80);
  EXPECT_EQ(g.read(0, 0, reg::RtTorn::kAddress, 1)[0], 1u << 6);
  EXPECT_EQ(words(g.edge(kE, 0), 6).size(), 11u);
  EXPECT_EQ(words(g.edge(kS, 0), 6).size(), 0u);
  EXPECT_EQ(g.edge(kW, 0).to_send_by_colour[6].size(), 5u);
  // ROUTE first, then SWITCH takes it up again.
  g.write_reg(0, 0, reg::Route::address(6), kObeys | reg::Route::Position::put(column.ways[0]));
  g.write_reg(0, 0, reg::Switch::address(6), 0);
  g.run(80);
  EXPECT_EQ(words(g.edge(kS, 0), 6).size(), 6u);
  EXPECT_EQ(words(g.edge(kE, 0), 6).size(), 11u);
  EXPECT_EQ(g.read(0, 0, reg::RtTorn::kAddress, 1)[0], 1u << 6);
  g.write_reg(0, 0, reg::Route::address(6), kObeys | reg::Route::Position::put(row.ways[0]));
  g.write_reg(0, 0, reg::Switch::address(6), 0);
  g.run(80);
  Words east = words(g.edge(kE, 0), 6);
  ASSERT_EQ(east.size(), 16u);
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(east[11 + i], 20 + i);
  Words south = words(g.edge(kS, 0), 6);
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(south[i], 10 + i);
  // The west has its credits again. The north has none until it is selected again.
  EXPECT_EQ(g.edge(kW, 0).credits(6), 2);
  EXPECT_EQ(g.edge(kN, 0).credits(6), 0);
}

// The credit of a wavelet that came in at a wrong port comes back when a route names the port.
TEST(Switch, AMisroutedWaveletsCreditComesBack) {
  Grid g(1, 1);
  g.route(0, 0, 4, kW, 1 << kS);
  g.settle();
  for (int i = 0; i < 2; ++i) g.edge(kN, 0).to_send.push_back({4, i == 1, uint32_t(i)});
  g.run(20);
  EXPECT_EQ(g.read(0, 0, reg::RtMisroute::kAddress, 1)[0], 1u << 4);
  EXPECT_EQ(g.edge(kN, 0).credits(4), 0);
  g.route(0, 0, 4, kN, 1 << kS);
  g.settle();
  EXPECT_EQ(g.edge(kN, 0).credits(4), 2);
  for (int i = 0; i < 5; ++i) g.edge(kN, 0).to_send.push_back({4, false, uint32_t(i)});
  g.run(30);
  EXPECT_EQ(words(g.edge(kS, 0), 4).size(), 5u);
  EXPECT_EQ(g.check_quiet(), "");
}

// Every tile of a row takes its own indices out of one stream; control wavelets reach all tiles.
// The stream passes through unchanged. A tile whose queue is full does not hold up what is for
// others.
TEST(Filter, RangesDealAStreamOutToARow) {
  Grid g(1, 4);
  for (int c = 0; c < 4; ++c) {
    g.route(0, c, 9, kW, 1 << kE | 1 << kRamp);
    g.bind_in(0, c, 1, 9);
    Filter f;
    f.kind = kRange;
    f.low = 3 * c;
    f.high = 3 * c + 2;
    set_filter(&g, 0, c, c, 9, f);
  }
  g.settle();
  Words all;
  for (int round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < 12; ++i) all.push_back(i << 16 | (100 * round + i));
    all.push_back(kCtrl | 1);
  }
  for (auto w : all) g.edge(kW, 0).to_send.push_back({9, bool(w >> 32), uint32_t(w)});
  std::vector<Words> got(4);
  bool open = false;
  g.drive_node = [&](int, int c, Node& n) {
    n.m().inq_pop_i = 0;
    if (!n.in_valid(1) || !open) return;
    got[c].push_back(n.in_head(1));
    n.m().inq_pop_i = 2;
  };
  // Two rounds are 8 wavelets per tile: the queues are full, no tile pops, and the stream still
  // flows.
  g.run(100);
  EXPECT_GE(words(g.edge(kE, 0), 9).size(), 26u);
  open = true;
  g.run(100);
  EXPECT_EQ(words(g.edge(kE, 0), 9), all);
  for (int c = 0; c < 4; ++c) {
    Words want;
    for (auto w : all) {
      if (w >> 32 || int(w >> 16 & 0xFFFF) / 3 == c) want.push_back(w);
    }
    EXPECT_EQ(got[c], want) << c;
  }
  g.drive_node = nullptr;
  EXPECT_EQ(g.check_quiet(), "");
}

}  // namespace
}  // namespace ow::fabric
