// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/fabric/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/device/neighbours.h"
#include "ow/isa/isa.h"
#include "ow/measure/fabric/node_grid.h"

namespace ow::fabric {
namespace {

constexpr int kSide = 8;
constexpr int kDataColours = isa::kFull.num_colours;

// Counts the words of each colour, and checks that they arrive in the order in which they were
// sent.
class Counted {
 public:
  explicit Counted(const char* row) : row_(row) {}

  uint32_t next(int colour) { return sent_[static_cast<size_t>(colour)]++; }

  // Keeps a source at work: never empty.
  void refill(Edge* edge, int colour) {
    auto& q = edge->to_send_by_colour[static_cast<size_t>(colour)];
    while (q.size() < 4) q.push_back({colour, false, next(colour)});
  }

  void check(const std::vector<Seen>& seen) {
    for (; at_ < seen.size(); ++at_) {
      const Wavelet& w = seen[at_].w;
      if (w.colour >= kDataColours) continue;
      const uint32_t expected = came_[static_cast<size_t>(w.colour)]++;
      if (w.data != expected || w.ctrl) {
        throw DeviceFault(fmt::format("{}: colour {} brings 0x{:08x}{} instead of 0x{:08x}", row_,
                                      w.colour, w.data, w.ctrl ? " (control)" : "", expected));
      }
    }
  }

 private:
  const char* row_;
  std::array<uint32_t, kDataColours> sent_{}, came_{};
  size_t at_ = 0;  // of what was seen, looked at so far
};

// --------------------------------------------------------------------------------- equal shares --
// Flows on the east output of one router: at[i] of the inputs north, south, west and ramp. Returns
// the largest relative deviation from 1/n.
double deviation(const std::array<int, 4>& at, double* use) {
  Grid g(1, 1);
  std::vector<std::pair<int, int>> flows;  // input port, colour
  const int port[4] = {kN, kS, kW, kRamp};
  int colour = 0;
  int queue = 0;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < at[static_cast<size_t>(i)]; ++k) {
      g.route(0, 0, colour, port[i], 1 << kE);
      if (port[i] == kRamp) g.bind_out(0, 0, queue++, colour);
      flows.push_back({port[i], colour});
      colour += 2;
    }
  }
  g.settle();
  Counted words("shares");
  std::vector<int> colour_of;  // of the output queues
  for (const auto& [p, c] : flows) {
    if (p == kRamp) colour_of.push_back(c);
  }
  int next = 0;
  g.drive_node = [&](int, int, Node& n) {
    // One push per cycle, to the queues in turn, is as much as the output takes.
    n.m().push_i = 0;
    for (int i = 1; i <= queue; ++i) {
      const int q = (next + i) % queue;
      if (!n.out_ready(q)) continue;
      n.m().push_i = 1;
      n.m().push_q_i = static_cast<uint8_t>(q);
      n.m().push_data_i = words.next(colour_of[static_cast<size_t>(q)]);
      next = q;
      break;
    }
  };
  const int n = static_cast<int>(flows.size());
  const auto run = [&](int cycles) {
    for (int i = 0; i < cycles; ++i) {
      for (const auto& [p, c] : flows) {
        if (p != kRamp) words.refill(&g.edge(p, 0), c);
      }
      g.step();
    }
    words.check(g.edge(kE, 0).seen);
  };
  run(200);
  const size_t first = g.edge(kE, 0).seen.size();
  const int cycles = 800 * n;
  run(cycles);
  std::map<int, int> count;
  const auto& seen = g.edge(kE, 0).seen;
  for (size_t i = first; i < seen.size(); ++i) ++count[seen[i].w.colour];
  const double total = static_cast<double>(seen.size() - first);
  *use = total / cycles;
  double worst = 0;
  for (const auto& f : flows) {
    worst = std::max(worst, std::abs(count[f.second] * n / total - 1));
  }
  return worst;
}

