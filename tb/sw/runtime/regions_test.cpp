// SPDX-License-Identifier: Apache-2.0
// Regions of a layout, flows between them, and the colours that they share.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "draws.h"
#include "messages.h"
#include "openwafer/openwafer.h"
#include "ow/runtime/colours.h"
#include "ow/runtime/layout_state.h"
#include "seed.h"

namespace ow {
namespace {

const std::string kRegions = OW_KERNEL_DIR "/regions_kernel.elf";
constexpr int kFlows = 6, kLength = 4;

std::string flow_name(int k) { return "f" + std::to_string(k); }

// What the flows of a layout must do: for each flow, the tile from which a tile's words come.
using Place = std::pair<int, int>;
using Sources = std::map<int, std::map<Place, Place>>;

// Runs `exchange` in all tiles and compares what each received with what its source had.
void expect_flows(Runtime* machine, ow::Run* run, const Sources& sources) {
  const Rect& rect = run->rect();
  const auto tiles = static_cast<size_t>(rect.rows * rect.cols);
  std::vector<int32_t> own(tiles * kFlows * kLength);
  for (size_t i = 0; i < own.size(); ++i) own[i] = static_cast<int32_t>(i * 2654435761u);
  std::vector<int32_t> expected(own.size(), -1);
  run->write("own", own);
  run->write("got", expected);
  const auto at = [&](const Place& tile, int flow, int i) {
    return static_cast<size_t>(((tile.first * rect.cols + tile.second) * kFlows + flow) * kLength +
                               i);
  };
  for (const auto& [flow, from] : sources) {
    for (const auto& [to, source] : from) {
      for (int i = 0; i < kLength; ++i) expected[at(to, flow, i)] = own[at(source, flow, i)];
    }
  }
  run->launch("exchange").wait();
  EXPECT_EQ(run->read<int32_t>("got"), expected) << machine->info().description;
}

TEST(Regions, EachHasFlowsOfItsOwnAndTheSameColours) {
  Layout layout({2, 4});
  Program program(layout);
  const Region left = layout.region("left", {0, 0, 2, 2});
  const Region right = layout.region("right", {0, 2, 2, 2});
  Sources sources;
  for (Region region : {left, right}) {
    const Rect at = region;
    region.ring("f0", Side::East);
    region.broadcast_rows("f1", 1, /*itself=*/true);
    region.broadcast("f2", 1, 0);
    region.broadcast_columns("f3", 0);
    for (int r = 0; r < 2; ++r) {
      for (int c = 0; c < 2; ++c) {
        const Place tile{at.row + r, at.col + c};
        sources[0][tile] = {tile.first, at.col + 1 - c};
        sources[1][tile] = {tile.first, at.col + 1};
        if (r != 1 || c != 0) sources[2][tile] = {at.row + 1, at.col};
        if (r != 0) sources[3][tile] = {at.row, tile.second};
      }
    }
  }
  layout.flow("f4", left.column(0), right.column(1));
  layout.flow("f4", right.tile(1, 1), left);
  for (int r = 0; r < 2; ++r) sources[4][{r, 3}] = {r, 0};
  for (int t = 0; t < 4; ++t) sources[4][{t / 2, t % 2}] = {1, 3};
  EXPECT_EQ(message([&] { layout.flow("f4", left.column(1), right.column(1)); }),
            "layout: 'f4' has two inputs in tile (0, 3) of region 'right'");
  program = Program(layout);
  program.add_firmware(left, kRegions).add_firmware(right, kRegions);
  Runtime machine = open("sim:3x5");
  ow::Run run = machine.load(program, Rect{1, 1, 2, 4});
  expect_flows(&machine, &run, sources);
  const std::vector<uint32_t> place = run.read<uint32_t>("place");
  EXPECT_EQ(std::vector<uint32_t>(place.begin() + 4, place.begin() + 8),
            (std::vector<uint32_t>{0, 0, 0, 1}))
      << "rows and columns count within the region";
  // In a tile: two of the ring, and one of each other flow; beside them what passes.
  EXPECT_LE(run.colours(), 8);
}

TEST(Regions, WhatCannotBeIsRefusedWithRegionAndLimit) {
  Layout layout({2, 4});
  const Region a = layout.region("a", {0, 1, 2, 2});
  const auto refusal = [&](auto&& f) { return message(f); };
  EXPECT_EQ(refusal([&] { layout.region("a", {0, 0, 1, 1}); }), "layout: the name 'a' is taken");
  EXPECT_EQ(refusal([&] {
              layout.region("a.b", {0, 0, 1, 1});
            }),
            "layout: region 'a.b': a name has no '.' and is not empty");
  EXPECT_EQ(refusal([&] {
              layout.region("b", {1, 0, 2, 1});
            }),
            "layout: region 'b' of 2 x 1 tiles at (1, 0): the layout has 2 x 4");
  EXPECT_EQ(refusal([&] { a.column(2); }), "layout: tile (0, 2) of 2 x 2 of region 'a'");
  EXPECT_EQ(refusal([&] { Region(a).broadcast("x", 2, 0); }),
            "layout: tile (2, 0) of 2 x 2 of region 'a'");
  EXPECT_EQ(refusal([&] {
              layout.flow("x", Rect{0, 0, 2, 1}, Rect{0, 0, 1, 4});
            }),
            "layout: flow 'x' from 2 x 1 tiles at (0, 0) to 1 x 4 tiles at (0, 0): the senders are "
            "one tile, as many as the receivers, or a column or row of the receivers' length");
  EXPECT_EQ(refusal([&] {
              layout.flow("x", Rect{0, 0, 1, 1}, Rect{0, 3, 1, 2});
            }),
            "layout: flow 'x' names 1 x 2 tiles at (0, 3): the layout has 2 x 4");
  // 25 colours through one tile.
  Region region = a;
  for (int k = 0; k < 25; ++k) {
    const int colour = region.colour("c" + std::to_string(k));
    region.route(1, 1, colour, Route{Port::West, kOutE});
    region.host_sends("c" + std::to_string(k), Side::West, 1, 1, colour);
  }
  Runtime machine = open("sim:2x4");
  EXPECT_EQ(message([&] { machine.load(Program(kRegions, layout)); }),
            "layout: 25 colours pass tile (1, 0): the machine has 24");
}

// A chain of regions as a language model has them: ten flows meet in a tile, so about as many
// colours serve any number of regions.
TEST(Regions, ManyInARowShareTheColours) {
  constexpr int kRegionCount = 24;
  Layout layout({2, 2 * kRegionCount});
  std::vector<Region> regions;
  for (int k = 0; k < kRegionCount; ++k) {
    Region r = layout.region("layer" + std::to_string(k), {0, 2 * k, 2, 2});
    r.broadcast_rows("row", 0, /*itself=*/true);
    r.broadcast_columns("up", 1);
    r.shift("down", Side::South);
    r.shift("back", Side::North);
    r.shift("east", Side::East);
    r.shift("west", Side::West);
    r.broadcast("all", 0, 0);
    r.broadcast("vote", 1, 1, /*itself=*/true);
    regions.push_back(r);
  }
  for (size_t k = 0; k + 1 < regions.size(); ++k) {
    layout.flow("next", regions[k].column(0), regions[k + 1].column(0));
    layout.flow("previous", regions[k + 1].column(1), regions[k].column(1));
  }
  const LayoutState& state = layout.state();
  ColourProblem problem;
  problem.colours = 24;
  problem.nets.resize(state.nets.size());
  for (const auto& route : state.routes) {
    const auto [row, col, net] = route.first;
    problem.nets[static_cast<size_t>(net)].push_back({row, col});
  }
  const std::optional<std::vector<int>> colours = assign_colours(problem);
  ASSERT_TRUE(colours);
  EXPECT_LE(std::set<int>(colours->begin(), colours->end()).size(), 16u);
  // No two that meet are equal.
  std::map<std::tuple<int, int, int>, int> seen;
  for (size_t k = 0; k < problem.nets.size(); ++k) {
    for (const auto& [row, col] : problem.nets[k]) {
      EXPECT_TRUE(seen.insert({{row, col, (*colours)[k]}, 0}).second) << state.nets[k];
    }
  }
}

// Four nets in a row, each meeting the next. In this order the lowest free colour needs three.
TEST(Regions, ColoursAreFoundWhereTheOrderOfTheFlowsMisleads) {
  ColourProblem problem;
  problem.colours = 2;
  problem.nets = {{{0, 0}, {0, 1}}, {{0, 3}, {0, 4}}, {{0, 1}, {0, 2}}, {{0, 2}, {0, 3}}};
  const std::optional<std::vector<int>> colours = assign_colours(problem);
  ASSERT_TRUE(colours);
  EXPECT_NE((*colours)[0], (*colours)[2]);
  EXPECT_NE((*colours)[2], (*colours)[3]);
  EXPECT_NE((*colours)[3], (*colours)[1]);
  problem.nets.push_back({{0, 0}, {0, 4}});
  EXPECT_FALSE(assign_colours(problem)) << "five nets in a circle need three";
}

// Layouts of random regions and flows, against a model of what each tile must receive.
class Draw {
 public:
  explicit Draw(uint64_t seed)
      : random_(seed), shape_{number(1, 4), number(2, 6)}, layout_(shape_) {
    cut(whole(shape_), number(1, 4));
    for (int flow = 0; flow < kFlows; ++flow) {
      for (int tries = number(1, 6); tries > 0; --tries) add(flow);
    }
  }
  Program program() const {
    Program program(layout_);
    for (const Region& region : regions_) program.add_firmware(region, kRegions);
    return program;
  }
  GridShape shape() const { return shape_; }

