// SPDX-License-Identifier: Apache-2.0
// Random programs: straight runs, forward branches over blocks, bounded loops, traps of every cause
// with a handler that returns, self-modified code after fence.i, and descriptors.
//
// Registers: x27..x31 have fixed uses, all others are random. Memory: trap handler at 0x40, code
// from kLockstepEntry on, sandbox at kSandbox.
#include <cstddef>

#include "ow/base/rng.h"
#include "ow/isa/isa.h"
#include "ow/iss/lockstep.h"

namespace ow {
namespace {

constexpr uint32_t kHandler = 0x40;
constexpr unsigned kFree = 27;     // x0..x26 are random
constexpr unsigned kScratch = 27;  // addresses of jumps and patches
constexpr unsigned kResume = 28;   // where the handler goes on after a fetch fault
constexpr unsigned kLoop = 29;     // loop counter
constexpr unsigned kBase = 30;     // middle of the sandbox
constexpr unsigned kTrap = 31;     // the trap handler's

constexpr unsigned kBranch = 0x63;
constexpr unsigned kLui = 0x37;
constexpr unsigned kAuipc = 0x17;
constexpr unsigned kJal = 0x6f;
constexpr unsigned kJalr = 0x67;
constexpr unsigned kLoad = 0x03;
constexpr unsigned kStore = 0x23;
constexpr unsigned kOpImm = 0x13;
constexpr unsigned kOp = 0x33;
constexpr unsigned kSystem = 0x73;

constexpr uint32_t kRegister = isa::reg::RtOccupied::kAddress;  // any register would do
constexpr uint32_t kRegistersEnd = isa::reg::kBase + isa::reg::kBytes;

constexpr uint32_t code(isa::SysOp op) { return static_cast<uint32_t>(op); }

class Random {
 public:
  explicit Random(uint64_t seed) : rng_(seed) {}
  uint32_t word() { return static_cast<uint32_t>(rng_.next() >> 32); }
  unsigned below(unsigned n) { return static_cast<unsigned>(rng_.below(n)); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <size_t N>
  uint32_t pick(const uint32_t (&values)[N]) {
    return values[below(N)];
  }

 private:
  Rng rng_;
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed), image_(kLockstepBytes, 0) {}

  std::vector<uint8_t> make(unsigned length) {
    handler();
    pc_ = kLockstepEntry;
    for (unsigned reg = 1; reg < kFree; ++reg) load_immediate(reg, value());
    load_immediate(kBase, kSandbox + kSandboxBytes / 2);
    load_immediate(kLoop, 0);
    load_immediate(kResume, 0);
    load_immediate(kScratch, kHandler);
    csr(1, 0, 0x305, kScratch);
    for (uint32_t addr = kSandbox; addr < kSandbox + kSandboxBytes; addr += 4) {
      write(addr, random_.word());
    }
    // Descriptors are undefined after a reset. Where there are few, the others' numbers trap.
    for (unsigned number = 0; number < isa::kNumDsrs; ++number) {
      emit(i_type(kOpImm, 0, kScratch, 0, number));
      emit(r_type(isa::kOpcodeSystem, code(isa::SysOp::Dsrl), 0, 0, kBase, kScratch));
    }
    const uint32_t end = kLockstepEntry + 4 * length;
    while (pc_ < end && pc_ < kSandbox - 0x400) item(0, true);
    csr(1, 0, 0x305, 0);
    emit(0x00100073);
    return image_;
  }

 private:
  void write(uint32_t addr, uint32_t word) {
    for (unsigned i = 0; i < 4; ++i) image_[addr + i] = static_cast<uint8_t>(word >> (8 * i));
  }
  void emit(uint32_t word) {
    write(pc_, word);
    pc_ += 4;
  }

