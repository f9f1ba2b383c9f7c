// SPDX-License-Identifier: Apache-2.0
// How long things take: programs that read the cycle count before and after. These tests report,
// and never fail. An answer is a range, because a rate leaves some cycles to fill and drain.
#include <fmt/format.h>

#include "maker.h"
#include "ow/conform/program.h"

namespace ow::conform {
namespace {

using Ctl = isa::TensorCtl;
using isa::TensorOp;
using isa::TensorType;
namespace reg = isa::reg;

constexpr uint32_t kCode = 0x40, kTable = 0x400, kResult = 0x600, kData = 0x800, kPart = 0x2000;
constexpr int kCycles = 200000, kElements = 1024;
constexpr int kBefore = 20, kAfter = 21;
constexpr int kFill = 16 + 6;  // I47; then the reads of the count and the control word

struct Timed {
  const char* name;
  TensorOp op;
  TensorType type, result;
  int operands;
  double rate;  // elements a cycle, of `full`
  Rules rules;
  uint32_t shift = 0;  // bytes by which the operands lie beside a multiple of 16
};

int bytes_of(TensorType type) { return type == TensorType::F32 || type == TensorType::I32 ? 4 : 2; }

void read_cycle(Program* p, int rd) {
  p->word(static_cast<uint32_t>(isa::Csr::Cycle) << 20 | 2u << 12 | static_cast<uint32_t>(rd) << 7 |
          0x73);
}

void finish(Maker* m, Program* p, uint32_t low, uint32_t high, const Rules& rules) {
  // x22 = after - before
  p->word(0x40000033u | static_cast<uint32_t>(kBefore) << 20 | static_cast<uint32_t>(kAfter) << 15 |
          22u << 7);
  p->load_immediate(9, kResult);
  p->store(22, 9, 0);
  p->stop();
  m->ask(write_line(0, 0, kCode, p->words()));
  m->ask(write_line(0, 0, reg::CorePc::kAddress, {kCode}));
  m->ask(write_line(0, 0, reg::CoreCtrl::kAddress,
                    {reg::CoreCtrl::Reset::put(1) | reg::CoreCtrl::Run::put(1)}));
  m->ask(fmt::format("run {}", kCycles));
  m->expect(read_line(0, 0, kResult, 1), fmt::format("{:x}..{:x}", low, high), rules);
}

void make_rate(Maker* m, const Timed& t) {
  Needs needs;
  needs.features = {"tile", "dimensions", "nonlinear", "reductions", "f32", "bf16"};
  needs.sram = 49152;
  m->begin_timing(std::string("timing.") + t.name,
                  "Cycles of one instruction of 1,024 elements in SRAM.", needs, t.rules);
  m->ask("reset 1 1");
  std::vector<uint32_t> table;
  const TensorType source = t.type == TensorType::Mixed ? TensorType::F16 : t.type;
  for (int k = 0; k < 3; ++k) {
    const TensorType type = k == 0 ? t.result : source;
    // Operands are apart by a little more than a multiple of all banks.
    const uint32_t at = kData + static_cast<uint32_t>(k) * (kPart + 16 + t.shift);
    const Descriptor d = Descriptor::memory(type, at, kElements, bytes_of(type));
    table.insert(table.end(), d.words, d.words + isa::kNumDsrWords);
  }
  m->ask(write_line(0, 0, kTable, table));
  Program p;
  for (int k = 0; k < 3; ++k)
    p.descriptor(k, kTable + static_cast<uint32_t>(k) * 4 * isa::kNumDsrWords);
  // The same instruction first, so that its code is fetched.
  const uint32_t ctl = Ctl::Dst::put(0) | Ctl::A::put(1) | Ctl::B::put(t.operands > 1 ? 2 : 31);
  read_cycle(&p, kBefore);
  p.tensor(t.op, t.type, ctl);
  read_cycle(&p, kAfter);
  const auto least = static_cast<uint32_t>(kElements / t.rate);
  finish(m, &p, least, least + least / 50 + kFill, t.rules);
}

}  // namespace

void make_timing(Maker* m) {
  const TensorType f16 = TensorType::F16, f32 = TensorType::F32;
  const Timed all[] = {{"add_f16", TensorOp::Add, f16, f16, 2, 8, {"I10", "I47"}},
                       {"add_f16_shifted", TensorOp::Add, f16, f16, 2, 8, {"I104", "I100"}, 6},
                       {"fma_f16", TensorOp::Fma, f16, f16, 2, 16.0 / 3, {"I103", "I47"}},
                       {"mov_f16", TensorOp::Mov, f16, f16, 1, 8, {"I20", "I10", "I47"}},
                       {"mov_f32", TensorOp::Mov, f32, f32, 1, 4, {"I8", "I10"}},
                       {"mul_f32", TensorOp::Mul, f32, f32, 2, 2, {"I10", "I47"}},
                       {"exp_f16", TensorOp::Exp, f16, f16, 1, 2, {"I108"}},
                       {"sum_f16", TensorOp::Sum, f16, f32, 1, 8, {"I108", "I52"}},
                       {"cvt_f32_f16", TensorOp::Cvt, f32, f16, 1, 3.5, {"I109"}}};
  for (const Timed& t : all) make_rate(m, t);

  Needs needs;
  needs.features = {"tile", "dimensions"};
  needs.sram = 8192;
  m->begin_timing("timing.descriptors", "Cycles of ow.dsrl; ow.dsrw takes one.", needs, {"I137"});
  m->ask("reset 1 1");
  m->ask(write_line(0, 0, kTable, std::vector<uint32_t>(6, 0)));
  Program p;
  p.load_immediate(5, kTable);
  p.load_immediate(6, 3);
  read_cycle(&p, kBefore);
  for (int k = 0; k < 4; ++k)
    p.word(6u << 20 | 5u << 15 | static_cast<uint32_t>(isa::SysOp::Dsrl) << 12 |
           isa::kOpcodeSystem);
  read_cycle(&p, kAfter);
  // Each waits two cycles for the last words of the one before.
  finish(m, &p, 4 * 6, 4 * 8 + 4, {"I137"});
}

}  // namespace ow::conform
