// SPDX-License-Identifier: Apache-2.0
// What the runtime of the tile does for a program: prints, misaligned accesses.
#include <gtest/gtest.h>

#include <iterator>

#include "ow/base/error.h"
#include "ow/device/control_plane.h"
#include "ow/device/tile_map.h"
#include "ow/diagnose/tile_error.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/prints.h"
#include "ow/sim/sim.h"

namespace ow {
namespace {

class Runtime : public testing::Test {
 protected:
  void load(const std::string& elf) {
    image = read_elf(elf, 49152);
    load_program(control, grid, image);
    set_identity(control, grid);
    start_cores(control, grid, image.entry);
  }
  void launch(const std::string& name, const Rect& rect, uint32_t argument = 0) {
    if (image.find("ow_args")) control.write(rect, image.symbol("ow_args"), argument);
    control.write(rect, kRegTaskActivate, 1u << image.launch(name).task);
    control.fence(rect);
    EXPECT_EQ(device->run(100000), RunStatus::Quiet);
  }

  std::unique_ptr<Device> device = make_device(DeviceKind::Replicated, GridShape{1, 2});
  ControlPlane control{*device};
  const Rect grid{0, 0, 1, 2};
  ElfImage image;
};

using Prints = Runtime;

TEST_F(Prints, OfEveryKindComeWithTileAndCycle) {
  load(OW_KERNEL_DIR "/prints.elf");
  PrintReader reader(control, grid, image);
  EXPECT_TRUE(reader.take_prints().empty());
  const uint64_t before = device->cycle();
  launch("kinds", Rect{0, 1, 1, 1}, 7);
  const std::vector<Print> prints = reader.take_prints();
  ASSERT_EQ(prints.size(), 4u);
  EXPECT_EQ(prints[0].text, "plain");
  EXPECT_EQ(prints[1].text, "-5 -7 7 0x70000007 q%");
  EXPECT_EQ(prints[2].text, "0.333333|  -0.333|1.50e+00|2");
  EXPECT_EQ(prints[3].text, "row of (0, 1)");
  for (const Print& p : prints) {
    EXPECT_EQ(p.col, 1);
    EXPECT_GT(p.cycle, before);
    EXPECT_LT(p.cycle, device->cycle());
  }
  EXPECT_EQ(prints[0].line(), "tile (0, 1), cycle " + std::to_string(prints[0].cycle) + ": plain");
  EXPECT_TRUE(reader.take_prints().empty()) << "each once";
  EXPECT_EQ(reader.lost(), 0u);
}

TEST_F(Prints, OfTwoTilesAreInTheOrderOfTheirCycles) {
  load(OW_KERNEL_DIR "/prints.elf");
  PrintReader reader(control, grid, image);
  launch("many", grid, 3);
  const std::vector<Print> prints = reader.take_prints();
  ASSERT_EQ(prints.size(), 6u);
  for (size_t i = 1; i < prints.size(); ++i) EXPECT_LE(prints[i - 1].cycle, prints[i].cycle);
}

TEST_F(Prints, ThatNobodyFetchedInTimeAreCounted) {
  load(OW_KERNEL_DIR "/prints.elf");
  PrintReader reader(control, grid, image);
  launch("many", Rect{0, 0, 1, 1}, 11);
  const std::vector<Print> prints = reader.take_prints();
  ASSERT_EQ(prints.size(), 4u);
  EXPECT_EQ(prints[0].text, "7: 1 2 3 4 5");
  EXPECT_EQ(prints[3].text, "10: 1 2 3 4 5");
  EXPECT_EQ(reader.lost(), 7u);
}

TEST_F(Prints, KeepTheirTextOutOfTheTile) {
  load(OW_KERNEL_DIR "/prints.elf");
  for (const ElfSegment& s : image.segments) {
    const std::string bytes(s.bytes.begin(), s.bytes.end());
    EXPECT_EQ(bytes.find("plain"), std::string::npos);
  }
}

TEST(FormatPrint, LeavesWhatIsNoConversion) {
  ElfImage image;
  EXPECT_EQ(format_print(image, "all of %q, %*d, %9999d", {1, 2, 3}), "all of %q, %*d, %9999d");
  EXPECT_EQ(format_print(image, "%d %d", {1}), "1 %d");
  EXPECT_EQ(format_print(image, "%lu%%", {5}), "5%");
  EXPECT_EQ(format_print(image, "%", {}), "%");
}

TEST_F(Runtime, MisalignedAccessesAreEmulatedOnRequest) {
  load(OW_KERNEL_DIR "/misaligned.elf");
  launch("run", grid);
  EXPECT_NO_THROW(check_errors(control, grid, &image));
  EXPECT_EQ(control.read_tile(0, 1, image.symbol("accesses")), 49u);
  EXPECT_EQ(control.read_tile(0, 1, image.symbol("wrong")), 0u);
}

// The figures of docs/programming.md, with a tenth to spare.
TEST_F(Runtime, CostsWhatTheGuideSays) {
  load(OW_KERNEL_DIR "/costs.elf");
  launch("measure", grid);
  check_errors(control, grid, &image);
  const std::pair<const char*, uint32_t> guide[] = {
      {"float add", 90},        {"float multiply", 135},  {"float divide", 255},
      {"double add", 115},      {"double multiply", 270}, {"print", 60},
      {"misaligned load", 160}, {"f16 and back", 50}};
  const std::vector<uint32_t> cycles =
      control.read_tile(0, 1, image.exported("cycles").addr, std::size(guide));
  for (size_t i = 0; i < cycles.size(); ++i) {
    EXPECT_LE(cycles[i], guide[i].second * 11 / 10) << guide[i].first;
    EXPECT_GE(cycles[i], guide[i].second * 9 / 10) << guide[i].first;
  }
}

TEST_F(Runtime, AnotherTrapStopsTheTileAsWithoutTheHandler) {
  load(OW_KERNEL_DIR "/misaligned.elf");
  launch("fault", Rect{0, 0, 1, 1});
  try {
    check_errors(control, grid, &image);
    FAIL();
  } catch (const DeviceFault& e) {
    EXPECT_NE(std::string(e.what()).find("tile (0, 0) stopped: store access fault, address "
                                         "0x40000000; pc "),
              std::string::npos)
        << e.what();
    EXPECT_NE(std::string(e.what()).find("ow_task_entry_fault"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace ow
