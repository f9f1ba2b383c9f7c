// SPDX-License-Identifier: Apache-2.0
// Flows whose source is a tile, streams that are dealt out to tiles, and programs side by side.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "messages.h"
#include "openwafer/openwafer.h"

namespace ow {
namespace {

const std::string kPatterns = OW_KERNEL_DIR "/patterns_kernel.elf";
const std::string kFlows = OW_KERNEL_DIR "/flows_kernel.elf";

std::vector<int32_t> numbers(int n, int32_t seed) {
  std::vector<int32_t> words;
  for (int i = 0; i < n; ++i) words.push_back(1000 * seed + i);
  return words;
}

TEST(Flows, ATileBroadcastsToAllToItsRowAndToItsColumn) {
  const GridShape shape{3, 4};
  for (const auto& [row, col] : {std::pair{1, 2}, {0, 0}, {2, 3}}) {
    Layout layout(shape);
    layout.broadcast("all", row, col);
    layout.broadcast_rows("row", col);
    layout.broadcast_columns("column", row);
    layout.scatter("part", Side::North);
    Runtime machine = open("sim:4x5");
    ow::Run run = machine.load(Program(kPatterns, layout), Rect{1, 1, 3, 4});
    const std::vector<int32_t> own = numbers(48, 1);
    run.write("own", own);
    run.launch("broadcasts").wait();
    const auto check = [&](const char* name, bool to_all, bool to_row) {
      const std::vector<int32_t> got = run.read<int32_t>(name);
      for (int r = 0; r < shape.rows; ++r) {
        for (int c = 0; c < shape.cols; ++c) {
          const int from_row = to_row && !to_all ? r : row;
          const int from_col = to_row || to_all ? col : c;
          if (r == from_row && c == from_col) continue;
          for (int k = 0; k < 4; ++k) {
            EXPECT_EQ(got[static_cast<size_t>((r * shape.cols + c) * 4 + k)],
                      own[static_cast<size_t>((from_row * shape.cols + from_col) * 4 + k)])
                << name << " in tile " << r << ", " << c;
          }
        }
      }
    };
    check("of_all", true, false);
    check("of_row", false, true);
    check("of_column", false, false);
  }
  Layout one({1, 1});
  EXPECT_THROW(one.broadcast("x", 0, 0), BadInput);
  EXPECT_THROW(one.broadcast_rows("x", 0), BadInput);
  EXPECT_THROW(one.broadcast_columns("x", 0), BadInput);
  EXPECT_THROW(one.broadcast("x", 0, 1), BadInput);
}

// In lines longer than a control wavelet has commands, too, and as often as wanted.
TEST(Flows, AScatteredStreamGivesEachTileItsPart) {
  for (const auto& [shape, side] : {std::pair{GridShape{2, 3}, Side::West},
                                    {GridShape{2, 3}, Side::East},
                                    {GridShape{2, 3}, Side::South},
                                    {GridShape{10, 1}, Side::North},
                                    {GridShape{1, 2}, Side::North}}) {
    Layout layout(shape);
    layout.scatter("part", side);
    Runtime machine = open("sim:10x4");
    ow::Run run = machine.load(Program(kPatterns, layout));
    const bool by_row = side == Side::West || side == Side::East;
    const int ports = by_row ? shape.rows : shape.cols;
    const int line = by_row ? shape.cols : shape.rows;
    for (int round = 0; round < 3; ++round) {
      const std::vector<int32_t> data = numbers(4 * ports * line, round);
      run.send("part", data);
      run.launch("parts").wait();
      const std::vector<int32_t> got = run.read<int32_t>("mine");
      for (int p = 0; p < ports; ++p) {
        for (int i = 0; i < line; ++i) {  // the nearest first
          const int at = side == Side::West || side == Side::North ? i : line - 1 - i;
          const int tile = by_row ? p * shape.cols + at : at * shape.cols + p;
          for (int k = 0; k < 4; ++k) {
            EXPECT_EQ(got[static_cast<size_t>(4 * tile + k)],
                      data[static_cast<size_t>((p * line + i) * 4 + k)])
                << side_name(side) << ", port " << p << ", tile " << i << " of its line";
          }
        }
      }
    }
    if (line > 1) {
      EXPECT_TRUE(has(message([&] { run.send("part", numbers(4 * ports * line - 1, 0)); }),
                      "elements cannot be cut evenly over"));
    }
  }
}

// Two programs of the same layout: the one's streams cross the other's tiles, and both were
// numbered from 0.
TEST(Flows, ProgramsSideBySideHaveColoursOfTheirOwn) {
  Layout layout({3, 3});
  layout.broadcast("v", Side::North);
  layout.shift("s", Side::South);
  layout.chain("c", Side::East);
  layout.gather("g", Side::West);
  Runtime machine = open("sim:6x6");
  // The lower ones' streams pass the upper ones, the right ones' the left ones.
  std::vector<ow::Run> runs;
  const std::vector<Rect> places = {{3, 3, 3, 3}, {0, 0, 3, 3}, {0, 3, 3, 3}, {3, 0, 3, 3}};
  for (const Rect& place : places) runs.push_back(machine.load(Program(kFlows, layout), place));
  const auto check = [&] {
    for (size_t i = 0; i < runs.size(); ++i) {
      runs[i].send("v", numbers(12, static_cast<int32_t>(i)));
    }
    std::vector<Event> events;
    for (ow::Run& run : runs) events.push_back(run.launch("flow"));
    for (Event& event : events) event.wait();
    for (size_t i = 0; i < runs.size(); ++i) {
      const std::vector<int32_t> v = numbers(12, static_cast<int32_t>(i));
      const std::vector<int32_t> gathered = runs[i].receive<int32_t>("g", 12);
      for (int t = 0; t < 9; ++t) {
        for (int k = 0; k < 4; ++k) {
          int32_t sum = 0;
          for (int c = 0; c <= t % 3; ++c) sum += v[static_cast<size_t>(4 * c + k)];
          EXPECT_EQ(gathered[static_cast<size_t>(4 * t + k)], sum) << "program " << i;
        }
      }
    }
  };
  check();
  // One that is loaded again leaves alone what passes its tiles.
  runs[1] = machine.load(Program(kFlows, layout), places[1]);
  check();
}

TEST(Flows, WhereNoColoursAreLeftTheNumberIsNamed) {
  Layout wide({1, 1});  // colours that leave through the tiles of the other
  for (int k = 0; k < 5; ++k) {
    const int colour = wide.colour("x" + std::to_string(k));
    wide.route(0, 0, colour, Route{Port::East, kOutW});
    wide.host_sends("in" + std::to_string(k), Side::East, 0, 0, colour);
    wide.host_receives("out" + std::to_string(k), 0, 0, Side::West, colour);
  }
  Layout passing({1, 1});
  for (int k = 0; k < 20; ++k) {
    const int colour = passing.colour("x" + std::to_string(k));
    passing.route(0, 0, colour, Route{Port::East, kOutW});
    passing.host_sends("in" + std::to_string(k), Side::East, 0, 0, colour);
    passing.host_receives("out" + std::to_string(k), 0, 0, Side::West, colour);
  }
  Runtime machine = open("sim:1x2");
  const ow::Run left = machine.load(Program(kFlows, passing), Rect{0, 0, 1, 1});
  EXPECT_EQ(message([&] {
              machine.load(Program(kFlows, wide), Rect{0, 1, 1, 1});
            }),
            "layout: 5 colours pass tile (0, 0), beside 20 of other programs: the machine has 24");
}

}  // namespace
}  // namespace ow
