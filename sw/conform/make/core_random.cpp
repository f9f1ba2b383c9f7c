// SPDX-License-Identifier: Apache-2.0
// Random programs of the scalar core, whose registers and memory are compared at the end; and every
// kind of word that is no instruction.
#include <fmt/format.h>

#include "maker.h"
#include "ow/conform/program.h"

namespace ow::conform {
namespace {

constexpr uint32_t kCode = 0x100, kHandler = 0xC00, kSandbox = 0x1000, kResults = 0x1400;
constexpr int kCycles = 200000, kSandboxWords = 64, kItems = 120, kPrograms = 8;
// Registers: results, sandbox, loops; the others up to x15 are random.
constexpr int kResult = 9, kBase = 8, kLoop = 7, kRandom = 15;

constexpr uint32_t kOp = 0x33, kOpImmediate = 0x13, kLui = 0x37, kAuipc = 0x17, kJal = 0x6F,
                   kJalr = 0x67, kBranch = 0x63, kLoad = 0x03, kStore = 0x23, kFence = 0x0F,
                   kSystem = 0x73;

Needs core() {
  Needs needs;
  needs.features = {"tile"};
  needs.sram = 8192;
  return needs;
}

uint32_t r_type(uint32_t opcode, uint32_t f3, uint32_t f7, uint32_t rd, uint32_t rs1,
                uint32_t rs2) {
  return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}
uint32_t i_type(uint32_t opcode, uint32_t f3, uint32_t rd, uint32_t rs1, uint32_t immediate) {
  return (immediate & 0xFFF) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}
uint32_t s_type(uint32_t f3, uint32_t rs1, uint32_t rs2, uint32_t immediate) {
  return (immediate >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
         (immediate & 0x1F) << 7 | kStore;
}
// Offsets below 2 kB, multiples of 4.
uint32_t branch(uint32_t f3, uint32_t rs1, uint32_t rs2, int offset) {
  const auto o = static_cast<uint32_t>(offset);
  return (o >> 12 & 1) << 31 | (o >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
         (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7 | kBranch;
}
uint32_t jal(uint32_t rd, uint32_t offset) { return (offset >> 1 & 0x3FF) << 21 | rd << 7 | kJal; }

class RandomCode {
 public:
  explicit RandomCode(Maker* m) : m_(m) {}

  std::vector<uint32_t> make() {
    p_.load_immediate(kResult, kResults);
    p_.load_immediate(kBase, kSandbox);
    for (int k = 1; k <= kRandom; ++k) {
      if (k != kResult && k != kBase) p_.load_immediate(k, value());
    }
    for (int k = 0; k < kItems; ++k) item();
    for (int k = 0; k <= kRandom; ++k) p_.store(k, kResult, 4 * k);
    p_.stop();
    return p_.words();
  }

 private:
  uint32_t source() { return m_->pick(kRandom + 1); }
  uint32_t destination() {
    for (;;) {
      const uint32_t rd = m_->pick(kRandom + 1);
      if (rd != kResult && rd != kBase && rd != kLoop) return rd;
    }
  }
  uint32_t value() {
    constexpr uint32_t kCorners[] = {0, 1, 31, 32, 0x7FFFFFFF, 0x80000000, ~0u, 0xFFFF8000};
    return m_->pick(2) != 0 ? kCorners[m_->pick(8)] : m_->word();
  }

  void arithmetic() {
    const uint32_t f3 = m_->pick(8);
    switch (m_->pick(4)) {
      case 0:
        p_.word(r_type(kOp, f3, 1, destination(), source(), source()));
        return;
      case 1: {
        const uint32_t f7 = (f3 == 0 || f3 == 5) && m_->pick(2) != 0 ? 0x20 : 0;
        p_.word(r_type(kOp, f3, f7, destination(), source(), source()));
        return;
      }
      case 2: {
        const bool shifts = f3 == 1 || f3 == 5;
        const uint32_t right = f3 == 5 ? m_->pick(2) << 10 : 0;
        p_.word(i_type(kOpImmediate, f3, destination(), source(),
                       shifts ? m_->pick(32) | right : m_->word()));
        return;
      }
      default:
        p_.word((m_->word() & 0xFFFFF000) | destination() << 7 |
                (m_->pick(2) != 0 ? kLui : kAuipc));
    }
  }

  void memory() {
    constexpr uint32_t kLoads[] = {0, 1, 2, 4, 5};
    const bool loads = m_->pick(2) != 0;
    const uint32_t f3 = loads ? kLoads[m_->pick(5)] : m_->pick(3);
    // Often the same words, so that a load follows a store to them.
    const uint32_t at =
        m_->pick(m_->pick(2) != 0 ? 16 : 4 * kSandboxWords) & ~((1u << (f3 & 3)) - 1);
    p_.word(loads ? i_type(kLoad, f3, destination(), kBase, at) : s_type(f3, kBase, source(), at));
  }

  // Over one to three instructions, or back a bounded number of times.
  void jump() {
    constexpr uint32_t kKinds[] = {0, 1, 4, 5, 6, 7};
    const uint32_t skipped = 1 + m_->pick(3);
    switch (m_->pick(4)) {
      case 0:
        p_.word(jal(destination(), 4 + 4 * skipped));
        break;
      case 1: {
        const uint32_t rd = 1 + m_->pick(6);
        p_.word(rd << 7 | kAuipc);
        p_.word(i_type(kJalr, 0, destination(), rd, 8 + 4 * skipped + m_->pick(2)));
        break;
      }
      case 2:
        p_.add_immediate(kLoop, 0, static_cast<int>(1 + m_->pick(4)));
        arithmetic();
        memory();
        p_.add_immediate(kLoop, kLoop, -1);
        p_.word(branch(1, kLoop, 0, -12));
        return;
      default:
        p_.word(branch(kKinds[m_->pick(6)], source(), source(), static_cast<int>(4 + 4 * skipped)));
    }
    for (uint32_t k = 0; k < skipped; ++k) arithmetic();
  }

  void item() {
    switch (m_->pick(8)) {
      case 0:
      case 1:
        memory();
        return;
      case 2:
      case 3:
        jump();
        return;
      case 4: {
        // mscratch, with all six instructions.
        constexpr uint32_t kKinds[] = {1, 2, 3, 5, 6, 7};
        p_.word(i_type(kSystem, kKinds[m_->pick(6)], destination(), source(),
                       static_cast<uint32_t>(isa::Csr::Mscratch)));
        return;
      }
      case 5:
        p_.word(m_->pick(2) << 12 | kFence);
        return;
      default:
        arithmetic();
    }
  }

  Maker* m_;
  Program p_;
};

void start(Maker* m) {
  m->ask(write_line(0, 0, isa::reg::CorePc::kAddress, {kCode}));
  m->ask(write_line(0, 0, isa::reg::CoreCtrl::kAddress,
                    {isa::reg::CoreCtrl::Reset::put(1) | isa::reg::CoreCtrl::Run::put(1)}));
  m->ask(fmt::format("run {}", kCycles));
}

void make_programs(Maker* m) {
  for (int n = 0; n < kPrograms; ++n) {
    m->begin(fmt::format("core.program.{}", n),
             "A random program: arithmetic, loads and stores, jumps, loops, fences.", core(),
             {"I60", "I29"});
    m->ask("reset 1 1");
    std::vector<uint32_t> sandbox;
    for (int k = 0; k < kSandboxWords; ++k) sandbox.push_back(m->word());
    m->ask(write_line(0, 0, kSandbox, sandbox));
    m->ask(write_line(0, 0, kCode, RandomCode(m).make()));
    start(m);
    m->ask(read_line(0, 0, kResults, kRandom + 1), {"I60"});
    m->ask(read_line(0, 0, kSandbox, kSandboxWords), {"I60"});
    m->ask(read_line(0, 0, isa::reg::CoreStatus::kAddress, 1), {"I27"});
  }
}

// A word of each kind that is no instruction.
std::vector<uint32_t> illegal_words() {
  std::vector<uint32_t> words = {0,          0x00008082, 0x2F,       0x5B,      0x7B,
                                 0x07,       0x27,       0x43,       0x53,      0x3B,
                                 0x00200073, 0x10200073, 0x30200173, 0x00100173};
  for (const uint32_t f3 : {3u, 6u, 7u}) words.push_back(i_type(kLoad, f3, 10, 11, 0));
  for (const uint32_t f3 : {3u, 4u, 5u, 6u, 7u}) words.push_back(s_type(f3, 11, 10, 0));
  for (const uint32_t f3 : {2u, 3u}) words.push_back(branch(f3, 0, 0, 8));
  for (uint32_t f3 = 1; f3 < 8; ++f3) words.push_back(i_type(kJalr, f3, 10, 11, 0));
  for (uint32_t f3 = 2; f3 < 8; ++f3) words.push_back(i_type(kFence, f3, 0, 0, 0));
  words.push_back(i_type(kSystem, 4, 10, 11, static_cast<uint32_t>(isa::Csr::Mscratch)));
  for (uint32_t f3 = 0; f3 < 8; ++f3) {
    for (const uint32_t f7 : {2u, 0x10u, 0x21u, 0x40u})
      words.push_back(r_type(kOp, f3, f7, 10, 11, 12));
    if (f3 != 0 && f3 != 5) words.push_back(r_type(kOp, f3, 0x20, 10, 11, 12));
    if (f3 > 3) words.push_back(r_type(isa::kOpcodeSystem, f3, 0, 10, 11, 12));
  }
  for (const uint32_t f7 : {1u, 0x20u}) words.push_back(r_type(kOpImmediate, 1, f7, 10, 11, 3));
  for (const uint32_t f7 : {1u, 0x21u}) words.push_back(r_type(kOpImmediate, 5, f7, 10, 11, 3));
  return words;
}

// The handler counts in x13, stores the words at fault from x9 on, and goes on after them.
void make_illegal(Maker* m) {
  const auto csr = [](uint32_t f3, uint32_t rd, isa::Csr number, uint32_t rs1) {
    return i_type(kSystem, f3, rd, rs1, static_cast<uint32_t>(number));
  };
  Program handler;
  handler.word(csr(2, 28, isa::Csr::Mtval, 0));
  handler.store(28, kResult, 0);
  handler.word(csr(2, 28, isa::Csr::Mcause, 0));
  handler.store(28, kResult, 4);
  handler.add_immediate(kResult, kResult, 8);
  handler.word(csr(2, 28, isa::Csr::Mepc, 0));
  handler.add_immediate(28, 28, 4);
  handler.word(csr(1, 0, isa::Csr::Mepc, 28));
  handler.word(0x30200073);
  const std::vector<uint32_t> words = illegal_words();
  Program p;
  p.load_immediate(kResult, kResults);
  p.load_immediate(5, kHandler);
  p.word(csr(1, 0, isa::Csr::Mtvec, 5));
  p.load_immediate(11, kSandbox);
  p.load_immediate(10, 0x1234);
  for (const uint32_t word : words) p.word(word);
  p.word(csr(1, 0, isa::Csr::Mtvec, 0));
  p.store(10, 11, 0);
  p.stop();
  m->begin("traps.every_illegal_word",
           "Each word that is no instruction is trap 2 and does nothing else.", core(),
           {"I25", "I60"});
  m->ask("reset 1 1");
  m->ask(write_line(0, 0, kCode, p.words()));
  m->ask(write_line(0, 0, kHandler, handler.words()));
  m->ask(write_line(0, 0, kSandbox, std::vector<uint32_t>(4, 0x5555)));
  start(m);
  std::string right;
  for (const uint32_t word : words)
    right += fmt::format("{}{:x} 2", right.empty() ? "" : " ", word);
  m->expect(read_line(0, 0, kResults, 2 * words.size()), right, {"I25"});
  m->expect(read_line(0, 0, kSandbox, 4), "1234 5555 5555 5555", {"I25"});
}

}  // namespace

void make_core_programs(Maker* m) {
  make_programs(m);
  make_illegal(m);
}

}  // namespace ow::conform
