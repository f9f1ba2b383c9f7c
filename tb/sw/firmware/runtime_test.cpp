// SPDX-License-Identifier: Apache-2.0
// What the runtime of the tile does for a program: prints, misaligned accesses.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <iterator>
#include <set>

#include "openwafer/tile/dsr.h"
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

// The exported bytes, as words hold them.
std::vector<uint8_t> bytes_of(const std::vector<uint32_t>& words) {
  std::vector<uint8_t> bytes;
  for (const uint32_t word : words) {
    for (int k = 0; k < 4; ++k) bytes.push_back(static_cast<uint8_t>(word >> (8 * k)));
  }
  return bytes;
}

class Memory : public Runtime {
 protected:
  static constexpr size_t kBytes = 64;

  // A launch in tile (0, 1) with its arguments; the result.
  uint32_t call(const std::string& name, const std::vector<uint32_t>& arguments) {
    const Rect tile{0, 1, 1, 1};
    if (!arguments.empty()) control.write(tile, image.symbol("ow_args"), arguments);
    control.write(tile, kRegTaskActivate, 1u << image.launch(name).task);
    control.fence(tile);
    EXPECT_EQ(device->run(100000), RunStatus::Quiet);
    EXPECT_NO_THROW(check_errors(control, grid, &image));
    return control.read_tile(0, 1, image.exported("result").addr);
  }
  std::vector<uint8_t> area() {
    return bytes_of(control.read_tile(0, 1, image.exported("area").addr, kBytes / 4));
  }
  void fill_area() {
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < kBytes / 4; ++i) words.push_back(0x03020100u + 0x04040404u * i);
    control.write(Rect{0, 1, 1, 1}, image.exported("area").addr, words);
  }
};

TEST_F(Memory, OrdinaryCIsLinkedAndRight) {
  for (const char* elf : {OW_KERNEL_DIR "/memory.elf", OW_KERNEL_DIR "/memory_fast.elf"}) {
    load(elf);
    std::set<uint32_t> values;
    for (uint32_t i = 0, seed = 7; i < 50; ++i) {
      seed = seed * 1664525u + 1013904223u;
      values.insert((seed >> 8) % 100);
    }
    EXPECT_EQ(call("distinct", {7}), values.size()) << elf;
    EXPECT_EQ(call("structures", {40}), 40u + 2 + 1) << elf;
    fill_area();
    EXPECT_EQ(call("loops", {31}), 31u) << elf;
    std::vector<uint8_t> want(kBytes);
    for (size_t i = 0; i < kBytes; ++i) want[i] = i == 31 || i == 63 ? static_cast<uint8_t>(i) : 0;
    EXPECT_EQ(area(), want) << elf;
  }
}

TEST_F(Memory, FunctionsMatchTheHostsAtEveryPlaceInAWord) {
  load(OW_KERNEL_DIR "/memory.elf");
  const std::vector<std::array<uint32_t, 2>> places = {{0, 32}, {1, 33}, {3, 34}, {8, 2},
                                                       {5, 1},  {9, 12}, {7, 7},  {2, 21}};
  for (const auto& [to, from] : places) {
    for (const uint32_t bytes : {0u, 1u, 3u, 4u, 7u, 8u, 13u, 22u}) {
      for (uint32_t function = 0; function < 3; ++function) {
        const bool overlaps = to < from + bytes && from < to + bytes;
        if (function == 1 && overlaps) continue;
        fill_area();
        std::vector<uint8_t> want = area();
        if (function == 0) std::memset(want.data() + to, static_cast<int>(from), bytes);
        if (function != 0) std::memmove(want.data() + to, want.data() + from, bytes);
        EXPECT_EQ(call("call", {function, to, from, bytes}), 1u) << "returns its destination";
        EXPECT_EQ(area(), want) << function << ": " << to << ", " << from << ", " << bytes;
      }
    }
  }
}

