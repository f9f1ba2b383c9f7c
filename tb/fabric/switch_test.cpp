// SPDX-License-Identifier: Apache-2.0
// Switch positions, commands, teardown and filters: the published examples, and random
// configurations of all colours at once against a reference model, with back-pressure everywhere.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "ow/harness/fabric/node_grid.h"

namespace ow::fabric {
namespace {

namespace reg = ow::isa::reg;

constexpr uint32_t operation(isa::SwitchOp op) { return isa::Command::Op::put(op); }
constexpr uint32_t kNop = operation(isa::SwitchOp::Nop), kAdv = operation(isa::SwitchOp::Advance),
                   kRst = operation(isa::SwitchOp::Reset),
                   kTear = operation(isa::SwitchOp::Teardown);
constexpr uint32_t kNoce = isa::Command::Noce::put(1);

// Command i of a list; the list of a control wavelet is the sum.
constexpr uint32_t slot(int i, uint32_t command) { return isa::Control::Commands::put(i, command); }

constexpr uint32_t out(int port) { return 1u << port; }
constexpr uint32_t kObeys = reg::Route::Enable::put(1) | reg::Route::Obey::put(1);

// Where the switch of a colour stands in column c of row 0, and whether it is torn down.
uint32_t position(Grid& g, int c, int colour) {
  return reg::Switch::Current::get(g.read(0, c, reg::Switch::address(colour), 1)[0]);
}
bool torn(Grid& g, int c, int colour) {
  return reg::Switch::Torn::get(g.read(0, c, reg::Switch::address(colour), 1)[0]);
}

constexpr int kSparse = int(isa::FilterKind::Sparse), kRange = int(isa::FilterKind::Range);

// What ROUTE and SWITCH of one colour in one router hold, and a filter if it has one.
struct Filter {
  int kind = -1;
  bool count_data = true, count_ctrl = false, filter_ctrl = false;
  uint32_t low = 0, high = 0, count = 0;
};
struct Config {
  std::vector<uint32_t> ways;  // 1 to 4
  bool obey = true;
  int mode = 0;
  bool ring = false;
  int pos = 0;
  uint32_t fresh_out = 0;  // output links that start without credits
  uint32_t kept_in = 0;    // input links whose credits start here
};

void configure(Grid* g, int r, int c, int colour, const Config& k, bool torn = false) {
  const auto alternative = [&](size_t i) { return i < k.ways.size() ? k.ways[i] : 0; };
  g->write_reg(
      r, c, reg::Switch::address(colour),
      reg::Switch::Position1::put(alternative(1)) | reg::Switch::Position2::put(alternative(2)) |
          reg::Switch::Position3::put(alternative(3)) | reg::Switch::Last::put(k.ways.size() - 1) |
          reg::Switch::Current::put(k.pos) | reg::Switch::Torn::put(torn));
  g->write_reg(r, c, reg::Route::address(colour),
               reg::Route::Enable::put(1) | reg::Route::Position::put(k.ways[0]) |
                   reg::Route::Obey::put(k.obey) | reg::Route::PopMode::put(k.mode) |
                   reg::Route::Ring::put(k.ring) | reg::Route::WithoutCredits::put(k.fresh_out) |
                   reg::Route::KeepCredits::put(k.kept_in) | reg::Route::SetCredits::put(1));
}

void set_filter(Grid* g, int r, int c, int index, int colour, const Filter& f) {
  g->write_reg(r, c, reg::FilterLimits::address(index),
               reg::FilterLimits::Low::put(f.low) | reg::FilterLimits::High::put(f.high));
  g->write_reg(r, c, reg::FilterCount::address(index), reg::FilterCount::Count::put(f.count));
  g->write_reg(r, c, reg::Filter::address(index),
               reg::Filter::Colour::put(colour) | reg::Filter::Enable::put(1) |
                   reg::Filter::Kind::put(f.kind) | reg::Filter::CountData::put(f.count_data) |
                   reg::Filter::CountCtrl::put(f.count_ctrl) |
                   reg::Filter::FilterCtrl::put(f.filter_ctrl));
}

std::vector<uint64_t> words(const Edge& e, int colour) {
  std::vector<uint64_t> v;
  for (auto& s : e.seen) {
    if (s.w.colour == colour) v.push_back(uint64_t(s.w.ctrl) << 32 | s.w.data);
  }
  return v;
}

constexpr uint64_t kCtrl = uint64_t{1} << 32;
using Words = std::vector<uint64_t>;

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
  for (uint64_t v : {0, 2, 4, 6})
    send.push_back(kCtrl | slot(0, kAdv) | isa::Control::Identity::put(v));
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

// A column is gathered by switching inputs: each tile sends its own, then lets its neighbour pass.
// Who is not selected waits, whatever it already wants to send.
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
  // Its own advance takes each tile on; it is used up there, and what goes on is an empty list.
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
  // The west has its credits back, the north has none until it is selected again.
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

// Every tile of a row takes the indices that are its own out of one stream; control wavelets reach
// all; what passes through is not touched, and a tile whose queue is full is no obstacle to what
// is not for it.
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
  // Two rounds are 8 wavelets a tile: the queues are full, nobody takes anything, the stream flows.
  g.run(60);
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

// ------------------------------------------------------------------------------ reference model --
// One colour in one router: takes wavelets from the selected input only, so what leaves each output
// does not depend on time.
struct Reference {
  Config config;
  Filter filter;
  bool torn = false;
  std::array<std::deque<uint64_t>, 5> in;
  std::array<Words, 5> out;

