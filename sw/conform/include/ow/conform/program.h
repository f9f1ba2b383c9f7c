// SPDX-License-Identifier: Apache-2.0
// Small programs of a tile as words, for tests: no compiler is needed.
#ifndef OW_CONFORM_PROGRAM_H_
#define OW_CONFORM_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "ow/isa/isa.h"

namespace ow::conform {

// Descriptors as the six words that ow.dsrl reads.
struct Descriptor {
  uint32_t words[isa::kNumDsrWords] = {};
  // `length` elements from `address` on, `step` bytes apart.
  static Descriptor memory(isa::TensorType type, uint32_t address, int length, int step);
  static Descriptor fabric_in(isa::TensorType type, int queue, int length);
  static Descriptor fabric_out(isa::TensorType type, int queue);
};

// Instructions one after the other. Registers are numbers of x.
class Program {
 public:
  void word(uint32_t instruction) { words_.push_back(instruction); }
  void load_immediate(int rd, uint32_t value);  // one or two instructions
  void add_immediate(int rd, int rs, int value);
  void load(int rd, int rs, int offset);
  void store(int rs2, int rs1, int offset);
  // Uses x5 and x6.
  void descriptor(int dsr, uint32_t table);
  void store_word(uint32_t address, uint32_t value);
  // Uses x5 and x6; `ctl` is the control word.
  void tensor(isa::TensorOp op, isa::TensorType type, uint32_t ctl, uint32_t scalar = 0);
  void fence_i() { word(0x0000100F); }
  void stop() { word(0x00100073); }  // ebreak
  const std::vector<uint32_t>& words() const { return words_; }

 private:
  std::vector<uint32_t> words_;
};

}  // namespace ow::conform

#endif  // OW_CONFORM_PROGRAM_H_
