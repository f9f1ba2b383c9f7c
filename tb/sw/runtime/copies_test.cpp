// SPDX-License-Identifier: Apache-2.0
// Copies between the host and tiles: how arrays are spread, at what rate they go, and what is said
// when one does not end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "messages.h"
#include "openwafer/openwafer.h"
#include "ow/device/tile_map.h"
#include "ow/runtime/machine.h"
#include "ow/sim/sim.h"
#include "programs.h"

namespace ow {
namespace {

const std::string kElf = OW_KERNEL_DIR "/library_kernel.elf";
const std::string kBulk = OW_KERNEL_DIR "/bulk_kernel.elf";
constexpr Distribution kBlock = Distribution::Block, kCyclic = Distribution::Cyclic;

// A part of the program's tiles, which a single one is, too; the others keep what they have.
TEST(Library, ACopyMayNameTheTilesThatItIsFor) {
  Runtime machine = open("sim:4x4");
  ow::Run run = machine.load(Program(kElf), Rect{1, 1, 3, 3});
  const std::vector<int32_t> none(9 * 8, -1), one = {1, 2, 3, 4, 5, 6, 7, 8};
  run.write("vector", none);
  run.write("vector", one, Mapping::tiles().on_tiles({2, 0, 1, 1}));
  std::vector<int32_t> want = none;
  std::copy(one.begin(), one.end(), want.begin() + 6 * 8);
  EXPECT_EQ(run.read<int32_t>("vector"), want);
  EXPECT_EQ(run.read<int32_t>("vector", Mapping::tiles().on_tiles({2, 0, 1, 1})), one);
  // Spread over them as over all.
  std::vector<f16> matrix;
  for (int i = 0; i < 8 * 12; ++i) matrix.push_back(f16(i));
  const Mapping blocks = Mapping::blocks().on_tiles({1, 1, 2, 2});
  run.write("matrix", matrix, blocks);
  EXPECT_EQ(run.read<f16>("matrix", blocks), matrix);
  EXPECT_EQ(run.read<f16>("matrix", Mapping::tiles().on_tiles({2, 2, 1, 1}))[1],
            f16(4 * 12 + 6 + 1));
  for (const Rect& beyond : {Rect{-1, 0, 1, 1}, Rect{0, 3, 1, 1}, Rect{1, 1, 3, 1},
                             Rect{0, 0, 0, 1}, Rect{2, 2, 1 << 30, 2147483647}}) {
    const std::string text =
        message([&] { run.read<int32_t>("vector", Mapping::tiles().on_tiles(beyond)); });
    EXPECT_TRUE(has(text, "the program has 3 x 3 tiles")) << text;
  }
}

// Several firmwares: the tiles that have an array may form no rectangle and are reached part by
// part.
TEST(Library, TilesOfSeveralFirmwaresAreNamedByTheirPart) {
  Runtime machine = open("sim:2x2");
  Program program(Layout({2, 2}));
  program.add_firmware({0, 0, 1, 1}, kElf)
      .add_firmware({0, 1, 1, 1}, kBulk)
      .add_firmware({1, 0, 1, 1}, kBulk);
  program.add_firmware({1, 1, 1, 1}, kElf);
  ow::Run run = machine.load(program);
  const std::vector<int32_t> v = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(message([&] { run.write("vector", v, Mapping::same()); }),
            "the tiles that have 'vector' are no rectangle: name one that they fill "
            "(Mapping::on_tiles, Run::on)");
  EXPECT_EQ(message([&] {
              run.write("vector", v, Mapping::same().on_tiles({0, 0, 1, 2}));
            }),
            "'vector': not all tiles in 1 x 2 tiles at (0, 0) have it");
  EXPECT_EQ(message([&] {
              run.write("vector", v, Mapping::same().on_tiles({1, 0, 1, 1}));
            }),
            "'vector' in 1 x 1 tiles at (1, 0): none of these tiles has it");
  EXPECT_THROW(run.write("nothing", v, Mapping::same().on_tiles({0, 0, 1, 1})), BadInput);
  for (const Rect& tile : {Rect{0, 0, 1, 1}, Rect{1, 1, 1, 1}}) {
    run.write("vector", v, Mapping::same().on_tiles(tile));
    EXPECT_EQ(run.read<int32_t>("vector", Mapping::same().on_tiles(tile)), v);
  }
}

// Element (i, k) of the tiles' f16[4][6] is element (row, column) of the host's array.
TEST(Library, EachDimensionHasItsOwnDistribution) {
  Runtime machine = open("sim:2x3");
  ow::Run run = machine.load(Program(kElf));
  for (const Distribution by_row : {kBlock, kCyclic}) {
    for (const Distribution by_col : {kBlock, kCyclic}) {
      // All that the tiles hold; ragged edges; so few that whole tiles have nothing.
      for (const auto& [rows, cols] : {std::pair{8, 18}, {7, 13}, {5, 6}, {1, 1}}) {
        std::vector<f16> a;
        for (int i = 0; i < rows * cols; ++i) a.push_back(f16(1 + i));
        Mapping mapping = Mapping::grid(0, by_row, 1, by_col);
        if (rows * cols < 8 * 18) {
          mapping = mapping.with_shape({static_cast<size_t>(rows), static_cast<size_t>(cols)});
        }
        run.write("matrix", std::vector<f16>(48, f16(-1)), Mapping::tiles().with_shape({2, 4}));
        run.write("matrix", a, mapping);
        EXPECT_EQ(run.read<f16>("matrix", mapping), a);
        const std::vector<f16> tiles = run.read<f16>("matrix");
        for (int t = 0; t < 6 * 24; ++t) {
          const int r = t / 72, c = t / 24 % 3, i = t / 6 % 4, k = t % 6;
          const int row = by_row == kBlock ? r * 4 + i : i * 2 + r;
          const int col = by_col == kBlock ? c * 6 + k : k * 3 + c;
          const bool there = row < rows && col < cols;
          ASSERT_EQ(tiles[static_cast<size_t>(t)], f16(there ? 1 + row * cols + col : 0))
              << rows << " x " << cols << ": element " << i << ", " << k << " of tile " << r << ", "
              << c;
        }
      }
    }
  }
}

TEST(Library, AVectorGoesOverAllTilesAndOddSizesKeepTheirNeighbours) {
  Runtime machine = open("sim:2x2");
  ow::Run run = machine.load(Program(kElf));
  for (const Distribution how : {kBlock, kCyclic}) {
    const Mapping mapping = Mapping::grid(0, how, 0, how).with_shape({17});
    std::vector<uint8_t> bytes;
    for (uint8_t i = 0; i < 17; ++i) bytes.push_back(static_cast<uint8_t>(i + 1));
    run.write("bytes", bytes, mapping);
    EXPECT_EQ(run.read<uint8_t>("bytes", mapping), bytes);
    const std::vector<uint8_t> tiles = run.read<uint8_t>("bytes");
    EXPECT_EQ(tiles[3 * 5 + 1], how == kBlock ? 17 : 8) << "tile 3, its second element";
    EXPECT_EQ(tiles[3 * 5 + 4], 0);
  }
}

// The word that an odd size shares with what follows is read in all tiles beside each other: a tile
// does not wait for another.
TEST(Library, OddSizesCostNoRoundTripATile) {
  const auto cycles = [](const char* machine_name) {
    Runtime machine = open(machine_name);
    ow::Run run = machine.load(Program(kElf));
    const size_t tiles = static_cast<size_t>(machine.grid().rows * machine.grid().cols);
    const uint64_t begin = machine.cycle();
    run.write("bytes", std::vector<uint8_t>(5 * tiles, 1));
    return machine.cycle() - begin;
  };
  const uint64_t one = cycles("sim:1x1"), sixteen = cycles("sim:4x4");
  EXPECT_LE(sixteen, 8 * one) << one << " cycles of one tile";
}

TEST(Library, AMappingThatDoesNotFitIsRefused) {
  Runtime machine = open("sim:2x2");
  ow::Run run = machine.load(Program(kElf));
  const auto refusal = [&](const Mapping& m) {
    return message([&] { run.read<f16>("matrix", m); });
  };
  EXPECT_EQ(refusal(Mapping::blocks().with_shape({9, 12})),
            "matrix f16[4][6]: 9 along dimension 0 of the mapping's shape: must be 1 to 8");
  EXPECT_EQ(refusal(Mapping::blocks().with_shape({8, 0})),
            "matrix f16[4][6]: 0 along dimension 1 of the mapping's shape: must be 1 to 12");
  EXPECT_EQ(refusal(Mapping::blocks().with_shape({8})),
            "matrix f16[4][6]: the mapping's shape has 1 dimensions");
  EXPECT_EQ(refusal(Mapping::grid(1, kBlock, 1, kCyclic)),
            "matrix f16[4][6]: dimension 1 runs over rows and columns: both are blocks or both are "
            "cyclic");
  EXPECT_TRUE(
      has(message([&] {
            run.write("matrix", std::vector<f16>(48), Mapping::blocks().with_shape({7, 12}));
          }),
          "48 elements were given, the mapping wants 84"));
}

// Every port of a 4 x 4 grid carries data in at least 90 % of the cycles.
TEST(Library, BulkCopiesRunAtTheRateOfThePorts) {
  Runtime machine = open("sim:4x4");
  ow::Run run = machine.load(Program(kBulk));
  constexpr double kPorts = 16;
  const std::vector<uint32_t> data = numbers(size_t{16} * 8192, 1);
  const uint64_t begin = machine.cycle();
  run.write("bulk", data);
  const uint64_t middle = machine.cycle();
  const std::vector<uint32_t> back = run.read<uint32_t>("bulk");
  const uint64_t end = machine.cycle();
  const auto rate = [&](uint64_t cycles) {
    return static_cast<double>(data.size()) / kPorts / static_cast<double>(cycles);
  };
  EXPECT_EQ(back, data);
  EXPECT_GE(rate(middle - begin), 0.9);
  EXPECT_GE(rate(end - middle), 0.9);
  std::printf("words a port and cycle: to the tiles %.3f, back %.3f\n", rate(middle - begin),
              rate(end - middle));
}

// Streams both ways along all rows and columns of a 2 x 2 grid leave the control plane its share of
// each link: one slot in four. Each tile is a port's then, and the answers of one cross no
// requests.
TEST(Library, BulkCopiesRunAtAQuarterBesideBusyLinks) {
  Layout layout({2, 2});
  for (const Side from : {Side::North, Side::East, Side::South, Side::West}) {
    const std::string name = side_name(from);
    const auto to = static_cast<Side>((static_cast<int>(from) + 2) % 4);
    const int colour = layout.colour(name);
    const Route through{static_cast<Port>(from), 1u << static_cast<int>(to)};
    const bool by_row = from == Side::West || from == Side::East;
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < 2; ++k) layout.route(by_row ? i : k, by_row ? k : i, colour, through);
      const auto at = [&](Side side) {
        const int end = side == Side::East || side == Side::South ? 1 : 0;
        return by_row ? std::pair{i, end} : std::pair{end, i};
      };
      layout.host_sends("to " + name, from, at(from).first, at(from).second, colour);
      layout.host_receives("from " + name, at(to).first, at(to).second, to, colour);
    }
  }
  Runtime machine = open("sim:2x2");
  ow::Run run = machine.load(Program(kBulk, layout));
  bool on = true;
  uint64_t passed = 0;
  for (const Side from : {Side::North, Side::East, Side::South, Side::West}) {
    for (size_t i = 0; i < 2; ++i) {
      run.produce(std::string("to ") + side_name(from), i, [&on]() -> std::optional<Word> {
        return on ? std::optional(Word{}) : std::nullopt;
      });
      run.consume(std::string("from ") + side_name(from), i, [&passed](Word) { ++passed; });
    }
  }
  const std::vector<uint32_t> data = numbers(size_t{4} * 8192, 4);
  const uint64_t begin = machine.cycle();
  run.write("bulk", data);
  const uint64_t middle = machine.cycle();
  const std::vector<uint32_t> back = run.read<uint32_t>("bulk");
  const uint64_t end = machine.cycle();
  const double streams = static_cast<double>(passed) / 8 / static_cast<double>(end - begin);
  on = false;
  run.wait();
  EXPECT_EQ(back, data);
  const auto rate = [](uint64_t cycles) { return 8192 / static_cast<double>(cycles); };
  EXPECT_GE(rate(middle - begin), 0.24);
  EXPECT_GE(rate(end - middle), 0.24);
  EXPECT_GE(streams, 0.7) << "and the streams have the rest";
  std::printf("words a port and cycle: to the tiles %.3f, back %.3f; streams beside them %.3f\n",
              rate(middle - begin), rate(end - middle), streams);
}

