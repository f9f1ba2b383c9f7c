// SPDX-License-Identifier: Apache-2.0
// A Run of some tiles of a program: what it does is theirs alone.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "messages.h"
#include "openwafer/openwafer.h"

namespace ow {
namespace {

const std::string kElf = OW_KERNEL_DIR "/library_kernel.elf";
const std::string kBulk = OW_KERNEL_DIR "/bulk_kernel.elf";

std::vector<uint32_t> counted(Run& run) { return run.read<uint32_t>("counted"); }

TEST(Rectangles, CopiesAndLaunchesActOnTheirTilesOnly) {
  Runtime machine = open("sim:4x4");
  ow::Run run = machine.load(Program(kElf), Rect{1, 1, 3, 3});
  ow::Run part = run.on({1, 0, 2, 2});
  EXPECT_EQ(part.rect(), (Rect{2, 1, 2, 2}));
  run.write("vector", std::vector<int32_t>(8, 1), Mapping::same());
  std::vector<int32_t> v(4 * 8);
  std::iota(v.begin(), v.end(), 10);
  part.write("vector", v);
  EXPECT_EQ(part.read<int32_t>("vector"), v);
  EXPECT_EQ(part.read<int32_t>("vector", Mapping::tiles().on_tiles({1, 1, 1, 1})),
            std::vector<int32_t>(v.begin() + 24, v.end()))
      << "rows and columns of the part";
  part.launch("add", 8, 100).wait();
  std::vector<int32_t> want(9 * 8, 1);
  for (const size_t tile : {3, 4, 6, 7}) {
    const size_t k = (tile / 3 - 1) * 2 + tile % 3;
    for (size_t i = 0; i < 8; ++i) want[tile * 8 + i] = v[k * 8 + i] + 100;
  }
  EXPECT_EQ(run.read<int32_t>("vector"), want);
  run.write("counted", 0u);
  ow::Run one = part.on({0, 1, 2, 1}).on({1, 0, 1, 1});
  EXPECT_EQ(one.rect(), (Rect{3, 2, 1, 1}));
  one.launch("count");
  one.wait();
  EXPECT_EQ(counted(run), (std::vector<uint32_t>{0, 0, 0, 0, 0, 0, 0, 8, 0}));
}

TEST(Rectangles, ProfileAndPrintsAreOfTheirTiles) {
  Runtime machine = open("sim:2x2");
  ow::Run run = machine.load(Program(kElf));
  ow::Run left = run.on({0, 0, 2, 1}), right = run.on({0, 1, 2, 1});
  run.launch("say", 1).wait();
  left.launch("say", 20).wait();
  EXPECT_EQ(right.prints().size(), 2u);
  EXPECT_EQ(right.prints_lost(), 0u);
  EXPECT_EQ(left.prints().size(), 2u * 16u);
  EXPECT_EQ(left.prints_lost(), 2u * 5u);
  EXPECT_EQ(run.prints_lost(), 2u * 5u);
  EXPECT_TRUE(run.prints().empty());
  run.profile();
  left.launch("count").wait();
  const Profile idle = right.profile(), busy = left.profile();
  EXPECT_EQ(idle.tiles.size(), 2u);
  EXPECT_EQ(idle.total.instructions, 0u);
  EXPECT_GT(busy.total.instructions, 0u);
  EXPECT_EQ(run.profile().total.instructions, 0u) << "counted once";
}

// Launches of other tiles are not waited for, and those of the same tiles are, whatever rectangles
// they were for.
TEST(Rectangles, ALaunchWaitsItsTurnInEachTileByItself) {
  Runtime machine = open("sim:2x2");
  ow::Run run = machine.load(Program(kElf));
  ow::Run busy = run.on({0, 0, 1, 1}), below = run.on({1, 0, 1, 2});
  busy.launch("spin");
  const uint64_t begin = machine.cycle();
  for (int k = 0; k < 5; ++k) below.launch("count");
  run.on({0, 1, 2, 1}).launch("count");
  below.wait();
  run.on({0, 1, 1, 1}).wait();
  EXPECT_LT(machine.cycle() - begin, 200'000u);
  EXPECT_EQ(run.on({0, 1, 1, 1}).read<uint32_t>("counted"), std::vector<uint32_t>{8});
  EXPECT_EQ(counted(below), (std::vector<uint32_t>{12, 13}));
  EXPECT_TRUE(has(message([&] { busy.wait(20'000); }),
                  "the program in 1 x 1 tiles at (0, 0) did not end within 20000 cycles"));
  EXPECT_TRUE(has(message([&] { busy.launch("count").wait(20'000); }),
                  "'count' in 1 x 1 tiles at (0, 0) did not end within 20000 cycles"));
}

TEST(Rectangles, OnesThatLeaveTheProgramOrLackANameAreRefused) {
  Runtime machine = open("sim:2x3");
  Program program(Layout({2, 3}));
  program.add_firmware({0, 0, 2, 2}, kElf).add_firmware({0, 2, 2, 1}, kBulk);
  ow::Run run = machine.load(program);
  for (const Rect& tiles :
       {Rect{0, 2, 1, 2}, Rect{-1, 0, 1, 1}, Rect{0, 0, 0, 1}, Rect{1, 1, 1 << 30, 2147483647}}) {
    EXPECT_TRUE(has(message([&] { run.on(tiles); }), "are not in the program, which has 2 x 3"));
  }
  ow::Run part = run.on({0, 1, 2, 2});
  EXPECT_EQ(message([&] {
              part.on({1, 1, 2, 1});
            }),
            "2 x 1 tiles at (1, 1) are not in the run, which has 2 x 2");
  EXPECT_EQ(message([&] {
              run.on({0, 2, 1, 1}).launch("count");
            }),
            "'count' in 1 x 1 tiles at (0, 2): none of these tiles has this launch");
  EXPECT_EQ(message([&] {
              run.on({0, 2, 1, 1}).read<int32_t>("vector");
            }),
            "'vector' in 1 x 1 tiles at (0, 2): none of these tiles has it");
  EXPECT_EQ(message([&] {
              part.read<int32_t>("vector", Mapping::tiles().on_tiles({0, 0, 3, 1}));
            }),
            "'vector' in 3 x 1 tiles at (0, 0): the run has 2 x 2 tiles");
  EXPECT_TRUE(has(message([&] { part.launch("nothing"); }), "no launch 'nothing'"));
  // A region is named.
  Layout layout({2, 3});
  const Region left = layout.region("left", {1, 0, 1, 2});
  ow::Run parts = machine.load(Program(kElf, layout));
  EXPECT_EQ(message([&] {
              parts.on(left).on({0, 1, 1, 2});
            }),
            "1 x 2 tiles at (0, 1) are not in region 'left', which has 1 x 2");
  EXPECT_TRUE(has(message([&] { parts.on(left).launch("spin").wait(5000); }),
                  "'spin' in region 'left' did not end within 5000 cycles"));
}

TEST(Rectangles, OfSeveralFirmwaresActWhereTheNameIs) {
  Runtime machine = open("sim:2x3");
  Program program(Layout({2, 3}));
  program.add_firmware({0, 0, 2, 2}, kElf).add_firmware({0, 2, 2, 1}, kBulk);
  ow::Run part = machine.load(program).on({0, 1, 2, 2});
  // Where there are several firmwares, those tiles that have the name.
  part.launch("count").wait();
  EXPECT_EQ(counted(part), (std::vector<uint32_t>{8, 8}));
}

}  // namespace
}  // namespace ow
