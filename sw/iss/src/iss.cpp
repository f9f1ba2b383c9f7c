// SPDX-License-Identifier: Apache-2.0
#include "ow/iss/iss.h"

#include <cstdio>

namespace ow {
namespace {

using isa::Csr;

constexpr uint32_t kMie = 1u << 3;
constexpr uint32_t kMpie = 1u << 7;
constexpr uint32_t kMpp = 3u << 11;

uint32_t bits(uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & (0xffffffffu >> (31 - (high - low)));
}

int32_t sign_extend(uint32_t value, unsigned width) {
  const uint32_t sign = 1u << (width - 1);
  return static_cast<int32_t>((value ^ sign) - sign);
}

uint32_t imm_i(uint32_t insn) { return static_cast<uint32_t>(sign_extend(bits(insn, 31, 20), 12)); }

uint32_t imm_s(uint32_t insn) {
  return static_cast<uint32_t>(sign_extend(bits(insn, 31, 25) << 5 | bits(insn, 11, 7), 12));
}

uint32_t imm_b(uint32_t insn) {
  return static_cast<uint32_t>(sign_extend(bits(insn, 31, 31) << 12 | bits(insn, 7, 7) << 11 |
                                               bits(insn, 30, 25) << 5 | bits(insn, 11, 8) << 1,
                                           13));
}

uint32_t imm_j(uint32_t insn) {
  return static_cast<uint32_t>(sign_extend(bits(insn, 31, 31) << 20 | bits(insn, 19, 12) << 12 |
                                               bits(insn, 20, 20) << 11 | bits(insn, 30, 21) << 1,
                                           21));
}

int32_t s32(uint32_t value) { return static_cast<int32_t>(value); }

uint32_t multiply_divide(unsigned kind, uint32_t a, uint32_t b) {
  const int64_t sa = s32(a);
  const int64_t sb = s32(b);
  const int64_t ua = a;
  const int64_t ub = b;
  switch (kind) {
    case 0:
      return a * b;
    case 1:
      return static_cast<uint32_t>(static_cast<uint64_t>(sa * sb) >> 32);
    case 2:
      return static_cast<uint32_t>(static_cast<uint64_t>(sa * ub) >> 32);
    case 3:
      return static_cast<uint32_t>((static_cast<uint64_t>(ua) * static_cast<uint64_t>(ub)) >> 32);
    case 4:
      return b == 0 ? 0xffffffffu : static_cast<uint32_t>(sa / sb);
    case 5:
      return b == 0 ? 0xffffffffu : a / b;
    case 6:
      return b == 0 ? a : static_cast<uint32_t>(sa % sb);
    default:
      return b == 0 ? a : a % b;
  }
}

uint32_t add_shift_logic(unsigned kind, bool alternate, uint32_t a, uint32_t b) {
  const unsigned shift = b & 31;
  switch (kind) {
    case 0:
      return alternate ? a - b : a + b;
    case 1:
      return a << shift;
    case 2:
      return s32(a) < s32(b) ? 1 : 0;
    case 3:
      return a < b ? 1 : 0;
    case 4:
      return a ^ b;
    case 5:
      return a >> shift | (alternate && shift != 0 && s32(a) < 0 ? ~(0xffffffffu >> shift) : 0);
    case 6:
      return a | b;
    default:
      return a & b;
  }
}

}  // namespace

bool operator==(const Retire& a, const Retire& b) {
  if (a.trap != b.trap || a.pc != b.pc || a.insn != b.insn || a.rd_we != b.rd_we ||
      a.mem_we != b.mem_we) {
    return false;
  }
  if (a.rd_we && (a.rd != b.rd || a.rd_data != b.rd_data)) return false;
  return !a.mem_we || (a.mem_addr == b.mem_addr && a.mem_wdata == b.mem_wdata);
}

std::string to_string(const Retire& retire) {
  char text[160];
  int length = std::snprintf(text, sizeof text, "pc %08x insn %08x", retire.pc, retire.insn);
  std::string out(text, static_cast<size_t>(length));
  if (retire.trap) out += " trap";
  if (retire.rd_we) {
    length = std::snprintf(text, sizeof text, " x%u=%08x", retire.rd, retire.rd_data);
    out.append(text, static_cast<size_t>(length));
  }
  if (retire.mem_we) {
    length = std::snprintf(text, sizeof text, " [%08x]=%08x", retire.mem_addr, retire.mem_wdata);
    out.append(text, static_cast<size_t>(length));
  }
  return out;
}

bool FlatMemory::load(uint32_t addr, unsigned bytes, uint32_t* value) {
  if (addr >= bytes_.size()) return false;
  *value = 0;
  for (unsigned i = 0; i < bytes; ++i) *value |= static_cast<uint32_t>(bytes_[addr + i]) << (8 * i);
  return true;
}

bool FlatMemory::store(uint32_t addr, unsigned bytes, uint32_t value) {
  if (addr >= bytes_.size()) return false;
  for (unsigned i = 0; i < bytes; ++i) bytes_[addr + i] = static_cast<uint8_t>(value >> (8 * i));
  return true;
}

void Iss::reset(uint32_t pc) {
  pc_ = pc & ~3u;
  stopped_ = false;
  cycle_offset_ = 0;
  instret_ = 0;
  mstatus_ = mie_ = mtvec_ = mscratch_ = mepc_ = mcause_ = mtval_ = 0;
}

bool Iss::csr_read(uint32_t number, uint32_t* value) const {
  const uint64_t cycle = cycle_ + cycle_offset_;
  switch (static_cast<Csr>(number)) {
    case Csr::Mstatus:
      *value = mstatus_ | kMpp;
      return true;
    case Csr::Misa:
      *value = 1u << 30 | 1u << ('X' - 'A') | 1u << ('M' - 'A') | 1u << ('I' - 'A');
      return true;
    case Csr::Mie:
      *value = mie_;
      return true;
    case Csr::Mtvec:
      *value = mtvec_;
      return true;
    case Csr::Mscratch:
      *value = mscratch_;
      return true;
    case Csr::Mepc:
      *value = mepc_;
      return true;
    case Csr::Mcause:
      *value = mcause_;
      return true;
    case Csr::Mtval:
      *value = mtval_;
      return true;
    case Csr::Mip:
      *value = 0;
      return true;
    case Csr::Mcycle:
    case Csr::Cycle:
      *value = static_cast<uint32_t>(cycle);
      return true;
    case Csr::Mcycleh:
    case Csr::Cycleh:
      *value = static_cast<uint32_t>(cycle >> 32);
      return true;
    case Csr::Minstret:
    case Csr::Instret:
      *value = static_cast<uint32_t>(instret_);
      return true;
    case Csr::Minstreth:
    case Csr::Instreth:
      *value = static_cast<uint32_t>(instret_ >> 32);
      return true;
    case Csr::Mvendorid:
    case Csr::Marchid:
    case Csr::Mimpid:
    case Csr::Mhartid:
      *value = 0;
      return true;
    default:
      return false;
  }
}

void Iss::csr_write(uint32_t number, uint32_t value) {
  // A write to the cycle counter sets its value for the cycle after the instruction.
  const uint64_t now = cycle_ + 1;
  const uint64_t cycle = now + cycle_offset_;
  const uint64_t low_mask = 0xffffffffu;
  switch (static_cast<Csr>(number)) {
    case Csr::Mstatus:
      mstatus_ = value & (kMie | kMpie);
      break;
    case Csr::Mie:
      mie_ = value & (1u << 11 | 1u << 7 | 1u << 3);
      break;
    case Csr::Mtvec:
      mtvec_ = value & ~3u;
      break;
    case Csr::Mscratch:
      mscratch_ = value;
      break;
    case Csr::Mepc:
      mepc_ = value & ~3u;
      break;
    case Csr::Mcause:
      mcause_ = value & (1u << 31 | 31u);
      break;
    case Csr::Mtval:
      mtval_ = value;
      break;
    case Csr::Mcycle:
      cycle_offset_ = ((cycle & ~low_mask) | value) - now;
      break;
    case Csr::Mcycleh:
      cycle_offset_ = (static_cast<uint64_t>(value) << 32 | (cycle & low_mask)) - now;
      break;
    case Csr::Minstret:
      instret_ = (instret_ & ~low_mask) | value;
      instret_written_ = true;
      break;
    case Csr::Minstreth:
      instret_ = static_cast<uint64_t>(value) << 32 | (instret_ & low_mask);
      instret_written_ = true;
      break;
    default:
      break;  // misa and mip take no writes
  }
}

void Iss::write_rd(uint32_t insn, uint32_t value, Retire* retire) {
  const uint32_t rd = bits(insn, 11, 7);
  if (rd == 0) return;
  x_[rd] = value;
  retire->rd_we = true;
  retire->rd = rd;
  retire->rd_data = value;
}

Retire Iss::step() {
  Retire retire;
  retire.pc = pc_;
  instret_written_ = false;
  try {
    uint32_t insn = 0;
    if (!memory_->fetch(pc_, &insn)) throw Trap{isa::Trap::FetchFault, pc_};
    retire.insn = insn;
    uint32_t next_pc = pc_ + 4;
    execute(insn, &retire, &next_pc);
    pc_ = next_pc;
    if (!instret_written_) ++instret_;
  } catch (const Trap& trap) {
    retire.trap = true;
    mepc_ = pc_;
    mcause_ = static_cast<uint32_t>(trap.cause);
    mtval_ = trap.tval;
    mstatus_ = (mstatus_ & kMie) != 0 ? kMpie : 0;
    if (mtvec_ == 0) {
      stopped_ = true;
    } else {
      pc_ = mtvec_;
    }
  }
  return retire;
}

// One instruction: its operands, and the changes that it makes.
struct Iss::Step {
  uint32_t insn;
  Retire* retire;
  uint32_t* next_pc;
  uint32_t rs1, rs2;

