// SPDX-License-Identifier: Apache-2.0
// Random programs (RV32IM and descriptors) run on a model of the core (the RTL) and on the
// instruction-set model.
// Every retired instruction is compared.
#ifndef OW_LOCKSTEP_H_
#define OW_LOCKSTEP_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ow/iss/iss.h"

namespace ow {

// Anything that executes programs from address 0 on and reports what it retires.
class LockstepModel {
 public:
  virtual ~LockstepModel() = default;
  // Bytes of memory from address 0; run_lockstep needs at least kLockstepBytes.
  virtual uint32_t memory_bytes() const = 0;
  virtual unsigned descriptors() const { return isa::kNumDsrs; }
  // Halts the core, writes the image to address 0 and starts the core at pc.
  virtual void start(const std::vector<uint8_t>& image, uint32_t pc) = 0;
  // Runs to the next retired instruction; false if there is none (the core hangs or has stopped).
  // `cycle` is the cycle count that the instruction saw when it was executed.
  virtual bool next(Retire* retire, uint64_t* cycle) = 0;
  virtual std::vector<uint32_t> read_words(uint32_t addr, size_t count) = 0;
};

constexpr uint32_t kLockstepBytes = 0xc000;  // bytes of memory that the programs need
constexpr uint32_t kSandbox = 0x8000;        // loads and stores go here
constexpr uint32_t kSandboxBytes = 0x2000;

struct LockstepResult {
  bool ok = false;
  uint64_t seed = 0;
  uint64_t instructions = 0;  // compared, trapping ones included
  uint64_t programs = 0;
  std::array<uint64_t, 16> traps{};  // by cause
  uint64_t loads = 0;
  uint64_t stores = 0;
  uint64_t jumps_taken = 0;  // branches and jumps that were taken
  uint64_t mul_div = 0;
  uint64_t csr = 0;
  uint64_t descriptors = 0;  // instructions that write, read or load one
  uint64_t cycles = 0;       // of the model, from each program's first instruction to its last
  std::string message;       // the first difference: program seed, both records, recent history
};

// A program of about `length` instructions in memory from address 0, started at kLockstepEntry. It
// ends with ebreak after setting mtvec to 0. The same seed gives the same program everywhere.
constexpr uint32_t kLockstepEntry = 0x100;
std::vector<uint8_t> random_program(uint64_t seed, unsigned length);

// Runs programs of seeds seed, seed + 1, ... until `instructions` have been compared or one
// differs.
LockstepResult run_lockstep(uint64_t seed, uint64_t instructions, LockstepModel* model);

}  // namespace ow

#endif  // OW_LOCKSTEP_H_
