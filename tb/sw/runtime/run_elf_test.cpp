// SPDX-License-Identifier: Apache-2.0
// Programs on one RTL tile: how they end, what is counted, the signature; and the
// tile in lockstep with the instruction-set model.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "elf_program.h"
#include "options.h"
#include "ow/base/error.h"
#include "ow/measure/tile_lockstep.h"
#include "ow/runtime/run_elf.h"
#include "rv_asm.h"

namespace ow {
namespace {

using namespace rv;  // NOLINT: encodings by mnemonic

TEST(RunElf, EndsAtTheStoreToTohostAndCountsToIt) {
  const ElfRun run = run_elf(
      program({addi(1, 0, 1), addi(2, 0, kToHost), sw(0, 2, 0), sw(1, 2, 0), jal(0, 0)}), {});
  EXPECT_EQ(run.end, ElfEnd::ToHost);
  EXPECT_EQ(run.tohost, 1u);
  EXPECT_EQ(run.instructions, 4u) << "a 0 in tohost means nothing";
  EXPECT_EQ(run.cycles, 4u);
}

// Fails if a later value of tohost counts instead of the one that ended the run.
TEST(RunElf, TheFirstValueOfTohostCountsAndNotALaterOne) {
  for (int nops = 0; nops <= 14; ++nops) {
    std::vector<uint32_t> words = {addi(1, 0, 5), addi(2, 0, kToHost), addi(3, 0, 1), sw(1, 2, 0)};
    words.insert(words.end(), static_cast<size_t>(nops), kNop);
    words.insert(words.end(), {sw(3, 2, 0), jal(0, 0)});
    const ElfRun run = run_elf(program(words), {});
    EXPECT_EQ(run.end, ElfEnd::ToHost);
    EXPECT_EQ(run.tohost, 5u) << nops << " nops";
    EXPECT_FALSE(run.passed());
  }
}

TEST(RunElf, AStoreOfAByteToTohostGivesTheWholeWord) {
  const uint32_t sb_high = sw(1, 2, 2) & ~(7u << 12);  // sb x1, 2(x2)
  ElfImage image = program({addi(1, 0, 5), addi(2, 0, kToHost), sb_high, jal(0, 0)});
  EXPECT_EQ(run_elf(image, {}).tohost, 0x50000u);
}

// Fails if an image that presets tohost passes after a trap or a wfi.
TEST(RunElf, AnImageThatPresetsTohostPassesByNoTrapSleepOrLimit) {
  auto preset = [](std::vector<uint32_t> words) {
    words.resize(kToHost / 4, kNop);
    words.push_back(1);
    return program(words);
  };
  ElfRunOptions few;
  few.max_cycles = 3000;
  for (const ElfRun& run :
       {run_elf(preset({addi(1, 0, 2), lw(3, 1, 0)}), {}), run_elf(preset({kWfi, jal(0, -4)}), {}),
        run_elf(preset({jal(0, 0)}), few)}) {
    EXPECT_NE(run.end, ElfEnd::ToHost);
    EXPECT_EQ(run.tohost, 0u);
    EXPECT_FALSE(run.passed());
  }
  const ElfRun ebreak = run_elf(preset({kEbreak}), {});
  EXPECT_EQ(ebreak.tohost, 1u) << "ebreak ends a program that leaves its result in memory";
}

// Fails if a wild pc is named as an offset into a function.
TEST(RunElf, AJumpOutOfTheProgramIsNamedSoWithTheCallThatLedThere) {
  // 0: li x5, 0x7c0; 4: jalr x1, 0(x5): nothing but zeros there.
  ElfImage image = program({addi(5, 0, 0x7c0), 0x000280e7, jal(0, 0)});
  image.functions[0] = "main";
  image.lines = {{0, "j.c:3"}, {4, "j.c:4"}, {8, "j.c:5"}};
  image.code[0] = 12;
  const ElfRun run = run_elf(image, {});
  EXPECT_EQ(run.end, ElfEnd::Trap);
  EXPECT_EQ(run.pc, 0x7c0u);
  const std::string text = run.describe(image);
  EXPECT_NE(text.find("pc 0x7c0 outside the program, reached from pc 0x4 in main+0x4 (j.c:4), "
                      "ra 0x8 in main+0x8 (j.c:4)"),
            std::string::npos)
      << text;
}

TEST(RunElf, OtherValuesOfTohostAreReported) {
  const ElfRun run =
      run_elf(program({addi(1, 0, 0x539), addi(2, 0, kToHost), sw(1, 2, 0), jal(0, 0)}), {});
  EXPECT_EQ(run.tohost, 0x539u);
}

TEST(RunElf, EbreakTrapSleepAndLimitAreToldApart) {
  EXPECT_EQ(run_elf(program({kNop, kEbreak}), {}).end, ElfEnd::Ebreak);
  const ElfRun trap = run_elf(program({addi(1, 0, 2), lw(3, 1, 0)}), {});
  EXPECT_EQ(trap.end, ElfEnd::Trap);
  EXPECT_EQ(trap.cause, 4);
  EXPECT_EQ(trap.tval, 2u);
  EXPECT_EQ(trap.pc, 4u);
  EXPECT_EQ(trap.tohost, 0u);
  const ElfImage image = program({kNop, kWfi});
  const ElfRun sleep = run_elf(image, {});
  EXPECT_EQ(sleep.end, ElfEnd::Asleep);
  EXPECT_EQ(sleep.pc, 4u);
  EXPECT_NE(sleep.describe(image).find("asleep at 0x4"), std::string::npos);
  ElfRunOptions few;
  few.max_cycles = 3000;
  const ElfRun limit = run_elf(program({jal(0, 0)}), few);
  EXPECT_EQ(limit.end, ElfEnd::CycleLimit);
}

TEST(RunElf, SignatureIsWhatMemoryHolds) {
  ElfImage image = program({addi(1, 0, 0x123), addi(2, 0, kToHost), sw(1, 2, 16), sw(2, 2, 20),
                            addi(1, 0, 1), sw(1, 2, 0), jal(0, 0)});
  image.symbols["begin_signature"] = kToHost + 16;
  image.symbols["end_signature"] = kToHost + 28;
  ElfRunOptions options;
  options.signature = true;
  EXPECT_EQ(run_elf(image, options).signature, (std::vector<uint32_t>{0x123, kToHost, 0}));
  image.symbols.erase("end_signature");
  EXPECT_THROW(run_elf(image, options), BadInput);
}

// Fails if the signature is taken after the store to tohost.
TEST(RunElf, SignatureIsThatOfTheStoreToTohost) {
  // 1 and 2 before it; then 3 over the 1, into a word of the image and into one never written.
  std::vector<uint32_t> words = {addi(1, 0, 1), addi(2, 0, kToHost), sw(1, 2, 16), addi(3, 0, 2),
                                 sw(3, 2, 20),  addi(4, 0, 3),       sw(1, 2, 0),  sw(4, 2, 16),
                                 sw(4, 2, 24),  sw(4, 2, 28),        jal(0, 0)};
  words.resize(kToHost / 4 + 6, 0);
  words.push_back(0x77);  // kToHost + 24
  ElfImage image = program(words);
  image.symbols["begin_signature"] = kToHost + 16;
  image.symbols["end_signature"] = kToHost + 32;
  ElfRunOptions options;
  options.signature = true;
  EXPECT_EQ(run_elf(image, options).signature, (std::vector<uint32_t>{1, 2, 0x77, 0}));
}

TEST(RunElf, MoreMemoryIsOfAProgramThatLinksItsModel) {
  ElfRunOptions options;
  options.sram_kb = 2048;
  EXPECT_THROW(run_elf(program({kEbreak}), options), BadInput);
  options.sram_kb = 2049;
  EXPECT_THROW(run_elf(program({kEbreak}), options), BadInput);
}

TEST(TileLockstep, RandomProgramsOnTheTileMatchTheIss) {
  const uint64_t instructions = test_option("OW_INSTRUCTIONS", 20000);
  const LockstepResult result = run_tile_lockstep(test_option("OW_SEED", 1), instructions);
  std::printf("%llu instructions, %.3f cycles each\n",
              static_cast<unsigned long long>(result.instructions),
              static_cast<double>(result.cycles) / static_cast<double>(result.instructions));
  EXPECT_TRUE(result.ok) << result.message << "\nset OW_SEED to repeat";
  EXPECT_GE(result.instructions, instructions) << "the programs hang";
}

}  // namespace
}  // namespace ow