  void run() {
    while (!torn) {
      const uint32_t w = config.ways[config.pos];
      auto& q = in[isa::Position::InPort::get(w)];
      if (q.empty()) return;
      uint64_t word = q.front();
      q.pop_front();
      const bool ctrl = word >> 32;
      const uint32_t command = ctrl && config.obey ? isa::Control::Commands::get(word, 0) : 0;
      const uint32_t op = command & isa::Command::Op::kMask;
      const int last = int(config.ways.size()) - 1;
      int next = config.pos;
      if (op == kAdv) next = next < last ? next + 1 : config.ring ? 0 : next;
      if (op == kRst) next = 0;
      if (ctrl && config.obey) {
        bool take = config.mode == 1;
        if (config.mode >= 2) take = op == kAdv && next != config.pos;
        if (config.mode == 3) take = take || op == kNop;
        if (take) {
          uint32_t list = 0;
          for (int i = 0; i < 8; ++i) {
            list |= slot(i, isa::Control::Commands::get(word, (i + 1) % 8));
          }
          word = (word & ~uint64_t{isa::Control::Commands::kMask}) | list;
        }
      }
      for (int p = 0; p < 5; ++p) {
        if ((w >> p & 1) == 0) continue;
        if (p == kRamp && (dropped(ctrl, uint32_t(word)) | ((command & kNoce) != 0))) continue;
        out[p].push_back(word);
      }
      config.pos = next;
      torn = op == kTear;
    }
  }

