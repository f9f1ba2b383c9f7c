// SPDX-License-Identifier: Apache-2.0
// Wavelet-triggered dot products: each wavelet names a row of a matrix in the tile.
#include <fmt/format.h>

#include "maker.h"
#include "ow/conform/program.h"

namespace ow::conform {
namespace {

using Ctl = isa::TensorCtl;
using isa::TensorType;
namespace reg = isa::reg;

constexpr uint32_t kCode = 0x40, kTable = 0x400, kVectors = 0x600, kMatrix = 0x800,
                   kResults = 0x1800;
constexpr int kCycles = 100000, kLength = 24, kRows = 20, kTwo = 2;
constexpr uint32_t kWest = 3, kRamp = 4, kEast = 1;

uint32_t route(uint32_t in, uint32_t out) {
  return reg::Route::Enable::put(1) |
         reg::Route::Position::put(isa::Position::InPort::put(in) |
                                   isa::Position::OutMask::put(1u << out));
}

// Finite numbers of binary16 from 2^-4 on, two to a word.
std::vector<uint32_t> halves(Maker* m, int count) {
  const auto half = [&] { return (m->word() & 0x83FF) | (m->pick(8) + 11) << 10; };
  std::vector<uint32_t> words;
  for (int k = 0; k < count; k += 2) {
    const uint32_t low = half();
    words.push_back(low | half() << 16);
  }
  return words;
}

void make_dots(Maker* m, const char* name, const char* about, TensorType result, bool sends,
               const Rules& rules) {
  Needs needs;
  needs.features = {"tile", "fabric", "f16", "f32", "mixed", "reductions", "tags", "dimensions"};
  needs.colours = 2;
  needs.queues = 1;
  needs.sram = 8192;
  m->begin(std::string("dotw.") + name, about, needs, rules);
  m->ask("reset 1 1");
  const int bytes = result == TensorType::F32 ? 4 : 2;
  Descriptor dst = Descriptor::memory(result, kResults, 64, bytes);
  if (sends) {
    dst = Descriptor::fabric_out(result, 0);
    dst.words[0] |= isa::Dsr0::Tag::put(1);
  }
  Descriptor a = Descriptor::memory(TensorType::F16, kMatrix, kLength, 2);
  a.words[3] = isa::DsrDim::Step::put(2 * kLength);
  Descriptor b = Descriptor::fabric_in(TensorType::F16, 0, 0);
  b.words[3] = isa::DsrDim::Length::put(kTwo) | isa::DsrDim::Step::put(2 * kLength);
  std::vector<uint32_t> table;
  for (const Descriptor& d : {dst, a, b})
    table.insert(table.end(), d.words, d.words + isa::kNumDsrWords);
  Program p;
  for (int k = 0; k < 3; ++k)
    p.descriptor(k, kTable + static_cast<uint32_t>(k) * 4 * isa::kNumDsrWords);
  p.tensor(isa::TensorOp::Dotw, TensorType::Mixed,
           Ctl::Dst::put(0) | Ctl::A::put(1) | Ctl::B::put(2), kVectors);
  p.fence_i();
  p.stop();
  m->ask(write_line(0, 0, kCode, p.words()));
  m->ask(write_line(0, 0, kTable, table));
  m->ask(write_line(0, 0, kVectors, halves(m, kTwo * kLength)));
  m->ask(write_line(0, 0, kMatrix, halves(m, kRows * kLength)));
  m->ask(write_line(0, 0, kResults, std::vector<uint32_t>(64, 0)));
  m->ask(write_line(0, 0, reg::Inq::address(0),
                    {reg::Inq::Enable::put(1) | reg::Inq::Colour::put(0)}));
  m->ask(write_line(0, 0, reg::Outq::address(0),
                    {reg::Outq::Enable::put(1) | reg::Outq::Colour::put(1)}));
  m->ask(write_line(0, 0, reg::Route::address(0), {route(kWest, kRamp)}));
  m->ask(write_line(0, 0, reg::Route::address(1), {route(kRamp, kEast)}));
  std::vector<Word> words;
  for (int k = 0; k < 40; ++k) {
    if (k % 9 == 8) words.push_back({true, isa::Control::RowEnd::kMask});
    words.push_back({false, m->pick(kRows) << 16 | (m->word() & 0xFFFF)});
  }
  words.push_back({true, isa::Control::StreamEnd::kMask});
  m->ask(send_line('w', 0, 0, words));
  m->ask(write_line(0, 0, reg::CorePc::kAddress, {kCode}));
  m->ask(write_line(0, 0, reg::CoreCtrl::kAddress,
                    {reg::CoreCtrl::Reset::put(1) | reg::CoreCtrl::Run::put(1)}));
  m->ask(fmt::format("run {}", kCycles));
  m->ask(read_line(0, 0, kResults, 64), rules);
  m->ask(take_line('e', 0, 1), rules);
}

}  // namespace

void make_dotw(Maker* m) {
  make_dots(m, "f32", "A dot product for each index, in f32.", TensorType::F32, false,
            {"I13", "I53", "I55"});
  make_dots(m, "f16", "The same, rounded to f16.", TensorType::F16, false, {"I13", "I53", "I55"});
  make_dots(m, "tagged", "Results leave with their index.", TensorType::F16, true, {"I54"});
}

}  // namespace ow::conform