TEST_F(Memory, ComparisonsHaveTheSignOfTheFirstByteThatDiffers) {
  load(OW_KERNEL_DIR "/memory.elf");
  const auto sign = [](uint32_t word) { return (word != 0) - 2 * static_cast<int>(word >> 31); };
  for (const uint32_t other : {32u, 33u}) {
    for (const uint32_t differs : {0u, 2u, 9u, 15u}) {
      std::vector<uint32_t> words(kBytes / 4, 0x80808080u);
      words[(other + differs) / 4] ^= 0xFFu << (8 * ((other + differs) % 4));  // 0x7f
      control.write(Rect{0, 1, 1, 1}, image.exported("area").addr, words);
      EXPECT_EQ(sign(call("call", {3, 0, other, 16})), 1) << other << ", " << differs;
      EXPECT_EQ(sign(call("call", {3, other, 0, 16})), -1) << other << ", " << differs;
      EXPECT_EQ(call("call", {3, 0, other, differs}), 0u) << other << ", " << differs;
    }
  }
}

TEST_F(Memory, IsInAProgramOnlyIfItIsUsed) {
  load(OW_KERNEL_DIR "/prints.elf");
  for (const char* name : {"memset", "memcpy", "memmove", "memcmp"})
    EXPECT_FALSE(image.find(name)) << name;
  load(OW_KERNEL_DIR "/memory.elf");
  EXPECT_TRUE(image.find("memset"));
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

class DescriptorLoads : public Runtime {
 protected:
  static constexpr uint32_t kHalves = 64;
  // 16-bit elements of an export, two a word.
  std::vector<uint32_t> halves(const char* name) {
    return control.read_tile(0, 0, image.exported(name).addr, kHalves / 2);
  }
  void fill(const char* name, uint32_t first) {
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < kHalves / 2; ++i) words.push_back((first + i) * 0x10001u);
    control.write(tile, image.exported(name).addr, words);
  }
  uint32_t word(const char* name) {
    return control.read_tile(0, 0, image.exported(name).addr, 1).at(0);
  }
  const Rect tile{0, 0, 1, 1};
};

// What the host makes of openwafer/tile/dsr.h is what the tile's compiler makes of it.
TEST_F(DescriptorLoads, HaveTheSameWordsOnTheHost) {
  load(OW_KERNEL_DIR "/loads.elf");
  static_assert(sizeof(ow_dsr_words) == 4 * isa::kNumDsrWords, "six words");
  const auto addr = [&](const char* name) { return image.exported(name).addr; };
  const ow_dsr_words table[] = {OW_WORDS_MEM2(OW_F16, addr("z"), 8, 2, 8, 16),
                                OW_WORDS_MEM1(OW_F16, addr("x"), 64, 2),
                                OW_WORDS_MEM1(OW_F16, addr("y"), 64, 2)};
  std::vector<uint32_t> words(sizeof(table) / 4);
  std::memcpy(words.data(), table, sizeof(table));
  EXPECT_EQ(control.read_tile(0, 0, image.symbol("table"), words.size()), words);
}

// An instruction of three descriptors that are constants.
TEST_F(DescriptorLoads, ATableLaunchesInFewerCycles) {
  load(OW_KERNEL_DIR "/loads.elf");
  for (const char* name : {"x", "y", "z"}) fill(name, 0x3c00);
  launch("launch", tile);
  check_errors(control, grid, &image);
  const std::vector<uint32_t> cycles = control.read_tile(0, 0, image.exported("cycles").addr, 3);
  std::printf("three descriptors and an fma: constants %u cycles, words of memory %u, loads %u\n",
              cycles[0], cycles[1], cycles[2]);
  EXPECT_LT(cycles[2], cycles[0]);
  EXPECT_LT(2 * cycles[2], cycles[1]);
  EXPECT_LE(cycles[2], 35u);
}

TEST_F(DescriptorLoads, AreLoadedWhenTheirThreadIsDone) {
  load(OW_KERNEL_DIR "/loads.elf");
  fill("x", 100);
  fill("z", 200);
  launch("in_use", tile);
  check_errors(control, grid, &image);
  EXPECT_EQ(halves("y"), halves("x"));
  EXPECT_EQ(halves("w"), halves("z"));
}

TEST_F(DescriptorLoads, AreLoadedWholeWhileOtherThreadsSaveAddresses) {
  load(OW_KERNEL_DIR "/loads.elf");
  launch("saving", tile, 600);
  check_errors(control, grid, &image);
  EXPECT_EQ(word("wrong"), 0u);
  EXPECT_GT(word("delayed"), 0u) << "no load met a saved address";
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