  // Runs it and compares.
  void check(ow::Run* run, const std::string& what) {
    const size_t words = static_cast<size_t>(shape_.rows * shape_.cols * kFlows * kLength);
    std::vector<int32_t> own(words), got(words, -1);
    for (int32_t& word : own) word = static_cast<int32_t>(random_());
    run->write("own", own);
    run->write("got", got);
    for (int parts = number(0, 3); parts > 0; --parts) write_part(run, &own);
    for (const auto& [to, from] : source_) {
      for (int i = 0; i < kLength; ++i) got[at(to) + i] = own[at(from) + i];
    }
    for (const auto& [stream, ports] : sends_) {
      std::vector<int32_t> data;
      for (const std::vector<End>& port : ports) {
        for (int i = 0; i < kLength; ++i) {
          data.push_back(static_cast<int32_t>(random_()));
          for (const End& end : port) got[at(end) + i] = data.back();
        }
      }
      run->send(stream, data);
    }
    // Region by region, in any order: each waits for words of the others.
    std::shuffle(regions_.begin(), regions_.end(), random_);
    std::vector<Event> events;
    for (const Region& region : regions_) events.push_back(run->on(region).launch("exchange"));
    for (Event& event : events) event.wait();
    EXPECT_EQ(run->read<int32_t>("got"), got) << what;
    for (int parts = 0; parts < 3; ++parts) {
      const Part part = draw_part();
      EXPECT_EQ(run->on(part.rect).read<int32_t>("got", part.mapping()), part.of(*this, got))
          << what << ", a part";
    }
    for (const auto& [stream, ends] : receives_) {
      std::vector<int32_t> expected;
      for (const End& end : ends) {
        for (int i = 0; i < kLength; ++i) expected.push_back(own[at(end) + i]);
      }
      EXPECT_EQ(run->receive<int32_t>(stream, kLength), expected) << what << ", " << stream;
    }
  }

