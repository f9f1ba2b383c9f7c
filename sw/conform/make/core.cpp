// SPDX-License-Identifier: Apache-2.0
// The scalar core: programs whose results are in memory.
#include <fmt/format.h>

#include "maker.h"
#include "ow/conform/program.h"

namespace ow::conform {
namespace {

constexpr uint32_t kCode = 0x100, kHandler = 0x800, kOperands = 0x900, kResults = 0xC00,
                   kScratch = 0x1000;
constexpr int kCycles = 200000;
constexpr int kPairs = 16;

Needs core() {
  Needs needs;
  needs.features = {"tile"};
  needs.sram = 8192;
  return needs;
}

void load(Maker* m, const std::vector<uint32_t>& program) {
  m->ask("reset 1 1");
  m->ask(write_line(0, 0, kCode, program));
  m->ask(write_line(0, 0, kResults, std::vector<uint32_t>(64, 0)));
}

void run(Maker* m) {
  m->ask(write_line(0, 0, isa::reg::CorePc::kAddress, {kCode}));
  m->ask(write_line(0, 0, isa::reg::CoreCtrl::kAddress,
                    {isa::reg::CoreCtrl::Reset::put(1) | isa::reg::CoreCtrl::Run::put(1)}));
  m->ask(fmt::format("run {}", kCycles));
}

struct Operation {
  const char* name;
  uint32_t word;  // of x10 = x11 op x12
};

constexpr uint32_t kOperandsOfX = 12u << 20 | 11u << 15 | 10u << 7;

void make_operations(Maker* m) {
  static constexpr Operation kAll[] = {
      {"add", 0x00000033},    {"sub", 0x40000033},   {"sll", 0x00001033}, {"slt", 0x00002033},
      {"sltu", 0x00003033},   {"xor", 0x00004033},   {"srl", 0x00005033}, {"sra", 0x40005033},
      {"or", 0x00006033},     {"and", 0x00007033},   {"mul", 0x02000033}, {"mulh", 0x02001033},
      {"mulhsu", 0x02002033}, {"mulhu", 0x02003033}, {"div", 0x02004033}, {"divu", 0x02005033},
      {"rem", 0x02006033},    {"remu", 0x02007033}};
  for (const Operation& op : kAll) {
    Program program;
    program.load_immediate(8, kOperands);
    program.load_immediate(9, kResults);
    for (int k = 0; k < kPairs; ++k) {
      program.load(11, 8, 8 * k);
      program.load(12, 8, 8 * k + 4);
      program.word(op.word | kOperandsOfX);
      program.store(10, 9, 4 * k);
    }
    program.stop();
    m->begin(std::string("core.") + op.name,
             std::string(op.name) + " of special and random operands.", core(), {"I60"});
    load(m, program.words());
    std::vector<uint32_t> operands = {0, 0, ~0u,        ~0u, 0x80000000, ~0u, 0x7FFFFFFF, 1,
                                      5, 0, 0x80000000, 0,   31,         33,  ~0u,        1};
    while (operands.size() < 2 * kPairs)
      operands.push_back(m->pick(2) != 0 ? m->word() : m->pick(40));
    m->ask(write_line(0, 0, kOperands, operands));
    run(m);
    m->ask(read_line(0, 0, kResults, kPairs), {"I60"});
  }
}

// A handler that stores cause, value and address, and goes on after the instruction.
Program handler() {
  const auto csrr = [](int rd, isa::Csr csr) {
    return static_cast<uint32_t>(csr) << 20 | 2u << 12 | static_cast<uint32_t>(rd) << 7 | 0x73;
  };
  Program p;
  p.word(csrr(28, isa::Csr::Mcause));
  p.store(28, 9, 0);
  p.word(csrr(28, isa::Csr::Mtval));
  p.store(28, 9, 4);
  p.word(csrr(28, isa::Csr::Mepc));
  p.store(28, 9, 8);
  p.add_immediate(9, 9, 12);
  p.add_immediate(28, 28, 4);
  p.word(static_cast<uint32_t>(isa::Csr::Mepc) << 20 | 28u << 15 | 1u << 12 | 0x73);
  p.word(0x30200073);  // mret
  return p;
}

struct Trapping {
  const char* name;
  const char* about;
  std::vector<uint32_t> words;  // x11 holds `value`
  uint32_t value;
  Rules rules;
};

void make_traps(Maker* m) {
  const uint32_t lw = 11u << 15 | 2u << 12 | 10u << 7 | 0x03,
                 lh = 11u << 15 | 1u << 12 | 10u << 7 | 0x03;
  const uint32_t sw = 11u << 15 | 2u << 12 | 0x23, sh = 11u << 15 | 1u << 12 | 0x23;
  const uint32_t dsrl =
      11u << 15 | static_cast<uint32_t>(isa::SysOp::Dsrl) << 12 | isa::kOpcodeSystem;
  const Trapping all[] = {
      {"illegal",
       "A word that is no instruction is trap 2, with the word in mtval.",
       {0xFFFFFFFF},
       0,
       {"I25"}},
      {"ecall", "ecall is trap 11.", {0x00000073}, 0, {"I25"}},
      {"breakpoint", "ebreak with a handler is trap 3.", {0x00100073}, 0, {"I25"}},
      {"load_misaligned", "A misaligned load is trap 4.", {lw, lh}, kScratch + 1, {"I26", "I25"}},
      {"store_misaligned",
       "A misaligned store is trap 6 and stores nothing.",
       {sw, sh},
       kScratch + 1,
       {"I26", "I25"}},
      {"load_fault", "A load outside memory is trap 5.", {lw}, 0x40000000, {"I25"}},
      {"store_fault", "A store outside memory is trap 7.", {sw}, 0x40000000, {"I25"}},
      {"csr_unknown",
       "A control register that is not there is an illegal instruction.",
       {0x3A002573, 0xF1401073},
       0,
       {"I24"}},
      {"dsrl_misaligned",
       "ow.dsrl of an address that is no multiple of 4 is trap 4.",
       {dsrl},
       kScratch + 2,
       {"I138"}},
      {"dsrl_outside",
       "ow.dsrl of 24 bytes that are not all in SRAM is trap 5.",
       {dsrl},
       0xF0000000,
       {"I138"}}};
  for (const Trapping& t : all) {
    Program program;
    program.load_immediate(9, kResults);
    program.load_immediate(5, kHandler);
    program.word(static_cast<uint32_t>(isa::Csr::Mtvec) << 20 | 5u << 15 | 1u << 12 | 0x73);
    program.load_immediate(11, t.value);
    for (const uint32_t word : t.words) program.word(word);
    program.word(static_cast<uint32_t>(isa::Csr::Mtvec) << 20 | 1u << 12 | 0x73);
    program.stop();
    m->begin(std::string("traps.") + t.name, t.about, core(), t.rules);
    load(m, program.words());
    m->ask(write_line(0, 0, kHandler, handler().words()));
    m->ask(write_line(0, 0, kScratch, std::vector<uint32_t>(4, 0x11111111)));
    run(m);
    m->ask(read_line(0, 0, kResults, 3 * t.words.size()), t.rules);
    m->ask(read_line(0, 0, kScratch, 4), t.rules);
    m->ask(read_line(0, 0, isa::reg::CoreStatus::kAddress, 1), {"I27"});
  }
  m->begin("traps.without_handler",
           "With mtvec = 0 a trap stops the tile, and the registers say why and where.", core(),
           {"I2"});
  load(m, {0xFFFFFFFF});
  run(m);
  m->ask(read_line(0, 0, isa::reg::CoreStatus::kAddress, 1), {"I2"});
  m->ask(read_line(0, 0, isa::reg::CoreTval::kAddress, 1), {"I2"});
  using E = isa::reg::Error;
  m->expect(read_line(0, 0, E::kAddress, 1),
            fmt::format("{:x}", E::Stopped::put(1) | E::Cause::put(isa::Trap::Illegal)), {"I2"});
  m->expect(read_line(0, 0, isa::reg::ErrorPc::kAddress, 1), fmt::format("{:x}", kCode), {"I2"});
}

void make_registers(Maker* m) {
  const std::pair<isa::Csr, uint32_t> writes[] = {
      {isa::Csr::Mstatus, ~0u},         {isa::Csr::Mie, ~0u},         {isa::Csr::Mtvec, 0x12345677},
      {isa::Csr::Mscratch, 0xDEADBEEF}, {isa::Csr::Mepc, 0x12345677}, {isa::Csr::Mcause, ~0u},
      {isa::Csr::Mtval, 0xA5A5A5A5},    {isa::Csr::Misa, 0},          {isa::Csr::Mip, ~0u}};
  Program program;
  program.load_immediate(9, kResults);
  int at = 0;
  for (const auto& [csr, value] : writes) {
    program.load_immediate(11, value);
    program.word(static_cast<uint32_t>(csr) << 20 | 11u << 15 | 1u << 12 | 0x73);
    program.word(static_cast<uint32_t>(csr) << 20 | 2u << 12 | 10u << 7 | 0x73);
    program.store(10, 9, 4 * at++);
  }
  for (const isa::Csr csr :
       {isa::Csr::Mvendorid, isa::Csr::Marchid, isa::Csr::Mimpid, isa::Csr::Mhartid}) {
    program.word(static_cast<uint32_t>(csr) << 20 | 2u << 12 | 10u << 7 | 0x73);
    program.store(10, 9, 4 * at++);
  }
  program.word(static_cast<uint32_t>(isa::Csr::Mtvec) << 20 | 1u << 12 | 0x73);
  program.stop();
  m->begin("core.registers", "Control and status registers keep what they have bits for.", core(),
           {"I1"});
  load(m, program.words());
  run(m);
  m->ask(read_line(0, 0, kResults, static_cast<size_t>(at)), {"I1"});
}

void make_fence(Maker* m) {
  // The word after fence.i is written first: x10 = 77 in place of x10 = 1.
  const uint32_t better = 77u << 20 | 10u << 7 | 0x13;
  const auto patched = [&](uint32_t address) {
    Program p;
    p.load_immediate(9, kResults);
    p.load_immediate(11, better);
    p.load_immediate(12, address);
    p.store(11, 12, 0);
    p.fence_i();
    return p;
  };
  Program p = patched(kCode);
  p = patched(kCode + 4 * static_cast<uint32_t>(p.words().size()));
  p.add_immediate(10, 0, 1);
  p.store(10, 9, 0);
  p.stop();
  m->begin("core.fence_i", "fence.i waits for stores and refills the fetch buffer.", core(),
           {"I29"});
  load(m, p.words());
  run(m);
  m->ask(read_line(0, 0, kResults, 1), {"I29"});
}

void make_descriptors(Maker* m) {
  constexpr int kDsr = 3;
  Program program;
  program.load_immediate(9, kResults);
  program.descriptor(kDsr, kOperands);
  const auto access = [&](isa::SysOp op, uint32_t word, int rs2) {
    program.word(word << 25 | static_cast<uint32_t>(rs2) << 20 | 5u << 15 |
                 static_cast<uint32_t>(op) << 12 | 10u << 7 | isa::kOpcodeSystem);
  };
  program.load_immediate(5, kDsr);
  for (uint32_t w = 0; w < isa::kNumDsrWords; ++w) {
    access(isa::SysOp::Dsrr, w, 0);
    program.store(10, 9, static_cast<int>(4 * w));
  }
  program.load_immediate(12, 0x7F123456);
  access(isa::SysOp::Dsrw, 1, 12);
  access(isa::SysOp::Dsrr, 1, 0);
  program.store(10, 9, 24);
  program.stop();
  m->begin("core.descriptors",
           "ow.dsrl, ow.dsrw and ow.dsrr; a long address reads back as one outside memory.", core(),
           {"I136", "I140", "I32", "I4", "I76", "I123"});
  load(m, program.words());
  const Descriptor d = Descriptor::memory(isa::TensorType::F16, 0x1234, 17, -2);
  m->ask(write_line(0, 0, kOperands, {d.words, d.words + isa::kNumDsrWords}));
  run(m);
  m->ask(read_line(0, 0, kResults, isa::kNumDsrWords), {"I136", "I140", "I32"});
  m->ask(read_line(0, 0, kResults + 4 * isa::kNumDsrWords, 1), {"I88", "I4"});
}

void make_sleep(Maker* m) {
  using isa::reg::CoreStatus;
  constexpr uint32_t kWfi = 0x10500073, kTask = isa::kFirstLocalTask;
  m->begin("core.wfi", "wfi sleeps until a task is ready, and does nothing if one is.", core(),
           {"I28"});
  Program program;
  program.store_word(isa::reg::TaskEntry::address(kTask), 0x700);
  program.store_word(kResults, 1);
  program.word(kWfi);
  program.store_word(kResults, 2);
  program.word(kWfi);
  program.store_word(kResults, 3);
  program.stop();
  load(m, program.words());
  run(m);
  m->expect(read_line(0, 0, kResults, 1), "1", {"I28"});
  m->expect(read_line(0, 0, CoreStatus::kAddress, 1),
            fmt::format("{:x}", CoreStatus::Running::put(1) | CoreStatus::Asleep::put(1)), {"I28"});
  m->ask(write_line(0, 0, isa::reg::TaskActivate::kAddress, {1u << kTask}));
  m->ask(fmt::format("run {}", kCycles));
  m->expect(read_line(0, 0, kResults, 1), "3", {"I28"});
}

void make_features_of_all(Maker* m) {
  Needs needs = core();
  // Of what a configuration may leave out, all that a device can claim.
  for (const char* feature :
       {"f16", "bf16", "f32", "i8", "i16", "i32", "mixed", "compare", "reductions", "nonlinear",
        "gather", "stochastic", "tags", "dimensions", "fifos", "filters", "switches", "registers"})
    needs.features.emplace_back(feature);
  needs.queues = 8;
  m->begin("core.features", "FEATURES and OPERATIONS say what a tile with everything has.", needs,
           {"I23"});
  m->ask("reset 1 1");
  m->ask(read_line(0, 0, isa::reg::Features::kAddress, 1), {"I23"});
  m->ask(read_line(0, 0, isa::reg::Operations::kAddress, 1), {"I23"});
}

}  // namespace

void make_core(Maker* m) {
  make_operations(m);
  make_traps(m);
  make_registers(m);
  make_fence(m);
  make_descriptors(m);
  make_features_of_all(m);
  make_sleep(m);
}

}  // namespace ow::conform