  static uint32_t r_type(unsigned opcode, unsigned f3, unsigned f7, unsigned rd, unsigned rs1,
                         unsigned rs2) {
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
  }
  static uint32_t i_type(unsigned opcode, unsigned f3, unsigned rd, unsigned rs1, uint32_t imm) {
    return (imm & 0xfff) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
  }
  static uint32_t s_type(unsigned f3, unsigned rs1, unsigned rs2, uint32_t imm) {
    return ((imm >> 5) & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | kStore;
  }
  static uint32_t b_type(unsigned f3, unsigned rs1, unsigned rs2, uint32_t offset) {
    return ((offset >> 12) & 1) << 31 | ((offset >> 5) & 0x3f) << 25 | rs2 << 20 | rs1 << 15 |
           f3 << 12 | ((offset >> 1) & 15) << 8 | ((offset >> 11) & 1) << 7 | kBranch;
  }
  static uint32_t j_type(unsigned rd, uint32_t offset) {
    return ((offset >> 20) & 1) << 31 | ((offset >> 1) & 0x3ff) << 21 | ((offset >> 11) & 1) << 20 |
           ((offset >> 12) & 0xff) << 12 | rd << 7 | kJal;
  }

  void csr(unsigned f3, unsigned rd, uint32_t number, unsigned source) {
    emit(i_type(kSystem, f3, rd, source, number));
  }
  void load_immediate(unsigned reg, uint32_t v) {
    emit(((v + 0x800) & 0xfffff000u) | reg << 7 | kLui);
    emit(i_type(kOpImm, 0, reg, reg, v));
  }

  // The trap handler. It saves its register in mscratch and reads the trap CSRs, so they are
  // compared. It returns to the next instruction, or to kResume after a fetch fault.
  void handler() {
    pc_ = kHandler;
    csr(1, kTrap, 0x340, kTrap);
    csr(2, kTrap, 0x300, 0);
    csr(2, kTrap, 0x343, 0);
    csr(2, kTrap, 0x342, 0);
    emit(i_type(kOpImm, 0, kTrap, kTrap, 0xfff));
    emit(b_type(0, kTrap, 0, 20));
    csr(2, kTrap, 0x341, 0);
    emit(i_type(kOpImm, 0, kTrap, kTrap, 4));
    csr(1, 0, 0x341, kTrap);
    emit(j_type(0, 8));
    csr(1, 0, 0x341, kResume);
    csr(1, kTrap, 0x340, kTrap);
    emit(0x30200073);
  }

  unsigned source() { return random_.below(kFree); }
  unsigned destination() { return random_.chance(5) ? 0 : 1 + random_.below(kFree - 1); }

  uint32_t value() {
    static constexpr uint32_t corners[] = {0,          1,          2,          0x7fffffff,
                                           0x80000000, 0x80000001, 0xffffffff, 0xfffffffe,
                                           0xffff,     0x8000,     31,         32};
    if (random_.chance(40)) return random_.pick(corners);
    if (random_.chance(30)) return random_.below(1000) - 500u;
    return random_.word();
  }

  void arithmetic() {
    static constexpr uint32_t rare[] = {kLui, kAuipc};
    const unsigned rd = destination();
    switch (random_.below(10)) {
      case 0:
        emit((random_.word() & 0xfffff000u) | rd << 7 | random_.pick(rare));
        break;
      case 1:
      case 2:
      case 3: {
        const unsigned f3 = random_.below(8);
        uint32_t imm = random_.word();
        if (f3 == 1) imm &= 31;
        if (f3 == 5) imm = (imm & 31) | (random_.chance(50) ? 0x400 : 0);
        emit(i_type(kOpImm, f3, rd, source(), imm));
        break;
      }
      case 4:
      case 5:
        emit(r_type(kOp, random_.below(8), 1, rd, source(), source()));
        break;
      case 6:
        load_immediate(1 + random_.below(kFree - 1), value());
        break;
      default: {
        const unsigned f3 = random_.below(8);
        const unsigned f7 = (f3 == 0 || f3 == 5) && random_.chance(50) ? 0x20 : 0;
        emit(r_type(kOp, f3, f7, rd, source(), source()));
        break;
      }
    }
  }

  void memory() {
    static constexpr uint32_t load_kinds[] = {0, 1, 2, 4, 5};
    const bool load = random_.chance(55);
    const unsigned f3 = load ? random_.pick(load_kinds) : random_.below(3);
    uint32_t offset = random_.word() & 0xfff;
    if (!random_.chance(8)) offset &= ~((1u << (f3 & 3)) - 1);
    if (random_.chance(30)) offset &= 0x3f;  // often the same few words: forwarding, store to load
    unsigned base = kBase;
    if (random_.chance(4)) {  // outside memory, or a tile register with the wrong size
      static constexpr uint32_t outside[] = {kRegister, kRegistersEnd, 0x80000000, 0x00ff0000};
      const uint32_t addr = random_.pick(outside);
      offset &= 0x7f;
      if (addr == kRegister && (f3 & 3) == 2) offset |= 1;  // an aligned word would be allowed
      base = kScratch;
      load_immediate(base, addr);
    }
    if (load) {
      const unsigned rd = destination();
      emit(i_type(kLoad, f3, rd, base, offset));
      if (random_.chance(60)) emit(r_type(kOp, random_.below(8), 0, destination(), rd, source()));
    } else {
      emit(s_type(f3, base, source(), offset));
    }
  }

  // Writes, reads and loads. The low bits of any register are a descriptor's number.
  void descriptor() {
    const unsigned number = source();
    switch (random_.below(6)) {
      case 0:
        emit(r_type(isa::kOpcodeSystem, code(isa::SysOp::Dsrw), random_.below(8), 0, number,
                    source()));
        break;
      case 1:
        read_descriptor(number);
        break;
      default:
        load_descriptor(number);
        if (random_.chance(40)) load_descriptor(random_.chance(50) ? number : source());
        if (random_.chance(20)) arithmetic();
        if (random_.chance(20)) memory();
        for (unsigned reads = random_.below(4); reads != 0; --reads) read_descriptor(number);
        break;
    }
  }

  void read_descriptor(unsigned number) {
    emit(r_type(isa::kOpcodeSystem, code(isa::SysOp::Dsrr), random_.below(isa::kNumDsrWords),
                destination(), number, 0));
  }

  void load_descriptor(unsigned number) {
    constexpr uint32_t last = kLockstepBytes - 4 * isa::kNumDsrWords;  // where all words just fit
    static constexpr uint32_t edges[] = {last,           last + 4,        last + 2,   last + 20,
                                         kLockstepBytes, isa::reg::kBase, 0xfffffff0, 0x80000000};
    if (random_.chance(10)) {
      load_immediate(kScratch, random_.pick(edges));
    } else {
      const uint32_t offset = random_.word() & (random_.chance(5) ? 0xfff : 0xffc);
      emit(i_type(kOpImm, 0, kScratch, kBase, offset));
    }
    emit(r_type(isa::kOpcodeSystem, code(isa::SysOp::Dsrl), 0, 0, kScratch, number));
  }

  void system() {
    static constexpr uint32_t writable[] = {0x300, 0x301, 0x304, 0x340, 0x341, 0x342,
                                            0x343, 0x344, 0xb00, 0xb02, 0xb80, 0xb82};
    static constexpr uint32_t readable[] = {0x300, 0x305, 0xb00, 0xb02, 0xb80, 0xb82, 0xc00,
                                            0xc02, 0xc80, 0xc82, 0xf11, 0xf12, 0xf13, 0xf14};
    static constexpr uint32_t absent[] = {0x000, 0x302, 0x306, 0x310, 0x3a0, 0x7a0, 0xb03, 0xc01};
    static constexpr uint32_t kinds[] = {1, 2, 3, 5, 6, 7};
    const unsigned kind = random_.pick(kinds);
    switch (random_.below(12)) {
      case 0:
        csr(kind, destination(), random_.pick(absent), source());
        break;
      case 1:
        csr(kind, destination(), random_.pick(readable) | 0xc00, source());
        break;
      case 2:
        emit(0x0ff0000f);
        break;
      case 3:
        emit(0x0000100f);
        break;
      case 4:
        emit(0x00000073);
        break;
      case 5:
        emit(0x00100073);
        break;
      case 6:
      case 7:
        csr(2, destination(), random_.pick(readable), 0);
        break;
      default:
        csr(kind, destination(), random_.pick(writable), source());
        break;
    }
  }

  void illegal() {
    const uint32_t noise = random_.word();
    switch (random_.below(10)) {
      case 0:
        emit(0);
        break;
      case 1:
        emit(0xffffffffu);
        break;
      case 2:
        emit((noise & ~3u) | random_.below(3));
        break;  // compressed
      case 3: {
        static constexpr uint32_t opcodes[] = {0x07, 0x27, 0x2f, 0x3b, 0x43,
                                               0x53, 0x57, 0x5b, 0x77};
        emit((noise & ~0x7fu) | random_.pick(opcodes));
        break;
      }
      case 4:
        emit(r_type(kOp, random_.below(8), 2 + random_.below(30), destination(), source(),
                    source()));
        break;
      case 5:
        emit(r_type(kOp, 1 + random_.below(3), 0x20, destination(), source(), source()));
        break;
      case 6:
        emit(i_type(kOpImm, random_.chance(50) ? 1 : 5, destination(), source(), 0x200));
        break;
      case 7:
        emit(i_type(kLoad, random_.chance(50) ? 3 : 7, destination(), kBase, 0));
        break;
      case 8:
        emit(s_type(3 + random_.below(5), kBase, source(), 0));
        break;
      default: {
        static constexpr uint32_t words[] = {0x00200073, 0x10200073, 0x30200173, 0x12000073,
                                             0x00004073, 0x0000200f, 0x00002063, 0x00003063,
                                             0x00001067, 0x7b200073};
        emit(random_.pick(words));
        break;
      }
    }
  }

  void jump(int depth) {
    switch (random_.below(8)) {
      case 0: {  // a taken branch to a misaligned address, or not taken
        static constexpr uint32_t kinds[] = {0, 1, 4, 5, 6, 7};
        emit(b_type(random_.pick(kinds), source(), source(), 6));
        break;
      }
      case 1: {  // jalr to a misaligned address
        emit(kScratch << 7 | kAuipc);
        emit(i_type(kJalr, 0, destination(), kScratch, 10));
        break;
      }
      case 2: {  // outside memory and back
        static constexpr uint32_t targets[] = {0x80000000, isa::reg::kBase, 0x00800000, 0xfffffff8};
        emit(kResume << 7 | kAuipc);
        emit(i_type(kOpImm, 0, kResume, kResume, 20));
        load_immediate(kScratch, random_.pick(targets));
        emit(i_type(kJalr, 0, random_.chance(50) ? 0 : destination(), kScratch, 0));
        break;
      }
      case 3: {  // jalr forward, bit 0 of the sum set at times
        const uint32_t odd = random_.below(2);
        const uint32_t at = pc_;
        pc_ += 8;
        block(depth, 1 + random_.below(6));
        const uint32_t to = pc_;
        pc_ = at;
        emit(kScratch << 7 | kAuipc);
        emit(i_type(kJalr, 0, destination(), kScratch, to - at + odd));
        pc_ = to;
        break;
      }
      case 4: {  // mret forward
        const uint32_t at = pc_;
        pc_ += 16;
        block(depth, 1 + random_.below(4));
        const uint32_t to = pc_;
        pc_ = at;
        emit(kScratch << 7 | kAuipc);
        emit(i_type(kOpImm, 0, kScratch, kScratch, to - at));
        csr(1, 0, 0x341, kScratch);
        emit(0x30200073);
        pc_ = to;
        break;
      }
      case 5: {
        const uint32_t at = pc_;
        pc_ += 4;
        block(depth, random_.below(8));
        const uint32_t to = pc_;
        pc_ = at;
        emit(j_type(destination(), to - at));
        pc_ = to;
        break;
      }
      default:
        branch(depth);
        break;
    }
  }

  void branch(int depth) {
    static constexpr uint32_t kinds[] = {0, 1, 4, 5, 6, 7};
    const uint32_t at = pc_;
    pc_ += 4;
    block(depth, random_.below(8));
    const uint32_t to = pc_;
    pc_ = at;
    emit(b_type(random_.pick(kinds), source(), source(), to - at));
    pc_ = to;
  }

  void loop(int depth) {
    emit(i_type(kOpImm, 0, kLoop, 0, 1 + random_.below(12)));
    const uint32_t top = pc_;
    block(depth, 1 + random_.below(8), false);
    emit(i_type(kOpImm, 0, kLoop, kLoop, 0xfff));
    emit(b_type(1, kLoop, 0, top - pc_));
  }

  // Overwrites an instruction that the fetch buffer already holds, and fences.
  void patch() {
    const uint32_t word = i_type(kOpImm, 0, destination(), source(), random_.word());
    const unsigned hold = 1 + random_.below(kFree - 1);
    load_immediate(hold, word);
    emit(kScratch << 7 | kAuipc);
    emit(s_type(2, kScratch, hold, 12));
    emit(0x0000100f);
    emit(i_type(kOpImm, 0, 0, 0, 0));
  }

  void item(int depth, bool loops) {
    const unsigned dice = random_.below(100);
    if (depth < 3 && dice < 8) {
      jump(depth + 1);
    } else if (depth < 3 && dice < 18) {
      branch(depth + 1);
    } else if (loops && depth < 2 && dice < 22) {
      loop(depth + 1);
    } else if (dice < 24) {
      patch();
    } else if (dice < 26) {
      illegal();
    } else if (dice < 33) {
      system();
    } else if (dice < 37) {
      descriptor();
    } else if (dice < 60) {
      memory();
    } else {
      arithmetic();
    }
  }

  void block(int depth, unsigned items, bool loops = false) {
    for (unsigned i = 0; i < items; ++i) item(depth, loops);
  }

  Random random_;
  std::vector<uint8_t> image_;
  uint32_t pc_ = 0;
};

}  // namespace

std::vector<uint8_t> random_program(uint64_t seed, unsigned length) {
  return Generator(seed).make(length);
}

}  // namespace ow
