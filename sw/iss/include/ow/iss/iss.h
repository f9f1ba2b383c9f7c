// SPDX-License-Identifier: Apache-2.0
// Instruction-set model of the tile's scalar core: RV32IM_Zicsr_Zifencei, machine mode, and the
// system instructions of descriptors (ow.dsrw, ow.dsrr, ow.dsrl). It is written only from the
// RISC-V specification and docs/isa.md. One call executes one instruction. Tensor instructions and
// ow.next are not part of it: they are illegal here, so no descriptor is ever in use and no FIFO
// holds an element. STACK_LIMIT and TEXT_LIMIT are not part of it either, so it has no traps 24 and
// 25.
#ifndef OW_ISS_H_
#define OW_ISS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ow/base/retire.h"
#include "ow/isa/isa.h"

namespace ow {

bool operator==(const Retire& a, const Retire& b);
inline bool operator!=(const Retire& a, const Retire& b) { return !(a == b); }
std::string to_string(const Retire& retire);

// What the model sees as memory. `bytes` is 1, 2 or 4, and addresses are aligned to it. A result of
// false is an access fault.
class IssMemory {
 public:
  virtual ~IssMemory() = default;
  virtual bool fetch(uint32_t addr, uint32_t* insn) = 0;
  virtual bool load(uint32_t addr, unsigned bytes, uint32_t* value) = 0;
  virtual bool store(uint32_t addr, unsigned bytes, uint32_t value) = 0;
};

// Bytes from address 0 on, nothing else: a tile without its registers.
class FlatMemory : public IssMemory {
 public:
  explicit FlatMemory(size_t bytes) : bytes_(bytes, 0) {}
  bool fetch(uint32_t addr, uint32_t* insn) override { return load(addr, 4, insn); }
  bool load(uint32_t addr, unsigned bytes, uint32_t* value) override;
  bool store(uint32_t addr, unsigned bytes, uint32_t value) override;
  std::vector<uint8_t>& bytes() { return bytes_; }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

class Iss {
 public:
  // The memory is not owned and must outlive this. `descriptors`: how many there are; an
  // instruction with another number is illegal.
  explicit Iss(IssMemory* memory, unsigned descriptors = isa::kNumDsrs)
      : memory_(memory), descriptors_(descriptors) {}

  // Resets as the core does: CSRs get their reset values, general registers and descriptors are
  // untouched.
  void reset(uint32_t pc);

  // The cycle count that the next instruction sees.
  void set_cycle(uint64_t cycle) { cycle_ = cycle; }

  // Executes one instruction. Must not be called once the core has stopped.
  Retire step();

  // A trap with mtvec = 0 stops the core.
  bool stopped() const { return stopped_; }
  uint32_t cause() const { return mcause_; }
  uint32_t tval() const { return mtval_; }

  uint32_t pc() const { return pc_; }
  // Goes on there: for an instruction that something else has executed.
  void go_to(uint32_t pc) { pc_ = pc & ~3u; }

  using DescriptorWords = std::array<uint32_t, isa::kNumDsrWords>;
  const DescriptorWords& descriptor(unsigned number) const { return dsr_[number]; }
  void set_descriptor(unsigned number, const DescriptorWords& words) { dsr_[number] = words; }

  uint32_t x(unsigned index) const { return x_[index]; }
  void set_x(unsigned index, uint32_t value) {
    if (index != 0) x_[index] = value;
  }

 private:
  struct Trap {
    isa::Trap cause;
    uint32_t tval;
  };
  struct Step;
  void execute(uint32_t insn, Retire* retire, uint32_t* next_pc);
  void lui(const Step& s);
  void auipc(const Step& s);
  void jal(const Step& s);
  void jalr(const Step& s);
  void branch(const Step& s);
  void load(const Step& s);
  void store(const Step& s);
  void arithmetic(const Step& s);
  void fence(const Step& s);
  void system(const Step& s);
  void access_csr(const Step& s);
  void descriptor(const Step& s);
  void write_word(uint32_t descriptor, uint32_t word, uint32_t value);
  uint32_t read_word(uint32_t descriptor, uint32_t word) const;
  bool csr_read(uint32_t number, uint32_t* value) const;
  void csr_write(uint32_t number, uint32_t value);
  void write_rd(uint32_t insn, uint32_t value, Retire* retire);

  IssMemory* memory_;
  unsigned descriptors_;
  std::array<DescriptorWords, isa::kNumDsrs> dsr_{};
  std::array<uint32_t, 32> x_{};
  uint32_t pc_ = 0;
  bool stopped_ = false;
  uint64_t cycle_ = 0;
  uint64_t cycle_offset_ = 0;
  uint64_t instret_ = 0;
  bool instret_written_ = false;
  uint32_t mstatus_ = 0;  // MIE and MPIE only
  uint32_t mie_ = 0;
  uint32_t mtvec_ = 0;
  uint32_t mscratch_ = 0;
  uint32_t mepc_ = 0;
  uint32_t mcause_ = 0;
  uint32_t mtval_ = 0;
};

}  // namespace ow

#endif  // OW_ISS_H_
