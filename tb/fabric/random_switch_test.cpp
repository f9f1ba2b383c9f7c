// SPDX-License-Identifier: Apache-2.0
// Random configurations of the switches of all colours at once against a reference model, with
// back-pressure everywhere. CMakeLists.txt sets the node's colours, filters and positions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <random>
#include <string>

#include "../harness/seed.h"
#include "draws.h"
#include "switch_config.h"

namespace ow::fabric {
namespace {

// One colour in one router. It takes wavelets from the selected input only, so what leaves each
// output does not depend on timing.
struct Reference {
  Config config;
  Filter filter;
  bool torn = false;
  std::array<std::deque<uint64_t>, 5> in;
  std::array<Words, 5> out;

  void run() {
    while (!torn) {
      const uint32_t way = config.ways[config.pos];
      auto& q = in[isa::Position::InPort::get(way)];
      if (q.empty()) return;
      const uint64_t word = q.front();
      q.pop_front();
      pass(way, word);
    }
  }

  // To the outputs of this position, then to the next one.
  void pass(uint32_t way, uint64_t word) {
    const bool ctrl = word >> 32;
    const uint32_t command = ctrl && config.obey ? isa::Control::Commands::get(word, 0) : 0;
    const uint32_t op = command & isa::Command::Op::kMask;
    const int next = after(op);
    if (ctrl && config.obey && takes(op, next)) {
      uint32_t list = 0;
      for (int i = 0; i < 8; ++i) list |= slot(i, isa::Control::Commands::get(word, (i + 1) % 8));
      word = (word & ~uint64_t{isa::Control::Commands::kMask}) | list;
    }
    for (int p = 0; p < 5; ++p) {
      if ((way >> p & 1) == 0) continue;
      if (p == kRamp && (dropped(ctrl, uint32_t(word)) | ((command & kNoce) != 0))) continue;
      out[p].push_back(word);
    }
    config.pos = next;
    torn = op == kTear;
  }

  int after(uint32_t op) const {
    const int last = int(config.ways.size()) - 1;
    if (op == kRst) return 0;
    if (op != kAdv) return config.pos;
    return config.pos < last ? config.pos + 1 : config.ring ? 0 : config.pos;
  }

