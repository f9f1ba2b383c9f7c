// SPDX-License-Identifier: Apache-2.0
// The library that user programs link: copies by name, launches, flows, streams.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "messages.h"
#include "openwafer/openwafer.h"
#include "ow/device/bulk.h"
#include "ow/isa/isa.h"
#include "ow/sim/sim.h"

namespace ow {
namespace {

const std::string kElf = OW_KERNEL_DIR "/library_kernel.elf";
const std::string kFlows = OW_KERNEL_DIR "/flows_kernel.elf";
constexpr uint32_t kSramBytes = isa::kFull.sram_bytes;

// No object can be made without a machine.
static_assert(!std::is_constructible_v<Runtime, std::nullptr_t>);
static_assert(!std::is_constructible_v<ow::Run, std::nullptr_t>);
static_assert(!std::is_constructible_v<Event, std::nullptr_t>);

TEST(Library, AMachineSaysWhatItIs) {
  const Runtime machine = open("sim:2x3");
  EXPECT_EQ(machine.info().grid, (GridShape{2, 3}));
  EXPECT_EQ(machine.info().lanes, 8);
  EXPECT_EQ(machine.info().colours, 24);
  EXPECT_EQ(machine.info().threads, 13);
  EXPECT_EQ(machine.info().sram_bytes, kSramBytes);
  for (const char* wrong :
       {"", "sim", "sim:0x1", "sim:2x", "uart:x", "wafer:", "wafer:none.yaml"}) {
    EXPECT_THROW(open(wrong), BadInput) << wrong;
  }
}

TEST(Library, CopiesLandWhereTheMappingSays) {
  Runtime machine = open("sim:3x4");
  const Rect rect{1, 1, 2, 3};
  ow::Run run = machine.load(Program(kElf), rect);
  std::vector<f16> a;
  for (int i = 0; i < 8 * 18; ++i) a.push_back(f16(i));
  const auto tile = [&](int r, int c, int i, int k) {  // by the tile's own array
    return run.read<f16>("matrix")[static_cast<size_t>(((r * 3 + c) * 4 + i) * 6 + k)];
  };
  run.write("matrix", a, Mapping::blocks());
  EXPECT_EQ(run.read<f16>("matrix", Mapping::blocks()), a);
  EXPECT_EQ(tile(1, 2, 3, 5), f16((4 + 3) * 18 + 12 + 5));
  EXPECT_EQ(tile(0, 1, 2, 0), f16(2 * 18 + 6));
  run.write("matrix", a, Mapping::cyclic());
  EXPECT_EQ(run.read<f16>("matrix", Mapping::cyclic()), a);
  EXPECT_EQ(tile(1, 2, 3, 5), f16((3 * 2 + 1) * 18 + 5 * 3 + 2));
  run.write("matrix", a);
  EXPECT_EQ(run.read<f16>("matrix"), a);

  std::vector<int32_t> v;
  for (int i = 0; i < 24; ++i) v.push_back(i);
  run.write("vector", v, Mapping::along_columns());
  const std::vector<int32_t> all = run.read<int32_t>("vector");
  EXPECT_EQ(all[0], 0);
  EXPECT_EQ(all[static_cast<size_t>(4 * 8 + 3)], 11) << "row 1, column 1 has the second block";
  EXPECT_EQ(run.read<int32_t>("vector", Mapping::along_columns()), v);

  // What shares the last word of an array with it is left alone.
  run.write("bytes", std::vector<uint8_t>{1, 2, 3, 4, 5}, Mapping::same());
  EXPECT_EQ(run.read<uint8_t>("bytes", Mapping::same()), (std::vector<uint8_t>{1, 2, 3, 4, 5}));
}

TEST(Library, ACopyOfAnotherTypeOrSizeIsRefused) {
  Runtime machine = open("sim:1x2");
  ow::Run run = machine.load(Program(kElf));
  EXPECT_TRUE(has(message([&] { run.write("matrix", std::vector<float>(48)); }),
                  "'matrix' is f16[4][6], not f32"));
  EXPECT_TRUE(has(message([&] { run.write("vector", std::vector<int32_t>(9)); }),
                  "'vector' is i32[8] in each of 1 x 2 tiles: 9 elements were given, the mapping "
                  "wants 16"));
  EXPECT_THROW(run.read<int32_t>("nothing"), BadInput);
  EXPECT_THROW(run.read<int32_t>("vector", Mapping::blocks()), BadInput);
  EXPECT_THROW(run.launch("nothing"), BadInput);
}

// Fails if a second start keeps the data of the run before, or tiles read coordinate 0.
TEST(Library, ALaunchHasItsArgumentsAndLoadingStartsAnew) {
  Runtime machine = open("sim:2x2");
  ow::Run run = machine.load(Program(kElf), Rect{1, 0, 1, 2});
  run.write("vector", std::vector<int32_t>(8, 5), Mapping::same());
  run.launch("add", 6, 10).wait();
  EXPECT_EQ(run.read<int32_t>("vector", Mapping::same()),
            (std::vector<int32_t>{15, 15, 15, 15, 15, 15, 5, 5}));
  run.launch("where").wait();
  EXPECT_EQ(run.read<uint32_t>("place"), (std::vector<uint32_t>{0, 0, 0, 1}))
      << "within the rectangle, without a word of the caller";
  run.launch("count").wait();
  run.launch("count").wait();
  EXPECT_EQ(run.read<uint32_t>("counted", Mapping::same()).front(), 9u);
  ow::Run again = machine.load(Program(kElf), Rect{1, 0, 1, 2});
  again.launch("count").wait();
  EXPECT_EQ(again.read<uint32_t>("counted", Mapping::same()).front(), 8u) << ".data is as new";
  EXPECT_THROW(run.launch("count"), BadInput) << "its tiles are another's";
  const Profile profile = again.profile();
  EXPECT_EQ(profile.tiles.size(), 2u);
  EXPECT_GT(profile.total.instructions, 0u);
}

// Each launch has its own arguments and runs, whether the one before was waited for or not.
TEST(Library, LaunchesThatNobodyWaitsForAllHappen) {
  for (const char* name : {"sim:1x1", "sim:2x2"}) {
    Runtime machine = open(name);
    ow::Run run = machine.load(Program(kElf));
    run.write("vector", std::vector<int32_t>(8, 0), Mapping::same());
    for (const int value : {1, 2, 4, 8}) run.launch("add", 8, value);
    run.launch("add", 1, 100);
    for (int k = 0; k < 3; ++k) run.launch("count");
    run.wait();
    EXPECT_EQ(run.read<int32_t>("vector", Mapping::same()),
              (std::vector<int32_t>{115, 15, 15, 15, 15, 15, 15, 15}));
    EXPECT_EQ(run.read<uint32_t>("counted", Mapping::same()).front(), 10u);
  }
}

// Fails if a core in an endless loop is not named.
TEST(Library, ATrapThrowsWithItsLineAndALoopWithItsPlace) {
  Runtime machine = open("sim:1x1");
  ow::Run run = machine.load(Program(kElf));
  const std::string trap = message([&] { run.launch("trap").wait(); });
  EXPECT_TRUE(has(trap, "store access fault, address 0x40000000")) << trap;
  EXPECT_TRUE(has(trap, "library_kernel.c:")) << trap;
  run = machine.load(Program(kElf));
  const std::string loop = message([&] { run.launch("spin").wait(5000); });
  EXPECT_TRUE(has(loop, "'spin' did not end within 5000 cycles")) << loop;
  EXPECT_TRUE(has(loop, "library_kernel.c:")) << loop;
}

TEST(Library, PrintsComeWithTileAndCycleAndAfterATrap) {
  Runtime machine = open("sim:2x2");
  ow::Run run = machine.load(Program(kElf), Rect{0, 1, 2, 1});
  EXPECT_TRUE(run.prints().empty());
  run.launch("say", 2).wait();
  const std::vector<Print> prints = run.prints();
  ASSERT_EQ(prints.size(), 4u);
  EXPECT_EQ(prints[3].text, "1 of 2, 0.5");
  EXPECT_EQ(prints[3].line(), "tile (" + std::to_string(prints[3].row) + ", 1), cycle " +
                                  std::to_string(prints[3].cycle) + ": 1 of 2, 0.5");
  for (size_t i = 1; i < prints.size(); ++i) EXPECT_LE(prints[i - 1].cycle, prints[i].cycle);
  run.launch("say", 20).wait();
  EXPECT_EQ(run.prints().size(), 2u * 16u);
  EXPECT_EQ(run.prints_lost(), 2u * 4u);
  run.launch("say", 1).wait();
  EXPECT_THROW(run.launch("trap").wait(), DeviceFault);
  EXPECT_EQ(run.prints().size(), 2u);
}

// A layout in a part of a larger machine: streams go straight through the tiles before it.
TEST(Library, FlowsBringGatherAndAddUpWhatTheirNamesSay) {
  Layout layout({3, 3});
  layout.broadcast("v", Side::North);
  layout.shift("s", Side::South);
  layout.chain("c", Side::East);
  layout.gather("g", Side::West);
  for (const Rect& rect : {Rect{0, 0, 3, 3}, Rect{1, 2, 3, 3}}) {
    Runtime machine = open("sim:5x6");
    ow::Run run = machine.load(Program(kFlows, layout), rect);
    std::vector<int32_t> v;
    for (int i = 0; i < 12; ++i) v.push_back(1 << i);
    run.send("v", v);
    run.launch("flow").wait();
    const std::vector<int32_t> total = run.read<int32_t>("total");
    const std::vector<int32_t> neighbour = run.read<int32_t>("neighbour");
    const std::vector<int32_t> gathered = run.receive<int32_t>("g", 12);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 4; ++k) {
          const auto at = static_cast<size_t>((r * 3 + c) * 4 + k);
          int32_t sum = 0;
          for (int j = 0; j <= c; ++j) sum += 1 << (4 * j + k);
          EXPECT_EQ(total[at], sum) << r << "," << c;
          EXPECT_EQ(gathered[at], sum) << "the tile next to the edge first";
          if (r > 0) {
            EXPECT_EQ(neighbour[at], 1 << (4 * c + k));
          }
        }
      }
    }
  }
}