double control_share(double* use) {
  Grid g(1, 1);
  g.route(0, 0, 0, kN, 1 << kE);
  g.route(0, 0, 1, kS, 1 << kE);
  g.settle();
  const int cycles = 4000;
  Counted words("control plane");
  size_t first = 0;
  for (int i = 0; i < cycles + 200; ++i) {
    if (i == 200) first = g.edge(kE, 0).seen.size();
    words.refill(&g.edge(kN, 0), 0);
    words.refill(&g.edge(kS, 0), 1);
    // Requests of one word that go on to the east.
    auto& q = g.edge(kW, 0).to_send_by_colour[kReq];
    while (q.size() < 4) q.push_back({kReq, true, 100});
    g.step();
  }
  int control = 0;
  const auto& seen = g.edge(kE, 0).seen;
  words.check(seen);
  for (size_t i = first; i < seen.size(); ++i) control += seen[i].w.colour == kReq;
  *use = static_cast<double>(seen.size() - first) / cycles;
  return static_cast<double>(control) / cycles;
}

// ---------------------------------------------------------------------------------- all colours --
struct Path {
  int colour;
  int source;              // tile
  std::vector<int> sinks;  // tiles
  int out_queue = -1;
  std::vector<int> in_queues;
};

struct Draw {
  std::vector<Path> paths;
  std::map<std::pair<int, int>, std::pair<int, int>> routes;  // colour, tile -> input, outputs
  std::map<std::pair<int, int>, int> load;                    // tile, port (5: from the ramp)
};

// Draws paths on all colours. A source injects at most one wavelet per cycle over all its queues,
// and a sink takes at most one, so ramps count as links.
class PathDrawer {
 public:
  explicit PathDrawer(Rng* rng) : rng_(*rng), ins_(kTiles), outs_(kTiles) {}

  Draw run() {
    for (int colour = 0; colour < kDataColours; ++colour) {
      used_.clear();
      if (colour % 4 == 3) {
        draw_multicast(colour);
      } else {
        draw_permutation(colour);
      }
    }
    return std::move(draw_);
  }

 private:
  static constexpr int kTiles = kSide * kSide;
  using Way = std::vector<std::pair<int, int>>;  // tile, port that it leaves by

  int pick(int n) { return static_cast<int>(rng_.below(static_cast<uint64_t>(n))); }
  // Every order is equally likely (Fisher and Yates). std::shuffle differs between libraries.
  void shuffle(std::vector<int>* v) {
    for (size_t n = v->size(); n > 1; --n) std::swap((*v)[n - 1], (*v)[rng_.below(n)]);
  }
  int& ins(int tile) { return ins_[static_cast<size_t>(tile)]; }
  int& outs(int tile) { return outs_[static_cast<size_t>(tile)]; }

  // A random tree from one tile.
  void draw_multicast(int colour) {
    int root = pick(kTiles);
    while (outs(root) == 8) root = pick(kTiles);
    Path p{colour, root, {}, outs(root)++, {}};
    std::vector<int> frontier = {root};
    used_.insert(root);
    draw_.routes[{colour, root}] = {kRamp, 0};
    while (!frontier.empty()) {
      const int k = pick(static_cast<int>(frontier.size()));
      const int t = frontier[static_cast<size_t>(k)];
      frontier.erase(frontier.begin() + k);
      auto& mask = draw_.routes[{colour, t}].second;
      mask = draw_branches(colour, t, &frontier);
      if (t != root && (mask == 0 || pick(2)) && ins(t) < 8) {
        mask |= 1 << kRamp;
        ++draw_.load[{t, kRamp}];
        p.sinks.push_back(t);
        p.in_queues.push_back(ins(t)++);
      }
    }
    if (p.sinks.empty()) return;
    ++draw_.load[{root, 5}];
    draw_.paths.push_back(p);
  }

  // The ports to tiles where the tree goes on.
  int draw_branches(int colour, int t, std::vector<int>* frontier) {
    int mask = 0;
    for (int port = 0; port < 4; ++port) {
      const int r = t / kSide + kRowStep[port], c = t % kSide + kColStep[port];
      if (r < 0 || c < 0 || r >= kSide || c >= kSide || pick(100) >= 60) continue;
      const int next = r * kSide + c;
      if (!used_.insert(next).second) continue;
      mask |= 1 << port;
      ++draw_.load[{t, port}];
      draw_.routes[{colour, next}] = {(port + 2) % 4, 0};
      frontier->push_back(next);
    }
    return mask;
  }