  unsigned funct3() const { return bits(insn, 14, 12); }
  unsigned funct7() const { return bits(insn, 31, 25); }
  Trap illegal() const { return {isa::Trap::Illegal, insn}; }
  void jump(uint32_t target) const {
    if ((target & 3) != 0) throw Trap{isa::Trap::FetchMisaligned, target};
    *next_pc = target;
  }
};

void Iss::execute(uint32_t insn, Retire* retire, uint32_t* next_pc) {
  using Execute = void (Iss::*)(const Step&);
  static constexpr struct {
    uint32_t opcode;
    Execute execute;
  } kOpcodes[] = {
      {0x03, &Iss::load},  {0x0f, &Iss::fence},  {0x13, &Iss::arithmetic},
      {0x17, &Iss::auipc}, {0x23, &Iss::store},  {0x33, &Iss::arithmetic},
      {0x37, &Iss::lui},   {0x63, &Iss::branch}, {0x67, &Iss::jalr},
      {0x6f, &Iss::jal},   {0x73, &Iss::system}, {isa::kOpcodeSystem, &Iss::descriptor},
  };
  const Step step{insn, retire, next_pc, x_[bits(insn, 19, 15)], x_[bits(insn, 24, 20)]};
  for (const auto& entry : kOpcodes) {
    if (entry.opcode == (insn & 0x7f)) return (this->*entry.execute)(step);
  }
  throw step.illegal();
}

void Iss::lui(const Step& s) { write_rd(s.insn, s.insn & 0xfffff000u, s.retire); }

void Iss::auipc(const Step& s) { write_rd(s.insn, pc_ + (s.insn & 0xfffff000u), s.retire); }

void Iss::jal(const Step& s) {
  s.jump(pc_ + imm_j(s.insn));
  write_rd(s.insn, pc_ + 4, s.retire);
}

void Iss::jalr(const Step& s) {
  if (s.funct3() != 0) throw s.illegal();
  s.jump((s.rs1 + imm_i(s.insn)) & ~1u);
  write_rd(s.insn, pc_ + 4, s.retire);
}

void Iss::branch(const Step& s) {
  bool taken = false;
  switch (s.funct3()) {
    case 0:
      taken = s.rs1 == s.rs2;
      break;
    case 1:
      taken = s.rs1 != s.rs2;
      break;
    case 4:
      taken = s32(s.rs1) < s32(s.rs2);
      break;
    case 5:
      taken = s32(s.rs1) >= s32(s.rs2);
      break;
    case 6:
      taken = s.rs1 < s.rs2;
      break;
    case 7:
      taken = s.rs1 >= s.rs2;
      break;
    default:
      throw s.illegal();
  }
  if (taken) s.jump(pc_ + imm_b(s.insn));
}

void Iss::load(const Step& s) {
  const unsigned funct3 = s.funct3();
  if (funct3 == 3 || funct3 > 5) throw s.illegal();
  const unsigned bytes = 1u << (funct3 & 3);
  const uint32_t addr = s.rs1 + imm_i(s.insn);
  if (addr % bytes != 0) throw Trap{isa::Trap::LoadMisaligned, addr};
  uint32_t value = 0;
  if (!memory_->load(addr, bytes, &value)) throw Trap{isa::Trap::LoadFault, addr};
  if (funct3 < 2) value = static_cast<uint32_t>(sign_extend(value, 8 * bytes));
  write_rd(s.insn, value, s.retire);
}

void Iss::store(const Step& s) {
  if (s.funct3() > 2) throw s.illegal();
  const unsigned bytes = 1u << s.funct3();
  const uint32_t addr = s.rs1 + imm_s(s.insn);
  if (addr % bytes != 0) throw Trap{isa::Trap::StoreMisaligned, addr};
  const uint32_t value = bytes == 4 ? s.rs2 : bits(s.rs2, 8 * bytes - 1, 0);
  if (!memory_->store(addr, bytes, value)) throw Trap{isa::Trap::StoreFault, addr};
  s.retire->mem_we = true;
  s.retire->mem_addr = addr;
  s.retire->mem_wdata = value;
}

// Register and immediate forms.
void Iss::arithmetic(const Step& s) {
  const unsigned funct3 = s.funct3(), funct7 = s.funct7();
  const bool immediate = (s.insn & 0x20) == 0;
  const uint32_t b = immediate ? imm_i(s.insn) : s.rs2;
  if (!immediate && funct7 == 1) {
    write_rd(s.insn, multiply_divide(funct3, s.rs1, s.rs2), s.retire);
    return;
  }
  const bool has_funct7 = !immediate || funct3 == 1 || funct3 == 5;
  const bool alternate = has_funct7 && funct7 == 0x20;
  if (has_funct7 && funct7 != 0 && !alternate) throw s.illegal();
  if (alternate && funct3 != 5 && (immediate || funct3 != 0)) throw s.illegal();
  write_rd(s.insn, add_shift_logic(funct3, alternate, s.rs1, b), s.retire);
}

// The model has neither buffers nor caches.
void Iss::fence(const Step& s) {
  if (s.funct3() > 1) throw s.illegal();
}

void Iss::system(const Step& s) {
  if (s.funct3() != 0) {
    access_csr(s);
    return;
  }
  switch (s.insn) {
    case 0x00000073:
      throw Trap{isa::Trap::EcallM, 0};
    case 0x00100073:
      throw Trap{isa::Trap::Breakpoint, pc_};
    case 0x10500073:
      return;  // wfi may always be a no-op
    case 0x30200073:
      *s.next_pc = mepc_;
      mstatus_ = ((mstatus_ & kMpie) != 0 ? kMie : 0) | kMpie;
      return;
    default:
      throw s.illegal();
  }
}

// Descriptors. Nothing uses them here, so no write waits.
void Iss::descriptor(const Step& s) {
  const uint32_t word = s.funct7() & 7;
  const auto checked = [&](uint32_t number) {
    if ((number & 31) >= descriptors_) throw s.illegal();
    return number & 31;
  };
  switch (static_cast<isa::SysOp>(s.funct3())) {
    case isa::SysOp::Dsrw:
      write_word(checked(s.rs1), word, s.rs2);
      return;
    case isa::SysOp::Dsrr:
      write_rd(s.insn, read_word(checked(s.rs1), word), s.retire);
      return;
    case isa::SysOp::Dsrl: {
      if (s.rs1 % 4 != 0) throw Trap{isa::Trap::LoadMisaligned, s.rs1};
      std::array<uint32_t, isa::kNumDsrWords> words{};
      for (uint32_t i = 0; i < words.size(); ++i) {
        if (!memory_->load(s.rs1 + 4 * i, 4, &words[i])) throw Trap{isa::Trap::LoadFault, s.rs1};
      }
      const uint32_t number = checked(s.rs2);
      for (uint32_t i = 0; i < words.size(); ++i) write_word(number, i, words[i]);
      return;
    }
    default:
      throw s.illegal();
  }
}

void Iss::write_word(uint32_t descriptor, uint32_t word, uint32_t value) {
  if (word >= isa::kNumDsrWords) return;
  // An address of more than 24 bits becomes one outside any memory.
  const bool is_long = word == static_cast<uint32_t>(isa::DsrWord::Address) && value >> 24 != 0;
  dsr_[descriptor][word] = is_long ? 0x600000u | (value & 0x1fffffu) : value;
}

uint32_t Iss::read_word(uint32_t descriptor, uint32_t word) const {
  if (word >= isa::kNumDsrWords) return 0;
  const uint32_t kind = dsr_[descriptor][static_cast<uint32_t>(isa::DsrWord::Kind)];
  const bool is_count = word == static_cast<uint32_t>(isa::DsrWord::Dim1) &&
                        isa::Dsr0::Kind::get(kind) == static_cast<uint32_t>(isa::DsrKind::Fifo);
  return is_count ? 0 : dsr_[descriptor][word];
}

void Iss::access_csr(const Step& s) {
  const unsigned funct3 = s.funct3();
  if (funct3 == 4) throw s.illegal();
  const uint32_t number = bits(s.insn, 31, 20);
  const uint32_t source = bits(s.insn, 19, 15);
  const uint32_t operand = funct3 >= 5 ? source : s.rs1;
  const unsigned kind = funct3 & 3;  // write, set, clear
  const bool writes = kind == 1 || source != 0;
  uint32_t old = 0;
  if (!csr_read(number, &old)) throw s.illegal();
  if (writes && number >> 10 == 3) throw s.illegal();
  if (writes) {
    csr_write(number, kind == 1 ? operand : kind == 2 ? old | operand : old & ~operand);
  }
  write_rd(s.insn, old, s.retire);
}

}  // namespace ow