TEST(Library, ACopyThatTakesLongerSaysSoAndGoesOn) {
  Runtime machine = open("sim:2x2");
  ow::Run run = machine.load(Program(kBulk));
  const std::vector<uint32_t> data = numbers(size_t{4} * 8192, 2);
  Event copy = run.write_async("bulk", data);
  const std::string late = message([&] { copy.wait(100); });
  EXPECT_TRUE(has(late, "a copy waits for tile (")) << late;
  EXPECT_TRUE(has(late, "not done within 100 cycles\nno tile has stopped, and none waits")) << late;
  EXPECT_FALSE(copy.done());
  // What has stopped meanwhile is named.
  run.launch("trap");
  std::vector<uint32_t> back;
  Event read = run.read_async("bulk", &back);
  const std::string trapped = message([&] { read.wait(100); });
  EXPECT_TRUE(has(trapped, "a copy waits for tile (")) << trapped;
  EXPECT_TRUE(has(trapped, "stopped: store access fault, address 0x40000000")) << trapped;
  EXPECT_TRUE(has(trapped, "bulk_kernel.c:")) << trapped;
  EXPECT_TRUE(copy.done()) << "the launch came after it";
  read.wait();
  EXPECT_EQ(back, data) << "a tile that has stopped is read all the same";
}

// A link that has lost its credits for requests, in the middle of a copy.
TEST(Library, ACopyThatCannotEndThrowsWithAReportAndForGood) {
  SimOptions options;
  CreditFault fault;  // of the link from tile (0, 0) to tile (0, 1)
  fault.col = 1;
  fault.side = Side::West;
  fault.colour = kColourReq;
  fault.nth = 14000;  // loading takes ten thousand words, and each copy eight
  fault.count = 2;
  options.drop_credit = fault;
  Runtime machine = make_runtime(make_device(DeviceKind::Replicated, {4, 4}, options));
  ow::Run run = machine.load(Program(kBulk));
  const std::vector<uint32_t> data = numbers(size_t{16} * 8192, 3);
  Event copy = run.write_async("bulk", data);
  const std::string text = message([&] { copy.wait(); });
  EXPECT_TRUE(has(text, "a copy waits for tile (0, 2), for 8192 words at 0x")) << text;
  EXPECT_TRUE(has(text, ": nothing moves any more\n")) << text;
  EXPECT_GT(text.size() - text.find('\n'), 20u) << "a report follows: " << text;
  EXPECT_EQ(message([&] { copy.wait(); }), text) << "and it is not waited for again";
}

}  // namespace
}  // namespace ow