  // Pairs in random order, where no path of the colour is in the way.
  void draw_permutation(int colour) {
    std::vector<int> to(kTiles), order(kTiles);
    std::iota(to.begin(), to.end(), 0);
    order = to;
    shuffle(&to);
    shuffle(&order);
    for (const int from : order) {
      const int dest = to[static_cast<size_t>(from)];
      if (dest == from || outs(from) == 8 || ins(dest) == 8) continue;
      const Way way = way_to(from, dest);
      bool free = used_.count(dest) == 0;
      for (const auto& w : way) free = free && used_.count(w.first) == 0;
      if (free) add_path(colour, from, dest, way);
    }
  }

  // Along X, then along Y.
  static Way way_to(int from, int dest) {
    Way way;
    int r = from / kSide, c = from % kSide;
    while (r * kSide + c != dest) {
      const int port = c < dest % kSide ? kE : c > dest % kSide ? kW : r < dest / kSide ? kS : kN;
      way.push_back({r * kSide + c, port});
      r += kRowStep[port];
      c += kColStep[port];
    }
    return way;
  }

  void add_path(int colour, int from, int dest, const Way& way) {
    int in = kRamp;
    for (const auto& [t, port] : way) {
      used_.insert(t);
      draw_.routes[{colour, t}] = {in, 1 << port};
      ++draw_.load[{t, port}];
      in = (port + 2) % 4;
    }
    used_.insert(dest);
    draw_.routes[{colour, dest}] = {in, 1 << kRamp};
    ++draw_.load[{dest, kRamp}];
    ++draw_.load[{from, 5}];
    draw_.paths.push_back({colour, from, {dest}, outs(from)++, {ins(dest)++}});
  }

  Rng& rng_;
  Draw draw_;
  std::vector<int> ins_, outs_;  // queues of each tile in use
  std::set<int> used_;           // tiles on paths of the colour
};

struct ColourRun {
  int load = 0;
  uint64_t cycles = 0;
  size_t flows = 0;
  double percent(int words) const { return 100.0 * load * words / static_cast<double>(cycles); }
};

ColourRun run_colours(uint64_t seed, int words) {
  Rng rng(seed);
  Draw d = PathDrawer(&rng).run();
  Grid g(kSide, kSide);
  g.skip = true;
  for (const auto& [key, way] : d.routes) {
    g.route(key.second / kSide, key.second % kSide, key.first, way.first, way.second);
  }
  const int tiles = kSide * kSide;
  // A queue sends or takes the words of one path in order, each with the number of the path.
  struct Flow {
    int queue = 0;
    uint32_t path = 0;
    uint32_t next = 0;
    uint32_t word() const { return path << 16 | next; }
  };
  std::vector<std::vector<Flow>> pushes(static_cast<size_t>(tiles));
  std::vector<std::array<Flow, 8>> takes(static_cast<size_t>(tiles));
  size_t expected = 0;
  for (uint32_t number = 0; number < d.paths.size(); ++number) {
    const Path& p = d.paths[number];
    g.bind_out(p.source / kSide, p.source % kSide, p.out_queue, p.colour);
    pushes[static_cast<size_t>(p.source)].push_back({p.out_queue, number, 0});
    for (size_t i = 0; i < p.sinks.size(); ++i) {
      g.bind_in(p.sinks[i] / kSide, p.sinks[i] % kSide, p.in_queues[i], p.colour);
      takes[static_cast<size_t>(p.sinks[i])][static_cast<size_t>(p.in_queues[i])] = {p.in_queues[i],
                                                                                     number, 0};
      expected += static_cast<size_t>(words);
    }
  }
  g.settle(1000000);
  size_t taken = 0;
  std::vector<size_t> turn(static_cast<size_t>(tiles));
  g.drive_node = [&](int r, int c, Node& n) {
    auto& m = n.m();
    const size_t t = static_cast<size_t>(r * kSide + c);
    m.push_i = 0;
    m.inq_pop_i = m.inq_valid_o;
    taken += static_cast<size_t>(__builtin_popcount(m.inq_valid_o));
    for (int q = 0; q < 8; ++q) {
      if (!n.in_valid(q)) continue;
      Flow& flow = takes[t][static_cast<size_t>(q)];
      const auto got = static_cast<uint32_t>(n.in_head(q));
      if (got != flow.word()) {
        throw DeviceFault(
            fmt::format("permutations: tile ({}, {}) queue {} takes 0x{:08x} instead of 0x{:08x}",
                        r, c, q, got, flow.word()));
      }
      ++flow.next;
    }
    auto& mine = pushes[t];
    for (size_t i = 1; i <= mine.size(); ++i) {
      Flow& flow = mine[(turn[t] + i) % mine.size()];
      if (flow.next == static_cast<uint32_t>(words) || !n.out_ready(flow.queue)) continue;
      m.push_i = 1;
      m.push_q_i = static_cast<uint8_t>(flow.queue);
      m.push_data_i = static_cast<uint64_t>(flow.word());
      ++flow.next;
      turn[t] = (turn[t] + i) % mine.size();
      break;
    }
  };
  ColourRun result;
  result.flows = d.paths.size();
  for (const auto& l : d.load) result.load = std::max(result.load, l.second);
  const uint64_t start = g.cycle();
  while (taken < expected) {
    g.step();
    if (g.cycle() - start > 100ull * static_cast<uint64_t>(words)) {
      throw InternalError("the colours of the permutations do not arrive");
    }
  }
  result.cycles = g.cycle() - start;
  return result;
}

}  // namespace

