// SPDX-License-Identifier: Apache-2.0
// Tensor instructions as programs of a tile: random operands in memory, in the accumulator cache
// and in queues, whose results are in memory and at the east edge.
#include <fmt/format.h>

#include <functional>

#include "../model/engine/random_program.h"
#include "maker.h"
#include "ow/conform/program.h"

namespace ow::conform {
namespace {

using ow_engine::Dsr;
using ow_engine::Insn;
using ow_engine::Machine;
using Ctl = isa::TensorCtl;

// SRAM of a test, all below that of `mini`.
constexpr uint32_t kCode = 0x40, kTable = 0x600, kData = 0xA00, kPart = 512, kAccumulator = 0x1C00,
                   kEnd = 0x1E00;
constexpr uint32_t kParts = 6;
constexpr int kCycles = 200000, kQueues = 8, kOutColour = 8;
constexpr uint32_t kWest = 3, kRamp = 4, kEast = 1;
constexpr int kSpareDsr = 28;

struct Family {
  const char* name;
  const char* about;
  std::vector<std::string> features;
  Rules rules;
  std::function<bool(const Insn&, const Machine&)> fits;
};

const Dsr& dsr(const Machine& m, int n) { return m.dsr[static_cast<size_t>(n)]; }

bool reads_fabric(const Insn& i, const Machine& m) {
  return (ow_engine::has_a(i.op) && dsr(m, i.a).kind == ow_engine::kFabIn) ||
         (ow_engine::has_b(i.op) && !i.scalar && dsr(m, i.b).kind == ow_engine::kFabIn);
}
bool sends(const Insn& i, const Machine& m) { return dsr(m, i.dst).kind == ow_engine::kFabOut; }
bool in_memory(const Insn& i, const Machine& m) { return !reads_fabric(i, m) && !sends(i, m); }

const std::vector<std::string> kAll = {"tile",      "f16",    "bf16",      "f32",     "i8",
                                       "i16",       "i32",    "mixed",     "compare", "reductions",
                                       "nonlinear", "gather", "dimensions"};

std::vector<std::string> with(const char* more) {
  std::vector<std::string> all = kAll;
  all.emplace_back("fabric");
  all.emplace_back(more);
  return all;
}

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"elements",
       "Operations element by element, in spaces of one to four dimensions.",
       kAll,
       {"I5", "I35", "I36", "I43", "I44", "I45", "I49", "I132", "I10", "I33", "I60", "I140", "I46",
        "I8"},
       [](const Insn& i, const Machine& m) {
         return in_memory(i, m) && !ow_engine::is_red(i.op) && !ow_engine::is_indexed(i.op);
       }},
      {"reductions",
       "Reductions, a result for each inner vector.",
       kAll,
       {"I12", "I5", "I44"},
       [](const Insn& i, const Machine& m) { return in_memory(i, m) && ow_engine::is_red(i.op); }},
      {"indexed",
       "gather, scatter and fmag.",
       kAll,
       {"I16", "I50", "I51", "I72", "I73"},
       [](const Insn& i, const Machine& m) {
         return in_memory(i, m) && ow_engine::is_indexed(i.op);
       }},
      {"saved",
       "Advanced addresses are written back.",
       kAll,
       {"I32", "I4", "I9"},
       [](const Insn& i, const Machine& m) {
         return in_memory(i, m) && (dsr(m, i.dst).save || dsr(m, i.a).save);
       }},
      {"sending",
       "Results leave through an output queue: pairs, words, tags, without zeros, with a control "
       "wavelet.",
       with("tags"),
       {"I17", "I6", "I37", "I77", "I78", "I79", "I80", "F14"},
       [](const Insn& i, const Machine& m) { return sends(i, m) && !reads_fabric(i, m); }},
      {"streams",
       "Operands come from input queues, with a length or to the end of the stream.",
       with("tags"),
       {"I34", "I126", "I127", "I128", "F57", "F82"},
       [](const Insn& i, const Machine& m) { return reads_fabric(i, m); }}};
  return all;
}

// The instructions of one program and the machine before them.
struct Drawn {
  Machine machine;
  std::vector<Insn> instructions;
};

Drawn draw(Maker* m, const Family& family) {
  std::mt19937 rng(m->word());
  Drawn drawn;
  for (size_t k = 0; k + 3 < drawn.machine.sram.size(); k += 4)
    drawn.machine.store(static_cast<uint32_t>(k), 4, m->word());
  for (uint32_t part = 0; part < kParts; ++part) {
    for (;;) {
      // A try that does not fit leaves nothing behind.
      Machine tried = drawn.machine;
      ow_engine::RandomProgram program(&rng, &tried);
      // Queues of earlier instructions stay theirs.
      for (uint32_t k = 0; k < part; ++k) {
        program.take_input();
        program.take_output();
      }
      Insn insn = program.make(0, static_cast<int>(3 * part), kData + part * kPart);
      insn.done = insn.task = 0;
      insn.prio = false;
      bool taken = false;
      for (int q = 0; q < kQueues; ++q) {
        const auto index = static_cast<size_t>(q);
        taken = taken || tried.in[index].size() < drawn.machine.in[index].size();
      }
      if (taken || !family.fits(insn, tried)) continue;
      drawn.machine = tried;
      drawn.instructions.push_back(insn);
      break;
    }
  }
  return drawn;
}

std::vector<uint32_t> words_of(const Machine& machine, uint32_t from, uint32_t to) {
  std::vector<uint32_t> words;
  for (uint32_t at = from; at < to; at += 4) words.push_back(machine.load(at, 4));
  return words;
}