TEST(Library, AProducerIsAskedOnlyForWhatThePortCanTake) {
  Layout layout({1, 1});
  const int colour = layout.colour("pass");
  layout.route(0, 0, colour, Route{Port::West, kOutE});
  layout.host_sends("in", Side::West, 0, 0, colour);
  layout.host_receives("out", 0, 0, Side::East, colour);
  Runtime machine = open("sim:1x1");
  ow::Run run = machine.load(Program(kElf, layout));
  constexpr uint32_t kCount = 20000;
  uint32_t made = 0, taken = 0, most = 0, wrong = 0;
  run.produce("in", 0, [&]() -> std::optional<Word> {
    if (made == kCount) return std::nullopt;
    most = std::max(most, made - taken);
    return Word{made++};
  });
  run.consume("out", 0, [&](Word word) { wrong += word.data != taken++; });
  const uint64_t begin = machine.cycle();
  run.wait();
  EXPECT_EQ(taken, kCount);
  EXPECT_EQ(wrong, 0u);
  EXPECT_LE(most, 1100u) << "nothing large is made beforehand";
  EXPECT_LE(machine.cycle() - begin, kCount + 300) << "and the port never runs dry";
}

TEST(Library, RoutesThatCannotWorkAndFlowsThatFirmwareLacksAreRefused) {
  Runtime machine = open("sim:1x2");
  ow::Run before = machine.load(Program(kElf));
  Layout ring({1, 2});
  const int colour = ring.colour("ring");
  ring.route(0, 0, colour, Route{Port::East, kOutE});
  ring.route(0, 1, colour, Route{Port::West, kOutW});
  EXPECT_TRUE(has(message([&] { machine.load(Program(kElf, ring)); }), "layout: "));
  Layout flow({1, 2});
  flow.broadcast("w", Side::West);
  EXPECT_TRUE(has(message([&] { machine.load(Program(kElf, flow)); }),
                  "library_kernel.elf: no OW_FLOW(w), but the layout has 'w' in tile (0, 0)"));
  EXPECT_THROW(flow.broadcast("w", Side::West), BadInput) << "the name is taken";
  EXPECT_THROW(machine.load(Program(kElf), Rect{0, 1, 1, 2}), BadInput);
  EXPECT_THROW(machine.load(Program("none.elf")), BadInput);
  before.launch("count").wait();
  EXPECT_EQ(before.read<uint32_t>("counted", Mapping::same()).front(), 8u)
      << "what was refused has changed nothing";
}

