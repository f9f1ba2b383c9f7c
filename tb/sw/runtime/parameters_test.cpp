// SPDX-License-Identifier: Apache-2.0
// Parameters of a program: what the firmware finds in its exports when it starts.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "messages.h"
#include "openwafer/openwafer.h"

namespace ow {
namespace {

const std::string kElf = OW_KERNEL_DIR "/parameters_kernel.elf";
const std::string kLibrary = OW_KERNEL_DIR "/library_kernel.elf";
constexpr size_t kMax = 16;

// For a tile whose x was all 1: how many elements have been scaled by 2, 3, ...
std::vector<float> scaled(size_t length) {
  std::vector<float> x(kMax, 1);
  for (size_t i = 0; i < length; ++i) x[i] = static_cast<float>(i + 2);
  return x;
}
std::vector<float> factors() { return scaled(kMax); }

std::vector<float> after_scaling(ow::Run& run, const Rect& tile) {
  run.write("x", std::vector<float>(kMax, 1), Mapping::same());
  run.launch("scale").wait();
  return run.read<float>("x", Mapping::tiles().on_tiles(tile));
}

TEST(Parameters, AreThereWhenTheFirmwareStartsAndEachTimeThatItIsLoaded) {
  Runtime machine = open("sim:2x3");
  Program program(kElf);
  program.set_parameter("length", 5u).set_parameter("weights", factors(), Mapping::same());
  const Rect rect{1, 1, 1, 2};
  for (const uint32_t left : {9u, 0u}) {  // what a run leaves there is gone in the next
    ow::Run run = machine.load(program, rect);
    EXPECT_EQ(run.read<uint32_t>("length"), (std::vector<uint32_t>{5, 5}));
    EXPECT_EQ(after_scaling(run, {0, 0, 1, 1}), scaled(5));
    EXPECT_EQ(after_scaling(run, {0, 1, 1, 1}), scaled(5));
    run.write("length", left);
    run.write("weights", std::vector<float>(kMax, 0), Mapping::same());
  }
}

TEST(Parameters, AreThoseOfTheTilesThatTheMappingNames) {
  Runtime machine = open("sim:2x2");
  const std::string elf = kElf;
  const std::vector<float> weights = factors();

  ow::Program program(ow::Layout({2, 2}));
  program.add_firmware({0, 0, 1, 2}, elf).add_firmware({1, 0, 1, 2}, elf);
  program.set_parameter("weights", weights, ow::Mapping::same());
  program.set_parameter("length", 16u);
  program.set_parameter("length", 4u, ow::Mapping::same().on_tiles({1, 0, 1, 2}));  // the lower row

  ow::Run run = machine.load(program);
  EXPECT_EQ(after_scaling(run, {0, 1, 1, 1}), scaled(16));
  EXPECT_EQ(after_scaling(run, {1, 0, 1, 1}), scaled(4));
  // Spread as an array that is copied.
  const std::vector<uint32_t> lengths = {1, 2, 3, 4};
  run = machine.load(program.set_parameter("length", lengths));
  EXPECT_EQ(run.read<uint32_t>("length"), lengths);
  EXPECT_EQ(after_scaling(run, {1, 0, 1, 1}), scaled(3)) << "the later one holds";
}

// What shares the last word with a parameter is left alone, and firmware that has it elsewhere gets
// it there.
TEST(Parameters, OfSeveralFirmwaresGoWhereEachHasThem) {
  Runtime machine = open("sim:1x2");
  Program program(Layout({1, 2}));
  program.add_firmware({0, 0, 1, 1}, kElf).add_firmware({0, 1, 1, 1}, kLibrary);
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5};
  program.set_parameter("length", 3u).set_parameter("bytes", bytes, Mapping::same());
  ow::Run run = machine.load(program);
  EXPECT_EQ(run.read<uint32_t>("length"), std::vector<uint32_t>{3});
  EXPECT_EQ(run.read<uint8_t>("bytes"), bytes);
}

TEST(Parameters, OfAnotherNameTypeOrSizeAreRefusedBeforeAnythingIsLoaded) {
  Runtime machine = open("sim:1x2");
  ow::Run before = machine.load(Program(kLibrary));
  const auto refusal = [&](Program program) { return message([&] { machine.load(program); }); };
  EXPECT_EQ(refusal(Program(kElf).set_parameter("size", 1u)),
            kElf + ": no export 'size' (it has: x, weights, length)");
  EXPECT_EQ(refusal(Program(kElf).set_parameter("length", 1.0f)),
            kElf + ": 'length' is u32, not f32");
  EXPECT_EQ(
      refusal(Program(kElf).set_parameter("weights", std::vector<float>(15), Mapping::same())),
      "'weights' is f32[16] in each of 1 x 2 tiles: 15 elements were given, the mapping "
      "wants 16");
  EXPECT_EQ(refusal(Program(kElf).set_parameter("weights", 1.0f)),
            "'weights' is f32[16] in each of 1 x 2 tiles: 1 elements were given, the mapping wants "
            "16");
  EXPECT_EQ(
      refusal(Program(kElf).set_parameter("length", 1u, Mapping::same().on_tiles({0, 1, 1, 2}))),
      "'length' in 1 x 2 tiles at (0, 1): the program has 1 x 2 tiles");
  Program parts(Layout({1, 2}));
  parts.add_firmware({0, 0, 1, 1}, kElf).add_firmware({0, 1, 1, 1}, kLibrary);
  EXPECT_EQ(refusal(parts.set_parameter("length", 1u, Mapping::same().on_tiles({0, 0, 1, 2}))),
            "'length': not all tiles in 1 x 2 tiles at (0, 0) have it");
  before.launch("count").wait();
  EXPECT_EQ(before.read<uint32_t>("counted", Mapping::same()).front(), 8u)
      << "what was refused has changed nothing";
}

std::string read(const std::string& path) {
  std::ifstream file(OW_SOURCE_DIR "/" + path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The lines of a listing stand one after the other in a file, which may indent all of them.
void expect_listed(const std::string& guide, const std::string& language, const std::string& path) {
  const std::string fence = "```" + language + "\n";
  const size_t begin = guide.find(fence);
  ASSERT_NE(begin, std::string::npos) << language;
  const size_t text = begin + fence.size();
  std::istringstream lines(guide.substr(text, guide.find("```", text) - text));
  std::string listing, indented, line;
  while (std::getline(lines, line)) {
    listing += line + "\n";
    indented += (line.empty() ? "" : "  ") + line + "\n";
  }
  const std::string file = read(path);
  EXPECT_TRUE(has(file, listing) || has(file, indented)) << path << " has no\n" << listing;
}

TEST(Parameters, TheGuidesListingsAreTheseFiles) {
  const std::string all = read("docs/programming.md");
  const size_t begin = all.find("\n## Parameters\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string guide = all.substr(begin, all.find("\n## ", begin + 1) - begin);
  expect_listed(guide, "c", "tb/sw/runtime/parameters_kernel.c");
  expect_listed(guide, "cpp", "tb/sw/runtime/parameters_test.cpp");
}

}  // namespace
}  // namespace ow