  // Whether the command is used up here.
  bool takes(uint32_t op, int next) const {
    const bool moves = op == kAdv && next != config.pos;
    switch (config.mode) {
      case 0:
        return false;
      case 1:
        return true;
      case 2:
        return moves;
      default:
        return moves || op == kNop;
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

// One router with all colours configured at random. All five inputs of each colour offer a stream,
// and every output and queue has back-pressure.
class RandomRouter {
 public:
  RandomRouter(uint32_t seed, bool skip) : seed_(seed), rng_(seed), g_(1, 1) {
    g_.skip = skip;
    inq_.fill(-1);
    outq_.fill(-1);
  }

  void run() {
    const std::vector<int> order = bind_queues();
    for (const int c : order) draw_colour(c);
    g_.settle();
    offer();
    resist();
    g_.run(9000);
    for (int c = 0; c < kColours; ++c) check(c);
    EXPECT_EQ(g_.read(0, 0, reg::RtOccupied::kAddress, 1)[0], 0u) << "seed " << seed_;
    EXPECT_EQ(g_.read(0, 0, reg::RtMisroute::kAddress, 1)[0], 0u) << "seed " << seed_;
  }

 private:
  static constexpr int kColours = OW_NODE_COLOURS;
  static constexpr int kQueues = std::min(8, kColours);  // in use, each with a colour of its own

  int pick(int n) { return int(rng_() % uint32_t(n)); }
  bool to_ramp(int c) const { return std::count(inq_.begin(), inq_.end(), c) != 0; }
  bool from_ramp(int c) const { return std::count(outq_.begin(), outq_.end(), c) != 0; }

  // Some colours have an input queue, an output queue, or both; all of them in random order.
  std::vector<int> bind_queues() {
    std::vector<int> order(kColours);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), rng_);
    for (int q = 0; q < kQueues; ++q) {
      inq_[q] = order[q];
      outq_[q] = order[(pick(2) ? q : 8 + q) % kColours];
      g_.bind_in(0, 0, q, inq_[q]);
      g_.bind_out(0, 0, q, outq_[q]);
    }
    return order;
  }

  void draw_colour(int c) {
    Config& k = ref_[c].config;
    const int n = 1 + pick(OW_NODE_POSITIONS);
    for (int i = 0; i < n; ++i) k.ways.push_back(draw_way(c));
    k.obey = pick(8) != 0;
    k.mode = pick(4);
    k.ring = pick(2);
    k.pos = pick(n);
    const int first = int(isa::Position::InPort::get(k.ways[k.pos]));
    k.kept_in = 15 & ~(1u << first);
    configure(&g_, 0, 0, c, k);
    if (OW_NODE_POSITIONS == 1) k.obey = false;  // whatever was written
    for (int p = 0; p < 4; ++p) g_.edge(p, 0).set_credits(c, first == p ? 2 : 0);
    if (to_ramp(c) && filters_ < OW_NODE_FILTERS && pick(4)) {
      ref_[c].filter = draw_filter();
      set_filter(&g_, 0, 0, filters_++, c, ref_[c].filter);
    }
    for (int p = 0; p < 4; ++p) {
      const bool used = std::any_of(k.ways.begin(), k.ways.end(), [p](uint32_t w) {
        return int(isa::Position::InPort::get(w)) == p;
      });
      if (used) draw_stream(&ref_[c].in[p]);
    }
    // If a colour with one position has another input, a wavelet from the ramp would be a misroute.
    if (from_ramp(c) && (n > 1 || first == kRamp)) draw_stream(&ref_[c].in[kRamp]);
  }

  // Nothing goes back to the port that it came from, and mostly something leaves.
  uint32_t draw_way(int c) {
    const int in = pick(from_ramp(c) ? 5 : 4);
    uint32_t outs = rng_() & (to_ramp(c) ? 31 : 15);
    if (pick(3)) outs &= rng_();
    if (in < 4) outs &= ~(1u << in);
    return way(in, outs);
  }

  Filter draw_filter() {
    Filter f;
    f.kind = pick(3);
    f.count_data = pick(4) != 0;
    f.count_ctrl = pick(2);
    f.filter_ctrl = pick(2);
    f.low = f.kind == kRange ? rng_() & 0x7FFF : uint32_t(pick(6));
    f.high = f.kind == kRange ? f.low + (rng_() & 0x7FFF) : uint32_t(pick(6));
    f.count = pick(3);
    return f;
  }

  void draw_stream(std::deque<uint64_t>* stream) {
    const int len = 20 + pick(60);
    for (int i = 0; i < len; ++i) {
      uint32_t d = rng_();
      const bool ctrl = pick(4) == 0;
      if (ctrl && pick(3) == 0) d &= ~isa::Control::Commands::kMask;
      const uint32_t first = isa::Control::Commands::get(d, 0);
      if (ctrl && (first & isa::Command::Op::kMask) == kTear && pick(8)) {
        d ^= slot(0, kTear) ^ slot(0, kAdv);
      }
      stream->push_back(uint64_t(ctrl) << 32 | d);
    }
  }

  void offer() {
    for (int c = 0; c < kColours; ++c) {
      for (int p = 0; p < 4; ++p) {
        for (uint64_t w : ref_[c].in[p]) {
          g_.edge(p, 0).to_send_by_colour[c].push_back({c, bool(w >> 32), uint32_t(w)});
        }
      }
    }
    for (int q = 0; q < kQueues; ++q) push_[q] = ref_[outq_[q]].in[kRamp];
  }

  void resist() {
    for (int p = 0; p < 4; ++p) {
      const int rate = 10 + pick(91);
      g_.edge(p, 0).accepts = [rate, this](int c) { return c >= kReq || pick(100) < rate; };
    }
    for (auto& x : pop_rate_) x = 3 + pick(98);
    g_.drive_node = [this](int, int, Node& n) {
      push(&n);
      pop(&n);
    };
  }

  void push(Node* n) {
    auto& m = n->m();
    m.push_i = 0;
    const int first = pick(8);
    for (int i = 0; i < 8; ++i) {
      const int q = (first + i) % 8;
      if (push_[q].empty() || !n->out_ready(q)) continue;
      m.push_i = 1;
      m.push_q_i = q;
      m.push_data_i = push_[q].front();
      push_[q].pop_front();
      return;
    }
  }

  void pop(Node* n) {
    n->m().inq_pop_i = 0;
    for (int q = 0; q < 8; ++q) {
      if (!n->in_valid(q) || pick(100) >= pop_rate_[q]) continue;
      got_[q].push_back(n->in_head(q));
      n->m().inq_pop_i |= 1 << q;
    }
  }

  void check(int c) {
    Reference& r = ref_[c];
    r.run();
    const std::string what = "seed " + std::to_string(seed_) + " colour " + std::to_string(c);
    for (int p = 0; p < 4; ++p) {
      EXPECT_EQ(words(g_.edge(p, 0), c), r.out[p]) << what << " port " << p;
    }
    for (int q = 0; q < 8; ++q) {
      if (inq_[q] == c) {
        EXPECT_EQ(got_[q], r.out[kRamp]) << what << " ramp";
      }
    }
    const uint32_t now = g_.read(0, 0, reg::Switch::address(c), 1)[0];
    EXPECT_EQ(reg::Switch::Torn::get(now), r.torn) << what;
    EXPECT_EQ(reg::Switch::Current::get(now), uint32_t(r.config.pos)) << what;
    // Credits of the selected input are at the sender, all others are here.
    const int selected = int(isa::Position::InPort::get(r.config.ways[r.config.pos]));
    for (int p = 0; p < 4; ++p) {
      EXPECT_EQ(g_.edge(p, 0).credits(c), p == selected && !r.torn ? 2 : 0)
          << what << " port " << p;
    }
  }

  const uint32_t seed_;
  std::mt19937 rng_;
  Grid g_;
  std::array<Reference, kColours> ref_;
  std::array<int, 8> inq_{}, outq_{};  // colour of a queue
  int filters_ = 0;
  std::array<std::deque<uint64_t>, 8> push_;
  std::array<Words, 8> got_;
  std::array<int, 8> pop_rate_{};
};

void random_router(uint64_t seed, bool skip) {
  SCOPED_TRACE("OW_SEED=" + std::to_string(seed));
  RandomRouter(static_cast<uint32_t>(seed), skip).run();
}

TEST(RandomSwitch, AllColoursAsTheReferenceSays) {
  for (const uint64_t seed : test_seeds(1, draws(40))) random_router(seed, false);
}

TEST(RandomSwitch, SkippingIdleCyclesChangesNothing) {
  for (const uint64_t seed : test_seeds(101, draws(10))) random_router(seed, true);
}

TEST(RandomSwitch, RegistersOfWhatIsNotThereReadZero) {
  Grid g(1, 1);
  const auto read = [&g](uint32_t address) { return g.read(0, 0, address, 1)[0]; };
  for (int c = 0; c < int(isa::kMaxDataColours); ++c) {
    const bool there = c < OW_NODE_COLOURS;
    g.write_reg(
        0, 0, reg::Switch::address(c),
        reg::Switch::Last::put(3) | reg::Switch::Current::put(3) | reg::Switch::Torn::put(1));
    g.write_reg(0, 0, reg::Route::address(c), kObeys | reg::Route::Ring::put(1));
    const uint32_t moves = read(reg::Switch::address(c)), route = read(reg::Route::address(c));
    const uint32_t last = there ? OW_NODE_POSITIONS - 1 : 0;
    EXPECT_EQ(reg::Switch::Last::get(moves), last) << c;
    EXPECT_EQ(reg::Switch::Current::get(moves), last) << c;
    EXPECT_EQ(reg::Switch::Torn::get(moves), last != 0 ? 1u : 0u) << c;
    EXPECT_EQ(reg::Route::Enable::get(route), there ? 1u : 0u) << c;
    EXPECT_EQ(reg::Route::Obey::get(route), last != 0 ? 1u : 0u) << c;
    EXPECT_EQ(reg::Route::Ring::get(route), last != 0 ? 1u : 0u) << c;
  }
  for (int f = 0; f < int(isa::kNumFilters); ++f) {
    const uint32_t word = reg::Filter::Kind::put(kRange) | reg::Filter::CountData::put(1);
    const bool there = f < OW_NODE_FILTERS;
    g.write_reg(0, 0, reg::Filter::address(f), word);
    g.write_reg(0, 0, reg::FilterCount::address(f), 77);
    EXPECT_EQ(read(reg::Filter::address(f)), there ? word : 0u) << f;
    EXPECT_EQ(read(reg::FilterCount::address(f)), there ? 77u : 0u) << f;
  }
}

// With one position no other input is ever selected. So a write of ROUTE sets all credits, whatever
// it says of links without them and of credits that are kept: a stream passes, and every credit
// comes back exactly once.
TEST(RandomSwitch, WithOnePositionNoCreditsAreKeptOrLeftOut) {
  if (OW_NODE_POSITIONS > 1) GTEST_SKIP() << "credits are kept for other positions";
  constexpr int kWavelets = 10;
  for (int in = 0; in < 4; ++in) {
    SCOPED_TRACE("input " + std::to_string(in));
    const int to = (in + 2) % 4;
    Grid g(1, 1);
    for (int c = 0; c < OW_NODE_COLOURS; ++c) {
      Config k;
      k.ways = {way(in, out(to))};
      k.fresh_out = 15;
      k.kept_in = 15;
      configure(&g, 0, 0, c, k);
    }
    g.settle();
    for (int c = 0; c < OW_NODE_COLOURS; ++c) {
      for (int i = 0; i < kWavelets; ++i) {
        g.edge(in, 0).to_send_by_colour[c].push_back({c, false, uint32_t(100 * c + i)});
      }
    }
    g.run(20 * kWavelets * OW_NODE_COLOURS);
    for (int c = 0; c < OW_NODE_COLOURS; ++c) {
      EXPECT_EQ(words(g.edge(to, 0), c).size(), size_t(kWavelets)) << "colour " << c;
    }
    EXPECT_EQ(g.check_quiet(OW_NODE_COLOURS), "");
  }
}

// A push into a queue that the ramp does not have is an overrun and reaches no colour.
TEST(RandomSwitch, APushIntoAQueueThatIsNotThereIsAnOverrun) {
  if (OW_NODE_QUEUES == int(isa::kNumQueues)) GTEST_SKIP() << "all are there";
  Grid g(1, 1);
  for (int c = 0; c < OW_NODE_COLOURS; ++c) {
    g.route(0, 0, c, kRamp, 1 << kE);
    g.bind_out(0, 0, c, c);
  }
  g.settle();
  auto& m = g.at(0, 0).m();
  for (int q = OW_NODE_QUEUES; q < int(isa::kNumQueues); ++q) {
    while (!m.push_turn_o) g.step();
    m.push_i = 1;
    m.push_q_i = q;
    int reports = 0;
    for (int i = 0; i < 20; ++i) {
      g.step();
      m.push_i = 0;
      if (!m.err_valid_o) continue;
      ++reports;
      EXPECT_EQ(m.err_cause_o, int(isa::RampCause::Overrun));
      EXPECT_EQ(m.err_unit_o, q);
    }
    EXPECT_GE(reports, 1) << q;
  }
  EXPECT_TRUE(std::none_of(g.edge(kE, 0).seen.begin(), g.edge(kE, 0).seen.end(),
                           [](const Seen& s) { return s.w.colour < kReq; }));
}

}  // namespace
}  // namespace ow::fabric