// Fails if a program with two input queues on one colour is started.
TEST(Library, AColourIsServedByOneInputQueueOfATile) {
  Layout layout({1, 2});
  const int colour = layout.colour("x");
  layout.route(0, 1, colour, Switch{{Route{Port::West, kOutRamp}}});
  layout.tile_receives("x", 0, 1, colour);
  layout.tile_receives("y", 0, 0, colour);  // another tile
  try {
    layout.tile_receives("y", 0, 1, colour);
    FAIL();
  } catch (const BadInput& e) {
    EXPECT_STREQ(e.what(),
                 "layout: 'x' and 'y' both take colour 0 in tile (0, 1): a colour is served by one "
                 "input queue");
  }
}

// What filters do is the filters example's; here, which are refused.
TEST(Library, FiltersAreOneAColourAndAsManyAsTheTileHas) {
  Layout layout({1, 2});
  Filter filter;
  EXPECT_TRUE(has(message([&] { layout.filter(0, 0, filter); }), "0 colours have been given out"));
  for (int k = 0; k < 7; ++k) {
    filter.colour = layout.colour(std::to_string(k));
    layout.route(0, 0, filter.colour, Route{Port::West, kOutRamp});
  }
  layout.filter(0, 0, filter);
  EXPECT_TRUE(has(message([&] { layout.filter(0, 0, filter); }),
                  "tile (0, 0) has two filters of colour 6"));
  EXPECT_TRUE(has(message([&] { layout.filter(0, 2, filter); }), "tile (0, 2) of 1 x 2"));
  for (filter.colour = 0; filter.colour < 6; ++filter.colour) layout.filter(0, 0, filter);
  Runtime machine = open("sim:1x2");
  EXPECT_EQ(message([&] { machine.load(Program(kElf, layout)); }),
            "layout: tile (0, 0) has 7 filters, the machine has 6");
}

