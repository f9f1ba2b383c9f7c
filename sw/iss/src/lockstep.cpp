// SPDX-License-Identifier: Apache-2.0
#include "ow/iss/lockstep.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <deque>

namespace ow {
namespace {

constexpr unsigned kProgramLength = 2500;
constexpr size_t kHistory = 8;

std::string hex64(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%" PRIu64, value);
  return text;
}

void count(const Retire& retire, uint32_t next_pc, uint32_t cause, LockstepResult* result) {
  ++result->instructions;
  if (retire.trap) {
    ++result->traps[cause & 15];
    return;
  }
  const uint32_t opcode = retire.insn & 0x7f;
  if (opcode == 0x03) ++result->loads;
  if (opcode == 0x23) ++result->stores;
  if (opcode == 0x73) ++result->csr;
  if (opcode == isa::kOpcodeSystem) ++result->descriptors;
  if (opcode == 0x33 && retire.insn >> 25 == 1) ++result->mul_div;
  if (next_pc != retire.pc + 4) ++result->jumps_taken;
}

}  // namespace

LockstepResult run_lockstep(uint64_t seed, uint64_t instructions, LockstepModel* model) {
  LockstepResult result;
  result.seed = seed;
  if (model->memory_bytes() < kLockstepBytes) {
    result.message = "the model has too little memory for lockstep programs";
    return result;
  }
  for (uint64_t program = seed; result.instructions < instructions; ++program) {
    const std::vector<uint8_t> image = random_program(program, kProgramLength);
    FlatMemory memory(model->memory_bytes());
    std::copy(image.begin(), image.end(), memory.bytes().begin());
    Iss iss(&memory, model->descriptors());
    iss.reset(kLockstepEntry);
    model->start(image, kLockstepEntry);
    ++result.programs;

    std::deque<Retire> history;
    uint64_t first_cycle = 0;
    uint64_t cycle = 0;
    bool first = true;
    const auto fail = [&](const std::string& what) {
      result.message = "program seed " + hex64(program) + ", instruction " +
                       hex64(result.instructions) + ": " + what;
      for (const Retire& retire : history) result.message += "\n  before: " + to_string(retire);
    };
    while (!iss.stopped() && result.instructions < instructions) {
      Retire got;
      if (!model->next(&got, &cycle)) {
        Retire expected = iss.step();
        fail("no instruction retires, expected " + to_string(expected));
        return result;
      }
      if (first) first_cycle = cycle;
      first = false;
      iss.set_cycle(cycle);
      const Retire expected = iss.step();
      if (got != expected) {
        fail("\n  model:    " + to_string(got) + "\n  expected: " + to_string(expected));
        return result;
      }
      count(got, iss.pc(), iss.cause(), &result);
      history.push_back(got);
      if (history.size() > kHistory) history.pop_front();
    }
    result.cycles += cycle - first_cycle + 1;
    if (!iss.stopped()) break;
    const std::vector<uint32_t> words = model->read_words(kSandbox, kSandboxBytes / 4);
    for (size_t i = 0; i < words.size(); ++i) {
      const uint32_t addr = kSandbox + 4 * static_cast<uint32_t>(i);
      const uint32_t got = words[i];
      uint32_t expected = 0;
      memory.load(addr, 4, &expected);
      if (got != expected) {
        char text[96];
        std::snprintf(text, sizeof text, "memory at %08x is %08x, expected %08x", addr, got,
                      expected);
        fail(text);
        return result;
      }
    }
  }
  result.ok = true;
  return result;
}

}  // namespace ow
