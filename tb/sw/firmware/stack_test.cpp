// SPDX-License-Identifier: Apache-2.0
// The stack: how much of it there is, and that its overflow and a null call are seen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ow/base/error.h"
#include "ow/device/control_plane.h"
#include "ow/device/tile_map.h"
#include "ow/diagnose/tile_error.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/load_image.h"
#include "ow/sim/sim.h"

namespace ow {
namespace {

constexpr uint32_t kSram = 49152;
constexpr uint32_t kFrame = 48;  // of sum() in stack.c

class Stack : public testing::Test {
 protected:
  // Loads and starts the program, then launches it with an argument in one tile of two.
  void launch(const std::string& elf, const std::string& name, uint32_t argument) {
    image = read_elf(elf, kSram);
    load_program(control, grid, image);
    check_errors(control, grid, &image);  // before anything runs
    start_cores(control, grid, image.entry);
    again(name, argument);
  }
  void again(const std::string& name, uint32_t argument) {
    control.write(Rect{0, 1, 1, 1}, image.symbol("ow_args"), argument);
    control.write(Rect{0, 1, 1, 1}, kRegTaskActivate, 1u << image.launch(name).task);
    control.fence(grid);
    device->run(100000);
  }
  std::string error() {
    try {
      check_errors(control, grid, &image);
    } catch (const DeviceFault& e) {
      return e.what();
    }
    return "";
  }

  bool has(const std::string& text) { return error().find(text) != std::string::npos; }