std::vector<uint32_t> table_of(const Machine& machine, int descriptors) {
  std::vector<uint32_t> table;
  for (int n = 0; n < descriptors; ++n) {
    for (uint32_t w = 0; w < isa::kNumDsrWords; ++w) {
      table.push_back(dsr(machine, n).word(static_cast<isa::DsrWord>(w)));
    }
  }
  return table;
}

constexpr uint32_t kTableEntry = 4 * isa::kNumDsrWords;

// The accumulator cache from or to memory: all 128 sums.
void move_accumulator(Program* program, std::vector<uint32_t>* table, bool out) {
  const auto at = kTable + static_cast<uint32_t>(table->size()) * 4;
  constexpr int kSums = 128;
  const Descriptor memory = Descriptor::memory(isa::TensorType::F32, kAccumulator, kSums, 4);
  const Descriptor cache =
      Descriptor::memory(isa::TensorType::F32, 1u << isa::kAccAddrBit, kSums, 4);
  for (const Descriptor& d : {out ? memory : cache, out ? cache : memory}) {
    table->insert(table->end(), d.words, d.words + isa::kNumDsrWords);
  }
  program->descriptor(kSpareDsr, at);
  program->descriptor(kSpareDsr + 1, at + kTableEntry);
  program->tensor(isa::TensorOp::Mov, isa::TensorType::F32,
                  Ctl::Dst::put(kSpareDsr) | Ctl::A::put(kSpareDsr + 1) | Ctl::B::put(31));
}

void set_queues(Maker* m, const Machine& machine) {
  using isa::reg::Route;
  for (int q = 0; q < kQueues; ++q) {
    const auto position = [](uint32_t in, uint32_t out) {
      return Route::Enable::put(1) | Route::Position::put(isa::Position::InPort::put(in) |
                                                          isa::Position::OutMask::put(1u << out));
    };
    m->ask(write_line(0, 0, isa::reg::Inq::address(q),
                      {isa::reg::Inq::Enable::put(1) | isa::reg::Inq::Colour::put(q)}));
    m->ask(
        write_line(0, 0, isa::reg::Outq::address(q),
                   {isa::reg::Outq::Enable::put(1) | isa::reg::Outq::Colour::put(q + kOutColour)}));
    m->ask(write_line(0, 0, Route::address(q), {position(kWest, kRamp)}));
    m->ask(write_line(0, 0, Route::address(q + kOutColour), {position(kRamp, kEast)}));
    std::vector<Word> words;
    for (const ow_engine::Wavelet& w : machine.in[static_cast<size_t>(q)])
      words.push_back({w.ctrl, w.data});
    if (!words.empty()) m->ask(send_line('w', 0, q, words));
  }
}

void start(Maker* m, const Program& program) {
  m->ask(write_line(0, 0, kCode, program.words()));
  m->ask(write_line(0, 0, isa::reg::CorePc::kAddress, {kCode}));
  m->ask(write_line(0, 0, isa::reg::CoreCtrl::kAddress,
                    {isa::reg::CoreCtrl::Reset::put(1) | isa::reg::CoreCtrl::Run::put(1)}));
  m->ask(fmt::format("run {}", kCycles));
}

void make_program(Maker* m, const Family& family, int number) {
  Needs needs;
  needs.features = family.features;
  needs.colours = kOutColour + kQueues;
  needs.queues = kQueues;
  needs.sram = 8192;
  const Drawn drawn = draw(m, family);
  m->begin(fmt::format("tensor.{}.{}", family.name, number), family.about, needs, family.rules);
  m->ask("reset 1 1");
  std::vector<uint32_t> table = table_of(drawn.machine, static_cast<int>(3 * kParts));
  Program program;
  move_accumulator(&program, &table, false);
  for (int n = 0; n < static_cast<int>(3 * kParts); ++n)
    program.descriptor(n, kTable + static_cast<uint32_t>(n) * kTableEntry);
  for (const Insn& insn : drawn.instructions) {
    program.tensor(static_cast<isa::TensorOp>(insn.op), static_cast<isa::TensorType>(insn.ty),
                   insn.ctl(), insn.value);
  }
  // The advanced addresses, where the table was.
  program.load_immediate(8, kTable);
  for (int n = 0; n < static_cast<int>(3 * kParts); ++n) {
    program.load_immediate(5, static_cast<uint32_t>(n));
    program.word(1u << 25 | 5u << 15 | static_cast<uint32_t>(isa::SysOp::Dsrr) << 12 | 6u << 7 |
                 isa::kOpcodeSystem);
    program.store(6, 8, 4 * n);
  }
  move_accumulator(&program, &table, true);
  program.fence_i();
  program.stop();
  m->ask(write_line(0, 0, kTable, table));
  m->ask(write_line(0, 0, kData, words_of(drawn.machine, kData, kEnd)));
  set_queues(m, drawn.machine);
  start(m, program);
  m->ask(read_line(0, 0, isa::reg::CoreStatus::kAddress, 1), {"I27"});
  m->ask(read_line(0, 0, kTable, 3 * kParts), {"I32"});
  m->ask(read_line(0, 0, kData, (kEnd - kData) / 4));
  for (int q = 0; q < kQueues; ++q) m->ask(take_line('e', 0, q + kOutColour));
}

}  // namespace

void make_tensor(Maker* m) {
  constexpr int kPrograms = 12;
  for (const Family& family : families()) {
    for (int k = 0; k < kPrograms; ++k) make_program(m, family, k);
  }
}

}  // namespace ow::conform