TEST(Library, SeveralFirmwaresStandInTheirParts) {
  Runtime machine = open("sim:2x2");
  Layout layout({2, 2});
  Program program(layout);
  program.add_firmware(Rect{0, 0, 1, 2}, kElf);
  program.add_firmware(Rect{1, 0, 1, 2}, kElf);
  EXPECT_THROW(program.add_firmware(Rect{1, 1, 1, 1}, kElf), BadInput);
  ow::Run run = machine.load(program);
  run.launch("where").wait();
  EXPECT_EQ(run.read<uint32_t>("place"), (std::vector<uint32_t>{0, 0, 0, 1, 0, 0, 0, 1}))
      << "row and column count within the part";
}

TEST(Library, AReportNamesEachTilesOwnFirmware) {
  Runtime machine = open("sim:1x2");
  Program program(Layout({1, 2}));
  program.add_firmware(Rect{0, 0, 1, 1}, kFlows).add_firmware(Rect{0, 1, 1, 1}, kElf);
  ow::Run run = machine.load(program);
  const std::string text = message([&] { run.launch("spin").wait(5000); });
  EXPECT_TRUE(has(text, "tile (0, 1): the core executes instructions")) << text;
  EXPECT_TRUE(has(text, "spin")) << text;
  EXPECT_TRUE(has(text, "library_kernel.c:")) << text;
}

