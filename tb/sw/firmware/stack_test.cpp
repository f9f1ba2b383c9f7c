// SPDX-License-Identifier: Apache-2.0
// The stack: how much of it there is, and that its overflow and a null call are seen.
#include <gtest/gtest.h>

#include "ow/base/error.h"
#include "ow/device/control_plane.h"
#include "ow/diagnose/tile_error.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/program.h"
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

  std::unique_ptr<Device> device = make_device(DeviceKind::Replicated, GridShape{1, 2});
  ControlPlane control{*device};
  const Rect grid{0, 0, 1, 2};
  ElfImage image;
};

TEST_F(Stack, OfTheDefaultSizeHoldsAKilobyte) {
  launch(OW_KERNEL_DIR "/stack.elf", "deep", (1024 - 64) / kFrame - 3);
  EXPECT_EQ(error(), "");
  EXPECT_EQ(control.read_tile(0, 1, image.symbol("result")), 17u * 18 / 2);
}

TEST_F(Stack, ThatOverflowsIsReported) {
  launch(OW_KERNEL_DIR "/stack.elf", "deep", 1024 / kFrame);
  EXPECT_EQ(error(),
            "tile (0, 1): the stack has overflowed its 1024 bytes: what lies below 0xbc00 may be "
            "overwritten");
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

TEST_F(Stack, ACallOfANullFunctionStopsTheTile) {
  launch(OW_KERNEL_DIR "/stack.elf", "call_hook", 0);
  EXPECT_NE(error().find("tile (0, 1) stopped: a call of a null function, or a jump to address 0; "
                         "pc 0x0 in ow_null_function"),
            std::string::npos)
      << error();
}

}  // namespace
}  // namespace ow