 private:
  struct End {
    Place tile;
    int flow;
    bool operator<(const End& other) const {
      return std::tie(tile, flow) < std::tie(other.tile, other.flow);
    }
  };

  // A part of the array of some tiles: flows and words.
  struct Part {
    Rect rect;
    int flow, flows, word, words;
    Mapping mapping() const {
      return Mapping::tiles()
          .slice(0, static_cast<size_t>(flow), static_cast<size_t>(flows))
          .slice(1, static_cast<size_t>(word), static_cast<size_t>(words));
    }
    // Calls `take` with the index of each of its elements, in the order of a copy.
    template <typename Take>
    void each(const Draw& draw, const Take& take) const {
      for (int r = 0; r < rect.rows; ++r) {
        for (int c = 0; c < rect.cols; ++c) {
          for (int f = flow; f < flow + flows; ++f) {
            for (int i = word; i < word + words; ++i) {
              take(draw.at({{rect.row + r, rect.col + c}, f}) + static_cast<size_t>(i));
            }
          }
        }
      }
    }
    std::vector<int32_t> of(const Draw& draw, const std::vector<int32_t>& all) const {
      std::vector<int32_t> part;
      each(draw, [&](size_t i) { part.push_back(all[i]); });
      return part;
    }
  };
  Part draw_part() {
    const Rect rect = rectangle();
    const int flow = number(0, kFlows - 1), word = number(0, kLength - 1);
    return {rect, flow, number(1, kFlows - flow), word, number(1, kLength - word)};
  }
  void write_part(ow::Run* run, std::vector<int32_t>* own) {
    const Part part = draw_part();
    part.each(*this, [&](size_t i) { (*own)[i] = static_cast<int32_t>(random_()); });
    run->on(part.rect).write("own", part.of(*this, *own), part.mapping());
  }