std::vector<Figure> measure_shares(int most, const Progress& progress) {
  double worst = 0, least_use = 1, pair_use = 1;
  int placements = 0;
  for (int n = 2; n <= most; ++n) {
    for (int a = 0; a <= n; ++a) {
      for (int b = 0; a + b <= n; ++b) {
        for (int c = 0; a + b + c <= n; ++c) {
          double use = 0;
          worst = std::max(worst, deviation({a, b, c, n - a - b - c}, &use));
          least_use = std::min(least_use, use);
          if (n == 2) pair_use = std::min(pair_use, use);
          ++placements;
        }
      }
    }
    progress(static_cast<double>(n) / most);
  }
  double use = 0;
  const double control = control_share(&use);
  return {{"fabric.fair_share_error", 100 * worst, {{"placements", placements}, {"flows", most}}},
          {"fabric.control_share", 100 * control, {{"share", control}, {"use", use}}},
          {"fabric.link_use",
           100 * pair_use,
           {{"two_colours", pair_use}, {"all_placements", least_use}}}};
}

std::vector<Figure> measure_colours(uint64_t seed, int runs, int words, const Progress& progress) {
  Figure f{"fabric.permutations", 100, {}};
  for (int i = 0; i < runs; ++i) {
    const ColourRun run = run_colours(seed + static_cast<uint64_t>(i), words);
    if (run.percent(words) <= f.value) {
      f.value = run.percent(words);
      f.raw = {{"words", words},
               {"load", run.load},
               {"cycles", static_cast<double>(run.cycles)},
               {"flows", static_cast<double>(run.flows)},
               {"runs", runs}};
    }
    progress((i + 1.0) / runs);
  }
  return {f};
}

std::vector<Figure> measure_broadcast(int words, const Progress& progress) {
  Grid g(1, kSide);
  for (int c = 0; c < kSide; ++c) {
    g.route(0, c, 0, kW, 1 << kRamp | (c + 1 < kSide ? 1 << kE : 0));
    g.bind_in(0, c, 0, 0);
  }
  g.settle();
  std::array<uint64_t, kSide> first{}, last{};
  std::array<int, kSide> got{};
  g.drive_node = [&](int, int c, Node& n) {
    n.m().inq_pop_i = n.m().inq_valid_o;
    if (!n.in_valid(0)) return;
    const size_t i = static_cast<size_t>(c);
    if (n.in_head(0) != static_cast<uint64_t>(got[i])) {
      throw DeviceFault(fmt::format("broadcast: tile {} takes 0x{:x} instead of 0x{:x}", c,
                                    n.in_head(0), got[i]));
    }
    if (got[i]++ == 0) first[i] = g.cycle();
    last[i] = g.cycle();
  };
  for (int i = 0; i < words; ++i) g.edge(kW, 0).to_send.push_back({0, false, uint32_t(i)});
  g.run(words + 50);
  double rate = 1e9;
  for (size_t i = 0; i < kSide; ++i) {
    if (got[i] != words) throw DeviceFault("broadcast: a broadcast did not arrive everywhere");
    rate = std::min(rate, (words - 1) / static_cast<double>(last[i] - first[i]));
  }
  progress(1);
  return {{"fabric.broadcast_rate",
           rate,
           {{"words", words},
            {"tiles", kSide},
            {"cycles_at_the_last_tile", static_cast<double>(last[kSide - 1] - first[kSide - 1])}}}};
}

}  // namespace ow::fabric
