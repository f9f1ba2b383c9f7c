// SPDX-License-Identifier: Apache-2.0
// Runs a bare-metal program on one tile until it writes tohost or stops (docs/riscv.md).
#ifndef OW_RUN_ELF_H_
#define OW_RUN_ELF_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ow/diagnose/tile_error.h"
#include "ow/runtime/elf.h"

namespace ow {

enum class ElfEnd {
  ToHost,  // a value other than 0 was stored to `tohost`
  Ebreak,  // ebreak with mtvec = 0
  Trap,    // another trap with mtvec = 0
  Error,   // the engine, the reducer or the ramp stopped the tile
  Asleep,  // the core sleeps and nothing can wake it
  CycleLimit
};

struct ElfRun {
  ElfEnd end = ElfEnd::CycleLimit;
  // If the symbol exists: the word as the store that ended the run left it; after ebreak what
  // memory holds; 0 after any other end, whatever the image had put there.
  std::optional<uint32_t> tohost;
  uint64_t cycles = 0;              // from the first instruction to the last one executed
  uint64_t instructions = 0;        // retired, trapping ones not counted
  std::vector<uint32_t> signature;  // begin_signature to end_signature, if asked for, at the end
  uint32_t pc = 0;                  // where the core was at the end
  uint32_t last_pc = 0;             // of the last instruction that did not trap
  std::optional<uint32_t> ra;       // x1, if the program has written it
  int cause = 0;                    // of a trap that stopped it
  uint32_t tval = 0;
  TileError error;
  bool passed() const { return tohost == 1u; }
  std::string describe(const ElfImage& image) const;  // one line
};

struct ElfRunOptions {
  uint32_t sram_kb = 48;  // 1 to 2048; above 48 the big configuration runs
  uint64_t max_cycles = 100000000;
  bool signature = false;
  std::function<void(uint64_t cycles)> progress;  // called now and then
};

// BadInput if sram_kb is out of range or a symbol for the signature is missing or malformed. The
// image must have been read with the same size.
void check_elf_run(const ElfImage& image, const ElfRunOptions& options);
ElfRun run_elf(const ElfImage& image, const ElfRunOptions& options);

}  // namespace ow

#endif  // OW_RUN_ELF_H_