// A program keeps what it has while arrays are copied: all colours carry words across the grid, in
// every row, before, during and after.
TEST(Library, CopiesTakeNoColourFromAProgramThatHasAllOfThem) {
  Runtime machine = open("sim:2x2");
  const GridShape grid = machine.grid();
  const int colours = machine.info().colours;
  Layout layout(grid);
  const auto name = [](const char* end, int k) { return end + std::to_string(k); };
  for (int k = 0; k < colours; ++k) {
    const int colour = layout.colour(name("colour", k));
    for (int row = 0; row < grid.rows; ++row) {
      for (int c = 0; c < grid.cols; ++c) layout.route(row, c, colour, Route{Port::West, kOutE});
      layout.host_sends(name("in", k), Side::West, row, 0, colour);
      layout.host_receives(name("out", k), row, grid.cols - 1, Side::East, colour);
    }
  }
  ow::Run run = machine.load(Program(kElf, layout));

  constexpr uint32_t kWords = 200;
  const auto rows = static_cast<size_t>(grid.rows);
  // Values of stream s: one row of one colour.
  const auto word = [](size_t s, uint32_t i) { return static_cast<uint32_t>(s + 1) << 16 | i; };
  std::vector<uint32_t> big(run.read<uint32_t>("big").size());
  for (size_t i = 0; i < big.size(); ++i) big[i] = static_cast<uint32_t>(i) * 2654435761u;
  std::vector<std::vector<uint32_t>> came(static_cast<size_t>(colours) * rows);
  for (size_t s = 0; s < came.size(); ++s) {
    const auto k = static_cast<int>(s / rows);
    run.produce(name("in", k), s % rows, [&word, s, i = 0u]() mutable -> std::optional<Word> {
      if (i == 2 * kWords) return std::nullopt;
      return Word{word(s, i++), false};
    });
    run.consume(name("out", k), s % rows, [&came, s](Word w) { came[s].push_back(w.data); });
  }
  run.write("big", big);
  const auto whole = [&](const std::vector<uint32_t>& words) { return words.size() == 2 * kWords; };
  EXPECT_TRUE(std::none_of(came.begin(), came.end(), [](const auto& w) { return w.empty(); }))
      << "words of every colour went by in every row while the copy did";
  EXPECT_EQ(run.read<uint32_t>("big"), big);
  run.wait();
  EXPECT_TRUE(std::all_of(came.begin(), came.end(), whole));
  for (size_t s = 0; s < came.size(); ++s) {
    for (uint32_t i = 0; i < came[s].size(); ++i) {
      ASSERT_EQ(came[s][i], word(s, i)) << "colour " << s / rows << ", row " << s % rows;
    }
  }
  EXPECT_EQ(run.read<uint32_t>("big"), big);
}

TEST(Library, BulkCopiesReachEveryTileOfAnyGrid) {
  for (const GridShape shape :
       {GridShape{1, 1}, GridShape{1, 5}, GridShape{4, 1}, GridShape{3, 2}}) {
    const auto device = make_device(DeviceKind::Replicated, shape);
    const auto tiles = static_cast<size_t>(shape.rows * shape.cols);
    std::vector<std::vector<uint32_t>> data(tiles), back(tiles);
    ControlPlane control(*device);
    Bulk in(control, kSramBytes), out(control, kSramBytes);
    for (size_t t = 0; t < tiles; ++t) {
      const size_t words = 1 + t * 97 % 600;  // one packet, and more
      for (size_t i = 0; i < words; ++i) data[t].push_back(static_cast<uint32_t>(1000 * t + i));
      back[t].resize(words);
      const int row = static_cast<int>(t) / shape.cols;
      const int col = static_cast<int>(t) % shape.cols;
      in.write(row, col, static_cast<uint32_t>(64 * t), data[t]);
      out.read(row, col, static_cast<uint32_t>(64 * t), &back[t]);
    }
    EXPECT_EQ(device->run(100000, [&] { return in.pump(); }), RunStatus::Done);
    EXPECT_EQ(device->run(100000, [&] { return out.pump(); }), RunStatus::Done);
    EXPECT_EQ(back, data) << shape.rows << " x " << shape.cols;
  }
  const auto device = make_device(DeviceKind::Replicated, {1, 1});
  ControlPlane control(*device);
  Bulk bulk(control, kSramBytes);
  EXPECT_THROW(bulk.write(0, 1, 0, {1}), BadInput);
  EXPECT_THROW(bulk.write(0, 0, 2, {1}), BadInput);
  EXPECT_EQ(message([&] {
              bulk.write(0, 0, kSramBytes - 4, {1, 2});
            }),
            "write of 8 bytes at 0xbffc: a tile has 49152 bytes of SRAM");
  EXPECT_THROW(bulk.write(0, 0, 0xFFFFFC, {1}), BadInput);
  std::vector<uint32_t> beyond(1);
  bulk.read(0, 0, 0x20000, &beyond);
  EXPECT_THROW(device->run(10000, [&] { return bulk.pump(); }), DeviceFault);
}

}  // namespace
}  // namespace ow