  int number(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  size_t at(const End& end) const {
    return static_cast<size_t>(
        ((end.tile.first * shape_.cols + end.tile.second) * kFlows + end.flow) * kLength);
  }

  // Cuts a rectangle into regions.
  void cut(const Rect& rect, int pieces) {
    const bool rows = rect.rows > 1 && (rect.cols == 1 || number(0, 1) == 0);
    const int length = rows ? rect.rows : rect.cols;
    if (pieces == 1 || length == 1) {
      regions_.push_back(layout_.region("r" + std::to_string(regions_.size()), rect));
      return;
    }
    const int first = number(1, length - 1);
    Rect a = rect, b = rect;
    (rows ? a.rows : a.cols) = first;
    (rows ? b.rows : b.cols) = length - first;
    (rows ? b.row : b.col) += first;
    cut(a, pieces / 2);
    cut(b, pieces - pieces / 2);
  }
  Rect rectangle() {
    const int row = number(0, shape_.rows - 1), col = number(0, shape_.cols - 1);
    return {row, col, number(1, shape_.rows - row), number(1, shape_.cols - col)};
  }

  // Words from a tile to others, if all their ends are free.
  using Pair = std::pair<Place, Place>;  // from, to
  bool free(int flow, const std::vector<Pair>& pairs, bool in = true, bool out = true) const {
    for (const auto& [from, to] : pairs) {
      if (in && inputs_.count({to, flow}) != 0) return false;
      if (out && outputs_.count({from, flow}) != 0) return false;
    }
    return !pairs.empty();
  }
  void record(int flow, const std::vector<Pair>& pairs) {
    for (const auto& [from, to] : pairs) {
      source_[{to, flow}] = {from, flow};
      inputs_.insert({to, flow});
      outputs_.insert({from, flow});
    }
  }

  void add(int flow) {
    Region region = regions_[static_cast<size_t>(number(0, static_cast<int>(regions_.size()) - 1))];
    const Rect at = region;
    const std::string name = flow_name(flow);
    if (!names_.insert({region.name(), flow}).second) return;
    const auto tile = [&](int r, int c) { return Place{at.row + r, at.col + c}; };
    std::vector<Pair> pairs;
    const auto each = [&](auto&& f) {
      for (int r = 0; r < at.rows; ++r) {
        for (int c = 0; c < at.cols; ++c) f(r, c);
      }
    };
    const int row = number(0, at.rows - 1), col = number(0, at.cols - 1);
    const bool itself = number(0, 1) == 0;
    const auto side = static_cast<Side>(number(0, 3));
    const auto in_turn = [&](bool closed) {  // each tile to the next one towards `side`
      static constexpr int kRows[] = {-1, 0, 1, 0}, kCols[] = {0, 1, 0, -1};
      each([&](int r, int c) {
        const int to_r = r + kRows[static_cast<int>(side)],
                  to_c = c + kCols[static_cast<int>(side)];
        const bool inside = to_r >= 0 && to_c >= 0 && to_r < at.rows && to_c < at.cols;
        if (!inside && !closed) return;
        pairs.push_back({tile(r, c), tile((to_r + at.rows) % at.rows, (to_c + at.cols) % at.cols)});
      });
    };
    switch (number(0, 7)) {
      case 0:
        in_turn(false);
        if (free(flow, pairs)) region.shift(name, side), record(flow, pairs);
        break;
      case 1:
        in_turn(true);
        if (free(flow, pairs)) region.ring(name, side), record(flow, pairs);
        break;
      case 2:
        each([&](int r, int c) {
          if (itself || r != row || c != col) pairs.push_back({tile(row, col), tile(r, c)});
        });
        if (free(flow, pairs)) region.broadcast(name, row, col, itself), record(flow, pairs);
        break;
      case 3:
        each([&](int r, int c) {
          if (itself || c != col) pairs.push_back({tile(r, col), tile(r, c)});
        });
        if (free(flow, pairs)) region.broadcast_rows(name, col, itself), record(flow, pairs);
        break;
      case 4:
        each([&](int r, int c) {
          if (itself || r != row) pairs.push_back({tile(row, c), tile(r, c)});
        });
        if (free(flow, pairs)) region.broadcast_columns(name, row, itself), record(flow, pairs);
        break;
      case 5:
        add_stream(region, flow, side);
        break;
      case 6:
        pairs = {{tile(row, col), tile(row, col)}};
        if (free(flow, pairs, false)) {
          region.leave(name, row, col, side);
          outputs_.insert({tile(row, col), flow});
          receives_[region.name() + "." + name] = {{tile(row, col), flow}};
        }
        break;
      default:
        add_flow(flow);
    }
  }

  // From the edge to all tiles of each line.
  void add_stream(Region region, int flow, Side side) {
    const Rect at = region;
    const bool by_row = side == Side::West || side == Side::East;
    std::vector<std::vector<End>> ports(static_cast<size_t>(by_row ? at.rows : at.cols));
    for (int r = 0; r < at.rows; ++r) {
      for (int c = 0; c < at.cols; ++c) {
        const End end{{at.row + r, at.col + c}, flow};
        if (inputs_.count(end) != 0) return;
        ports[static_cast<size_t>(by_row ? r : c)].push_back(end);
      }
    }
    region.broadcast(flow_name(flow), side);
    for (const std::vector<End>& port : ports) inputs_.insert(port.begin(), port.end());
    sends_[region.name() + "." + flow_name(flow)] = ports;
  }

  // Between two rectangles, however they lie.
  void add_flow(int flow) {
    const Rect to = rectangle();
    Rect from = rectangle();
    const int kind = number(0, 3);
    if (kind == 0) from.rows = from.cols = 1;
    if (kind == 1) from = Rect{to.row, from.col, to.rows, 1};
    if (kind == 2) from = Rect{from.row, to.col, 1, to.cols};
    if (kind == 3) from = to;
    std::vector<Pair> pairs;
    for (int r = 0; r < to.rows; ++r) {
      for (int c = 0; c < to.cols; ++c) {
        const Place source{from.row + (from.rows == 1 ? 0 : r),
                           from.col + (from.cols == 1 ? 0 : c)};
        pairs.push_back({source, {to.row + r, to.col + c}});
      }
    }
    if (!free(flow, pairs)) return;
    layout_.flow(flow_name(flow), from, to);
    record(flow, pairs);
  }

  std::mt19937_64 random_;
  GridShape shape_;
  Layout layout_;
  std::vector<Region> regions_;
  std::set<std::pair<std::string, int>> names_;
  std::set<End> inputs_, outputs_;
  std::map<End, End> source_;
  std::map<std::string, std::vector<std::vector<End>>> sends_;  // by port: who receives
  std::map<std::string, std::vector<End>> receives_;
};

TEST(Regions, RandomOnesDoWhatTheirModelSays) {
  for (const uint64_t seed : test_seeds(4100, draws(40))) {
    Draw draw(seed);
    const GridShape shape = draw.shape();
    Runtime machine = open("sim:" + std::to_string(shape.rows) + "x" + std::to_string(shape.cols));
    ow::Run run = machine.load(draw.program());
    for (int round = 0; round < 2; ++round) draw.check(&run, "OW_SEED=" + std::to_string(seed));
  }
}

}  // namespace
}  // namespace ow
