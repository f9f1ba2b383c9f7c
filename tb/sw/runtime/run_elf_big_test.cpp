// SPDX-License-Identifier: Apache-2.0
// Programs on the tile with 2,048 kB of SRAM.
#include <gtest/gtest.h>

#include "elf_program.h"
#include "ow/base/error.h"
#include "ow/runtime/run_elf.h"
#include "rv_asm.h"

namespace ow {
namespace {

using namespace rv;  // NOLINT: encodings by mnemonic

TEST(RunElf, BigMemoryHoldsProgramsAtItsEnd) {
  const uint32_t base = (2048u << 10) - 64;
  ElfRunOptions options;
  options.sram_kb = 2048;
  const ElfRun run =
      run_elf(program({addi(1, 0, 1), addi(2, 0, kToHost), sw(1, 2, 0), jal(0, 0)}, base), options);
  EXPECT_EQ(run.end, ElfEnd::ToHost);
  EXPECT_EQ(run.pc, base + 8);
  options.sram_kb = 2049;
  EXPECT_THROW(run_elf(program({kEbreak}), options), BadInput);
}

}  // namespace
}  // namespace ow
