// SPDX-License-Identifier: Apache-2.0
// Requests of one word between the tiles of a grid.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/measure/fabric/measure.h"
#include "ow/measure/fabric/node_grid.h"

namespace ow::fabric {
namespace {

constexpr int kSide = 8;
constexpr int kTiles = kSide * kSide;

uint32_t brief(int from, int to) {
  return one_word(to / kSide - from / kSide, to % kSide - from % kSide, to);
}

// Checks that the request that tile `at` takes is for it: no hop is left, and its task is the
// tile's.
void check_request(int at, uint32_t word) {
  using Brief = isa::PacketBrief;
  const auto task = Brief::Task::get(Brief::Task::put(at));
  if (Brief::HopsX::get(word) != 0 || Brief::HopsY::get(word) != 0 ||
      Brief::Task::get(word) != task) {
    throw DeviceFault(fmt::format("requests: tile ({}, {}) takes the request 0x{:08x}", at / kSide,
                                  at % kSide, word));
  }
}

// One request at a time, from each tile to each: cycles from the request to the answer, less the
// hops.
struct Latency {
  double least = 1e9, most = 0;
};

Latency one_by_one(const Progress& progress) {
  Latency latency;
  Grid g(kSide, kSide);
  g.skip = true;
  int from = 0, to = 0;
  uint64_t asked = 0, got = 0;
  bool waiting = false;
  g.drive_node = [&](int r, int c, Node& n) {
    auto& m = n.m();
    const int t = r * kSide + c;
    m.ask_valid_i = 0;
    if (t == from && !waiting) {
      m.ask_valid_i = 1;
      m.ask_i = brief(from, to);
      asked = g.cycle();
      waiting = true;
      return;
    }
    if (m.got_o) {
      if (t != to) throw DeviceFault("requests: a request came to the wrong tile");
      check_request(t, m.got_data_o);
      got = g.cycle();
    }
  };
  for (from = 0; from < kTiles; ++from) {
    for (to = 0; to < kTiles; ++to) {
      waiting = false;
      got = 0;
      for (int i = 0; i < 100 && got == 0; ++i) g.step();
      if (got == 0) throw DeviceFault("requests: a request did not arrive");
      g.step();
      const int hops = std::abs(from / kSide - to / kSide) + std::abs(from % kSide - to % kSide);
      const double extra = static_cast<double>(got - asked) - hops;
      latency.most = std::max(latency.most, extra);
      latency.least = std::min(latency.least, extra);
    }
    progress(0.5 * (from + 1) / kTiles);
  }
  return latency;
}

// Every tile sends requests to random tiles as often as it can; counts what is taken in a number of
// cycles. Then no tile sends any more, and each tile must have taken every request to it.
uint64_t at_full_load(uint64_t seed, int cycles, const Progress& progress) {
  Rng rng(seed);
  Grid g(kSide, kSide);
  uint64_t delivered = 0;
  bool asking = true;
  const auto draw = [&] { return static_cast<int>(rng.below(kTiles)); };
  std::vector<int> next(kTiles);
  for (int& to : next) to = draw();
  std::vector<int64_t> under_way(kTiles);  // to each tile: asked for less taken
  g.drive_node = [&](int r, int c, Node& n) {
    auto& m = n.m();
    const int t = r * kSide + c;
    if (m.got_o) {
      check_request(t, m.got_data_o);
      --under_way[static_cast<size_t>(t)];
      ++delivered;
    }
    m.ask_valid_i = asking;
    int& to = next[static_cast<size_t>(t)];
    m.ask_i = brief(t, to);
    if (!asking || !m.ask_ready_o) return;
    ++under_way[static_cast<size_t>(to)];
    to = draw();
  };
  g.run(cycles / 4);
  delivered = 0;
  for (int i = 0; i < cycles; ++i) {
    g.step();
    if (i % 100 == 0) progress(0.5 + 0.5 * i / cycles);
  }
  const uint64_t result = delivered;
  asking = false;
  g.run(1000);
  for (int t = 0; t < kTiles; ++t) {
    const int64_t left = under_way[static_cast<size_t>(t)];
    if (left == 0) continue;
    throw DeviceFault(
        fmt::format("requests at full load: tile ({}, {}) has {} {} of what was asked of it",
                    t / kSide, t % kSide, std::abs(left), left > 0 ? "not taken" : "taken twice"));
  }
  return result;
}

}  // namespace

std::vector<Figure> measure_requests(uint64_t seed, int cycles, const Progress& progress) {
  const Latency latency = one_by_one(progress);
  const auto delivered = static_cast<double>(at_full_load(seed, cycles, progress));
  const double rate = delivered / cycles / kTiles;
  const double bound = 4.0 / kSide;
  return {{"fabric.request_latency",
           latency.most,
           {{"pairs", kTiles * kTiles}, {"least", latency.least}, {"most", latency.most}}},
          {"fabric.request_load",
           100 * rate / bound,
           {{"delivered", delivered},
            {"cycles", static_cast<double>(cycles)},
            {"tiles", kTiles},
            {"wavelets_a_tile_and_cycle", rate}}}};
}

}  // namespace ow::fabric
