// SPDX-License-Identifier: Apache-2.0
// What a kernel calls by name: descriptors that the linker numbers, arguments with a type, flows.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "messages.h"
#include "openwafer/openwafer.h"
#include "ow/isa/isa.h"
#include "ow/runtime/elf.h"

namespace ow {
namespace {

const std::string kNames = OW_KERNEL_DIR "/names_kernel.elf";
const std::string kClaims = OW_KERNEL_DIR "/claims_kernel.elf";
const std::string kEleven = OW_KERNEL_DIR "/claims_of_eleven.elf";

TEST(Descriptors, OfAllFilesHaveNumbersOfTheirOwnFrom0) {
  const ElfImage image = read_elf(kNames, 49152);
  std::set<uint32_t> numbers;
  for (const ElfDescriptor& d : image.descriptors()) {
    EXPECT_EQ(d.number, image.symbol("ow_dsr_id_" + d.name));
    numbers.insert(d.number);
  }
  EXPECT_EQ(image.descriptors().size(), 17u);
  EXPECT_EQ(numbers.size(), 17u);
  EXPECT_EQ(*numbers.rbegin(), 16u);
}

TEST(Descriptors, OfTwoFilesAreOperandsOfOneInstruction) {
  Runtime machine = open("sim:1x1");
  ow::Run run = machine.load(Program(kNames));
  run.write("x", std::vector<int32_t>{1, -2, 3, 4, 5, 6, 7, 8});
  run.launch("twice").wait();
  EXPECT_EQ(run.read<int32_t>("y"), (std::vector<int32_t>{2, -4, 6, 8, 10, 12, 14, 16}));
}

TEST(Descriptors, MoreThanTheTileHasAreRefusedByName) {
  Runtime machine = open("sim-mini:1x1");
  const std::string text = message([&] { machine.load(Program(kNames)); });
  static const std::regex said(
      ".*names_kernel.elf: '[A-Q]' is descriptor 16 \\(OW_DSR\\), the machine has 16 \\(0 to "
      "15\\)");
  EXPECT_TRUE(std::regex_match(text, said)) << text;
}

TEST(Descriptors, StandBesideThoseOfTheKernelLibraryOrAreRefusedByName) {
  Runtime machine = open("sim:1x1");
  ow::Run run = machine.load(Program(kClaims));
  run.write("x", std::vector<f16>(8, f16(1)));
  run.write("y", std::vector<f16>(8, f16(2)));
  run.launch("add").wait();
  EXPECT_EQ(run.read<f16>("z"), std::vector<f16>(8, f16(6)));
  const std::string text = message([&] { machine.load(Program(kEleven)); });
  static const std::regex said(
      ".*claims_of_eleven.elf: '[A-K]' is descriptor 10 \\(OW_DSR\\), but 'kernel_library' has 10 "
      "to 30");
  EXPECT_TRUE(std::regex_match(text, said)) << text;
}

TEST(Arguments, OfEveryTypeArriveAsTheyWereGiven) {
  Runtime machine = open("sim:1x1");
  ow::Run run = machine.load(Program(kNames));
  enum { kMost = 65535 };
  run.launch("seven", 255, int8_t{-128}, kMost, -32768L, 4294967295ull, int64_t{-2147483648}, 0.1f)
      .wait();
  EXPECT_EQ(run.read<int32_t>("integers"),
            (std::vector<int32_t>{255, -128, 65535, -32768, -1, -2147483647 - 1}));
  EXPECT_EQ(run.read<float>("real").front(), 0.1f);
  run.launch("two", f16(-1.5), bf16(3.0)).wait();
  EXPECT_EQ(run.read<uint32_t>("halves"),
            (std::vector<uint32_t>{f16(-1.5).bits(), bf16(3.0).bits()}));
}

TEST(Arguments, ThatDoNotFitAreRefusedByNumberValueAndLimit) {
  Runtime machine = open("sim:1x1");
  ow::Run run = machine.load(Program(kNames));
  const auto said = [](const std::string& text, const std::string& what) {
    EXPECT_EQ(text, kNames + ": " + what);
  };
  const auto seven = [&](auto a, auto b, auto c, auto d, auto e, auto f, auto g) {
    return message([&] { run.launch("seven", a, b, c, d, e, f, g); });
  };
  const float r = 1;
  said(seven(256, 0, 0, 0, 0, 0, r), "argument 1 of 'seven' is u8 a, from 0 to 255: 256 was given");
  said(seven(-1, 0, 0, 0, 0, 0, r), "argument 1 of 'seven' is u8 a, from 0 to 255: -1 was given");
  said(seven(0, 128, 0, 0, 0, 0, r),
       "argument 2 of 'seven' is i8 b, from -128 to 127: 128 was given");
  said(seven(0, 0, 0, -32769, 0, 0, r),
       "argument 4 of 'seven' is i16 d, from -32768 to 32767: -32769 was given");
  said(seven(0, 0, 0, 0, std::numeric_limits<uint64_t>::max(), 0, r),
       "argument 5 of 'seven' is u32 e, from 0 to 4294967295: 18446744073709551615 was given");
  said(seven(0, 0, 0, 0, 0, 2147483648u, r),
       "argument 6 of 'seven' is i32 f, from -2147483648 to 2147483647: 2147483648 was given");
  said(seven(0, 0, 0, 0, 0, 0, 7), "argument 7 of 'seven' is f32 g: the integer 7 was given");
  said(seven(0, 0, 0, 0, 0, 0, f16(1)), "argument 7 of 'seven' is f32 g: f16 was given");
  said(seven(0, 0, r, 0, 0, 0, r), "argument 3 of 'seven' is u16 c: f32 was given");
  said(message([&] { run.launch("two", bf16(1), bf16(1)); }),
       "argument 1 of 'two' is f16 a: bf16 was given");
  said(message([&] { run.launch("two", f16(1)); }),
       "'two' takes 2 arguments (f16 a, bf16 b), not 1");
  said(message([&] { run.launch("twice", 1); }), "'twice' takes no arguments, not 1");
  EXPECT_EQ(run.read<int32_t>("integers"), std::vector<int32_t>(6, 0)) << "none of them ran";
}

// Fails if a flow that the layout does not have keeps the queue of the program before.
TEST(Flows, OfTheFirmwareAloneHaveNoQueues) {
  Runtime machine = open("sim:1x2");
  Layout layout({1, 2});
  layout.shift("sum", Side::East);
  for (const bool with : {true, false}) {
    ow::Run run = machine.load(with ? Program(kNames, layout) : Program(kNames));
    run.launch("ends").wait();
    const std::vector<uint32_t> none = {255, 255, 0};
    std::vector<uint32_t> want = none;
    want.insert(want.end(), none.begin(), none.end());
    if (with) want[1] = want[3] = 0;
    EXPECT_EQ(run.read<uint32_t>("found"), want) << with;
  }
}

// Fails if the end of a turn is not written with the queues.
TEST(Flows, OfAGatherHaveTheWordThatEndsATurn) {
  Runtime machine = open("sim:1x2");
  Layout layout({1, 2});
  layout.gather("sum", Side::West);
  ow::Run run = machine.load(Program(kNames, layout));
  run.launch("ends").wait();
  uint32_t reset = 0;
  for (int slot = 0; slot < isa::kNumCommands; ++slot) {
    reset |= switch_command(slot, Command::Reset);
  }
  EXPECT_EQ(run.read<uint32_t>("found"),
            (std::vector<uint32_t>{255, 0, switch_command(0, Command::Advance), 255, 0, reset}));
}

TEST(Flows, ThatFirmwareLacksAreRefusedWithTileAndRegion) {
  Runtime machine = open("sim:1x2");
  Layout layout({1, 2});
  layout.region("left", {0, 0, 1, 1}).enter("more", Side::West, 0, 0);
  EXPECT_EQ(
      message([&] { machine.load(Program(kNames, layout)); }),
      kNames + ": no OW_FLOW(more), but the layout has 'more' in tile (0, 0) of region 'left'");
  Layout right({1, 2});
  right.leave("more", 0, 1, Side::East);
  Program both(right);
  both.add_firmware({0, 0, 1, 1}, kNames).add_firmware({0, 1, 1, 1}, kClaims);
  EXPECT_EQ(message([&] { machine.load(both); }),
            kClaims + ": no OW_FLOW(more), but the layout has 'more' in tile (0, 1)");
}

}  // namespace
}  // namespace ow
