// SPDX-License-Identifier: Apache-2.0
// What stops a tile: operations that do not exist, malformed descriptors, addresses outside memory.
// And threads that run beside each other.
#include <fmt/format.h>

#include "maker.h"
#include "ow/conform/program.h"

namespace ow::conform {
namespace {

using Ctl = isa::TensorCtl;
using isa::TensorOp;
using isa::TensorType;
namespace reg = isa::reg;

constexpr uint32_t kCode = 0x40, kTable = 0x400, kData = 0x800, kAfter = 0x1000;
constexpr int kCycles = 100000;

struct Stop {
  const char* name;
  const char* about;
  TensorOp op;
  TensorType type;
  Descriptor dst, a;
  isa::EngineCause cause;
  Rules rules;
};

Descriptor changed(Descriptor d, size_t word, uint32_t value) {
  d.words[word] = value;
  return d;
}

void make_fault(Maker* m, const Stop& f) {
  Needs needs;
  needs.features = {"tile", "f16", "f32", "bf16", "dimensions"};
  needs.sram = 8192;
  m->begin(std::string("faults.") + f.name, f.about, needs, f.rules);
  m->ask("reset 1 1");
  std::vector<uint32_t> table;
  for (const Descriptor& d : {f.dst, f.a})
    table.insert(table.end(), d.words, d.words + isa::kNumDsrWords);
  Program p;
  p.descriptor(0, kTable);
  p.descriptor(1, kTable + 4 * isa::kNumDsrWords);
  p.tensor(f.op, f.type, Ctl::Dst::put(0) | Ctl::A::put(1) | Ctl::B::put(31) | Ctl::Scalar::put(0));
  p.store_word(kAfter, 1);  // a tile that is stopped does not come here
  p.stop();
  m->ask(write_line(0, 0, kCode, p.words()));
  m->ask(write_line(0, 0, kTable, table));
  m->ask(write_line(0, 0, kData, std::vector<uint32_t>(64, 0x3C003C00)));
  m->ask(write_line(0, 0, kAfter, {0}));
  m->ask(write_line(0, 0, reg::CorePc::kAddress, {kCode}));
  m->ask(write_line(0, 0, reg::CoreCtrl::kAddress,
                    {reg::CoreCtrl::Reset::put(1) | reg::CoreCtrl::Run::put(1)}));
  m->ask(fmt::format("run {}", kCycles));
  using E = reg::EngineFault;
  m->expect(read_line(0, 0, E::kAddress, 1),
            fmt::format("{:x}", E::Fault::put(1) | E::Cause::put(f.cause)), f.rules);
  m->expect(read_line(0, 0, kAfter, 1), "0", {"I89"});
}

}  // namespace

void make_stops(Maker* m) {
  const Descriptor good = Descriptor::memory(TensorType::F16, kData, 16, 2),
                   to = Descriptor::memory(TensorType::F16, kData + 64, 16, 2);
  const auto illegal = isa::EngineCause::Illegal, malformed = isa::EngineCause::Descriptor,
             outside = isa::EngineCause::Address;
  const Stop all[] = {{"no_operation",
                       "An operation that does not exist.",
                       static_cast<TensorOp>(100),
                       TensorType::F16,
                       to,
                       good,
                       illegal,
                       {"I11", "I18"}},
                      {"no_type",
                       "An operation that does not have the type.",
                       TensorOp::Exp,
                       TensorType::F32,
                       to,
                       good,
                       illegal,
                       {"I11"}},
                      {"shift_of_float",
                       "A shift of a float.",
                       TensorOp::Sll,
                       TensorType::F16,
                       to,
                       good,
                       illegal,
                       {"I11"}},
                      {"no_kind",
                       "A source of no kind.",
                       TensorOp::Mov,
                       TensorType::F16,
                       to,
                       changed(good, 0, 0),
                       malformed,
                       {"I18"}},
                      {"no_length",
                       "A space of length 0.",
                       TensorOp::Mov,
                       TensorType::F16,
                       changed(to, 2, 2u << 16),
                       changed(good, 2, 2u << 16),
                       malformed,
                       {"I18"}},
                      {"misaligned",
                       "An address that is no multiple of its element.",
                       TensorOp::Mov,
                       TensorType::F16,
                       to,
                       changed(good, 1, kData + 1),
                       malformed,
                       {"I18"}},
                      {"outside",
                       "An address outside memory.",
                       TensorOp::Mov,
                       TensorType::F16,
                       to,
                       changed(good, 1, 0x500000),
                       outside,
                       {"I18"}},
                      {"long_address",
                       "An address of more than 24 bits is outside memory, and does not wrap.",
                       TensorOp::Mov,
                       TensorType::F16,
                       to,
                       changed(good, 1, 0x01000000 + kData),
                       outside,
                       {"I88"}}};
  for (const Stop& f : all) make_fault(m, f);
}

}  // namespace ow::conform