  std::unique_ptr<Device> device = make_device(DeviceKind::Replicated, GridShape{1, 2});
  ControlPlane control{*device};
  const Rect grid{0, 0, 1, 2};
  ElfImage image;
};

// Fails if the default stack is too small.
TEST_F(Stack, OfTheDefaultSizeHoldsAKilobyte) {
  launch(OW_KERNEL_DIR "/stack.elf", "deep", (1024 - 64) / kFrame - 3);
  EXPECT_EQ(error(), "");
  EXPECT_EQ(control.read_tile(0, 1, image.symbol("result")), 17u * 18 / 2);
}

// Fails if a stack grows below its limit without a report.
TEST_F(Stack, ThatOverflowsIsReported) {
  launch(OW_KERNEL_DIR "/stack.elf", "deep", 1024 / kFrame);
  EXPECT_TRUE(has("tile (0, 1) stopped: stack pointer below its limit, address 0xbb"));
  EXPECT_TRUE(has(" in sum"));
  EXPECT_TRUE(has("; its stack has overflowed its 1024 bytes"));
  const TileError e = read_error(control, 0, 1);
  EXPECT_EQ(e.cause, static_cast<int>(isa::Trap::Stack));
  EXPECT_LT(e.addr, kSram - 1024);
  EXPECT_GE(e.addr, kSram - 1024 - kFrame);
}

// A program that takes its limit away is still found out by what it has overwritten.
// Fails if a stack without a limit overflows without a report.
TEST_F(Stack, ThatOverflowsWithoutALimitIsReported) {
  launch(OW_KERNEL_DIR "/stack.elf", "deep", 1);
  EXPECT_EQ(error(), "");
  control.write(Rect{0, 1, 1, 1}, isa::reg::StackLimit::kAddress, 0u);
  again("deep", 1024 / kFrame);
  EXPECT_EQ(error(),
            "tile (0, 1): the stack has overflowed its 1024 bytes: what lies below 0xbc00 may be "
            "overwritten");
}

// The limit is a word, and the pointer may be equal to it.
TEST_F(Stack, MayFillAllItsBytes) {
  launch(OW_KERNEL_DIR "/stack.elf", "deep", 1);
  for (const uint32_t limit : {kSram - 512, kSram - 508}) {
    control.write(Rect{0, 1, 1, 1}, isa::reg::StackLimit::kAddress, limit);
    EXPECT_EQ(control.read_tile(0, 1, isa::reg::StackLimit::kAddress), limit);
  }
}

// Fails if a store into the program's text is taken.
TEST_F(Stack, AStoreIntoTextIsAFault) {
  const auto stop = [&](const std::string& name, uint32_t at) {
    control.write(grid, kRegCoreCtrl, kCoreReset);
    control.fence(grid);
    launch(OW_KERNEL_DIR "/stack.elf", name, at);
    return read_error(control, 0, 1);
  };
  launch(OW_KERNEL_DIR "/stack.elf", "deep", 1);
  const uint32_t end = image.symbol("ow_text_end");
  const uint32_t main_text = image.symbol("ow_start");
  for (const auto& [name, at] : {std::pair<const char*, uint32_t>{"store_word", main_text},
                                 {"store_word", 0},
                                 {"store_byte", main_text + 3},
                                 {"store_byte", end - 1},
                                 {"store_word", main_text + 2}}) {
    const TileError e = stop(name, at);
    EXPECT_TRUE(e.stopped) << at;
    EXPECT_EQ(e.source, ErrorSource::Core);
    EXPECT_EQ(e.cause, static_cast<int>(isa::Trap::Text));
    EXPECT_EQ(e.addr, at);
    EXPECT_TRUE(
        has(fmt::format("tile (0, 1) stopped: store into program text, address 0x{:x}; "
                        "pc 0x{:x} in ow_task_entry_{}+0x",
                        at, e.pc, name)));
    EXPECT_TRUE(has("tb/sw/firmware/stack.c:")) << error();
    EXPECT_EQ(control.read_tile(0, 1, at & ~3u), image.loaded_word(at & ~3u)) << "not written";
  }
  EXPECT_FALSE(stop("store_byte", (end + 3) & ~3u).stopped) << "data may be written";
  // The control plane may write it, and without a limit the core may, too.
  control.write(Rect{0, 1, 1, 1}, isa::reg::TextLimit::kAddress, 0u);
  again("store_word", main_text);
  EXPECT_FALSE(read_error(control, 0, 1).stopped);
  EXPECT_EQ(control.read_tile(0, 1, main_text), 0x55u);
}

// A reset of the compute part takes the limits away: the next program may know nothing of them.
TEST_F(Stack, LimitsAreThoseOfTheProgramThatRuns) {
  launch(OW_KERNEL_DIR "/stack.elf", "deep", 1);
  const Rect tile{0, 1, 1, 1};
  EXPECT_EQ(control.read_tile(0, 1, isa::reg::StackLimit::kAddress), kSram - 1024);
  EXPECT_EQ(control.read_tile(0, 1, isa::reg::TextLimit::kAddress), image.symbol("ow_text_end"));
  control.write(tile, kRegCoreCtrl, kCoreReset);
  EXPECT_EQ(control.read_tile(0, 1, isa::reg::StackLimit::kAddress), 0u);
  EXPECT_EQ(control.read_tile(0, 1, isa::reg::TextLimit::kAddress), 0u);
}

TEST_F(Stack, OfATileWithAnotherProgramIsNotLookedAt) {
  launch(OW_KERNEL_DIR "/stack.elf", "deep", 1);
  control.write(Rect{0, 0, 1, 1}, 0, std::vector<uint32_t>(32, 0));  // not this program's code
  control.write(Rect{0, 0, 1, 1}, kSram - 1024, 0u);
  EXPECT_EQ(error(), "");
  control.write(Rect{0, 1, 1, 1}, kSram - 1024, 0u);
  EXPECT_NE(error().find("tile (0, 1): the stack has overflowed"), std::string::npos);
}

TEST_F(Stack, OfTheSizeThatTheKernelAskedForHoldsThat) {
  launch(OW_KERNEL_DIR "/large_stack.elf", "deep", 4096 / kFrame - 3);
  EXPECT_EQ(error(), "");
}

TEST_F(Stack, ThatRunsThroughTheProgramIsNamedBesideTheTrap) {
  launch(OW_KERNEL_DIR "/stack.elf", "deep", 2000);
  EXPECT_NE(error().find("tile (0, 1) stopped: "), std::string::npos) << error();
  EXPECT_NE(error().find("; its stack has overflowed its 1024 bytes"), std::string::npos)
      << error();
}

TEST_F(Stack, OfATileWithLessMemoryLiesAtItsTop) {
  image = read_elf(OW_KERNEL_DIR "/stack.elf", kSram);
  const auto guard = stack_guard(image, 8192);
  ASSERT_TRUE(guard.has_value());
  EXPECT_EQ(guard->addr, 8192u - 1024);
  try {
    stack_guard(image, 1024);
    FAIL();
  } catch (const BadInput& e) {
    EXPECT_NE(std::string(e.what()).find("a stack of 1024 do not fit the tile's 1024 bytes"),
              std::string::npos)
        << e.what();
  }
}

// Fails if a call of a null function restarts the program.
TEST_F(Stack, ACallOfANullFunctionStopsTheTile) {
  launch(OW_KERNEL_DIR "/stack.elf", "call_hook", 0);
  const uint32_t task = image.launch("call_hook").task;
  EXPECT_EQ(error(),
            fmt::format("tile (0, 1) stopped: a call of a null function, or a jump to address 0; "
                        "pc 0x0 in ow_null_function, in task {} (ow_task_entry_call_hook)",
                        task));
}

// Fails if a jump out of the program does not name its task.
TEST_F(Stack, AJumpOutOfTheProgramNamesItsTask) {
  launch(OW_KERNEL_DIR "/stack.elf", "jump", 0x8000);
  EXPECT_TRUE(
      has("tile (0, 1) stopped: illegal instruction 0x00000000; pc 0x8000 outside the "
          "program, in task "))
      << error();
  EXPECT_TRUE(has(" (ow_task_entry_jump)")) << error();
}

}  // namespace
}  // namespace ow