  bool dropped(bool ctrl, uint32_t data) {
    Filter& f = filter;
    if (f.kind < 0) return false;
    if (f.kind == kRange) return !ctrl && (data >> 16 < f.low || data >> 16 > f.high);
    const bool hit = f.count == f.low;
    const bool may = !ctrl || f.filter_ctrl;
    const bool drop = may && (f.kind == kSparse ? !hit : f.count > f.high);
    if (ctrl ? f.count_ctrl : f.count_data) {
      f.count = hit ? 0 : (f.count + 1) & 0xFFFF;
      if (f.kind == kSparse && hit) f.low = f.high;
    }
    return drop;
  }
};

// One router with all colours configured at random, all five inputs of each colour offering a
// stream, back-pressure at every output and every queue.
void random_router(uint32_t seed, bool skip) {
  std::mt19937 rng(seed);
  auto pick = [&](int n) { return int(rng() % uint32_t(n)); };
  Grid g(1, 1);
  g.skip = skip;
  std::vector<Reference> ref(24);
  std::vector<int> inq(8, -1), outq(8, -1);  // colour of a queue
  std::vector<int> order(24);
  for (int i = 0; i < 24; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), rng);
  for (int q = 0; q < 8; ++q) {
    inq[q] = order[q];
    outq[q] = order[pick(2) ? q : 8 + q];
    g.bind_in(0, 0, q, inq[q]);
    g.bind_out(0, 0, q, outq[q]);
  }
  int filters = 0;
  for (int c : order) {
    Config& k = ref[c].config;
    const bool to_ramp = std::count(inq.begin(), inq.end(), c) != 0;
    const bool from_ramp = std::count(outq.begin(), outq.end(), c) != 0;
    const int n = 1 + pick(4);
    uint32_t inputs = 0;
    for (int i = 0; i < n; ++i) {
      const int in = pick(from_ramp ? 5 : 4);
      uint32_t outs = rng() & (to_ramp ? 31 : 15);
      if (pick(3)) outs &= rng();
      // Nothing comes back by the port that it came in at, and something leaves, mostly.
      if (in < 4) outs &= ~(1u << in);
      k.ways.push_back(way(in, outs));
      if (in < 4) inputs |= 1u << in;
    }
    k.obey = pick(8) != 0;
    k.mode = pick(4);
    k.ring = pick(2);
    k.pos = pick(n);
    const uint32_t first = isa::Position::InPort::get(k.ways[k.pos]);
    k.kept_in = 15 & ~(1u << first);
    configure(&g, 0, 0, c, k);
    for (int p = 0; p < 4; ++p) g.edge(p, 0).set_credits(c, int(first) == p ? 2 : 0);
    if (to_ramp && filters < 6 && pick(4)) {
      Filter& f = ref[c].filter;
      f.kind = pick(3);
      f.count_data = pick(4) != 0;
      f.count_ctrl = pick(2);
      f.filter_ctrl = pick(2);
      f.low = f.kind == kRange ? rng() & 0x7FFF : uint32_t(pick(6));
      f.high = f.kind == kRange ? f.low + (rng() & 0x7FFF) : uint32_t(pick(6));
      f.count = pick(3);
      set_filter(&g, 0, 0, filters++, c, f);
    }
    for (int p = 0; p < 5; ++p) {
      // At a colour with one position, a ramp that is not its input would be a misroute.
      if (p < 4 ? (inputs >> p & 1) == 0 : !from_ramp || (n == 1 && first != kRamp)) continue;
      const int len = 20 + pick(60);
      for (int i = 0; i < len; ++i) {
        uint32_t d = rng();
        const bool ctrl = pick(4) == 0;
        if (ctrl && pick(3) == 0) d &= ~isa::Control::Commands::kMask;
        const uint32_t first = isa::Control::Commands::get(d, 0);
        if (ctrl && (first & isa::Command::Op::kMask) == kTear && pick(8)) {
          d ^= slot(0, kTear) ^ slot(0, kAdv);
        }
        ref[c].in[p].push_back(uint64_t(ctrl) << 32 | d);
      }
    }
  }
  g.settle();
  std::vector<std::deque<uint64_t>> push(8);
  for (int c = 0; c < 24; ++c) {
    for (int p = 0; p < 4; ++p) {
      for (uint64_t w : ref[c].in[p]) {
        g.edge(p, 0).to_send_by_colour[c].push_back({c, bool(w >> 32), uint32_t(w)});
      }
    }
    for (int q = 0; q < 8; ++q) {
      if (outq[q] == c) push[q].assign(ref[c].in[kRamp].begin(), ref[c].in[kRamp].end());
    }
  }
  for (int p = 0; p < 4; ++p) {
    const int rate = 10 + pick(91);
    g.edge(p, 0).accepts = [rate, &rng](int c) { return c >= kReq || int(rng() % 100) < rate; };
  }
  std::vector<Words> got(8);
  std::vector<int> rate(8);
  for (auto& x : rate) x = 3 + pick(98);
  g.drive_node = [&](int, int, Node& n) {
    auto& m = n.m();
    m.push_i = 0;
    m.inq_pop_i = 0;
    const int q0 = pick(8);
    for (int i = 0; i < 8; ++i) {
      const int q = (q0 + i) % 8;
      if (push[q].empty() || !n.out_ready(q)) continue;
      m.push_i = 1;
      m.push_q_i = q;
      m.push_data_i = push[q].front();
      push[q].pop_front();
      break;
    }
    for (int q = 0; q < 8; ++q) {
      if (!n.in_valid(q) || pick(100) >= rate[q]) continue;
      got[q].push_back(n.in_head(q));
      m.inq_pop_i |= 1 << q;
    }
  };
  g.run(9000);
  for (int c = 0; c < 24; ++c) {
    Reference& r = ref[c];
    r.run();
    const std::string what = "seed " + std::to_string(seed) + " colour " + std::to_string(c);
    for (int p = 0; p < 4; ++p) {
      EXPECT_EQ(words(g.edge(p, 0), c), r.out[p]) << what << " port " << p;
    }
    for (int q = 0; q < 8; ++q) {
      if (inq[q] == c) {
        EXPECT_EQ(got[q], r.out[kRamp]) << what << " ramp";
      }
    }
    const uint32_t now = g.read(0, 0, reg::Switch::address(c), 1)[0];
    EXPECT_EQ(reg::Switch::Torn::get(now), r.torn) << what;
    EXPECT_EQ(reg::Switch::Current::get(now), uint32_t(r.config.pos)) << what;
    // Credits: those of the selected input are at the sender, all others here.
    const int selected = int(isa::Position::InPort::get(r.config.ways[r.config.pos]));
    for (int p = 0; p < 4; ++p) {
      EXPECT_EQ(g.edge(p, 0).credits(c), p == selected && !r.torn ? 2 : 0) << what << " port " << p;
    }
  }
  EXPECT_EQ(g.read(0, 0, reg::RtOccupied::kAddress, 1)[0], 0u) << "seed " << seed;
  EXPECT_EQ(g.read(0, 0, reg::RtMisroute::kAddress, 1)[0], 0u) << "seed " << seed;
}

TEST(RandomSwitch, AllColoursAsTheReferenceSays) {
  for (uint32_t seed = 1; seed <= 40; ++seed) random_router(seed, false);
}

TEST(RandomSwitch, SkippingIdleCyclesChangesNothing) {
  for (uint32_t seed = 101; seed <= 110; ++seed) random_router(seed, true);
}

}  // namespace
}  // namespace ow::fabric
