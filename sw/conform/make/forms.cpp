// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding in a tile, and the fp32 forms as the calls that they are made of.
#include <fmt/format.h>

#include "form.h"
#include "ow/base/error.h"
#include "ow/conform/program.h"
#include "ow/golden/formats.h"
#include "ow/golden/nonlinear.h"

namespace ow::conform {
namespace {

using Ctl = isa::TensorCtl;
namespace reg = isa::reg;

constexpr uint32_t kCode = 0x40, kTable = 0x400, kFrom = 0x800, kTo = 0x1000;
constexpr int kCycles = 100000, kElements = 96;
constexpr size_t kVector = 32;

Words all(float x) { return all_of(kVector, x); }

void make_rounding(Maker* m, isa::TensorType type, const std::vector<uint32_t>& state,
                   const char* name, const Rules& rules) {
  Needs needs;
  needs.features = {"tile", "stochastic", "f32", isa::name_of(type)};
  needs.sram = 8192;
  m->begin(fmt::format("stochastic.{}.{}", isa::name_of(type), name),
           "cvt with stochastic rounding, and the generator's state after it.", needs, rules);
  m->ask("reset 1 1");
  m->ask(read_line(0, 0, reg::Prng::address(0), 4), {"N45"});
  Words from;
  for (int k = 0; k < kElements; ++k) {
    // Between two neighbours, far out, and what has no neighbours.
    const uint32_t special[] = {0x7F800000, 0xFF800000, 0x7FC00001, 0x477FF000,
                                0x33800000, 0x3F800000, 0x80000000, 0x7F7FFFFF};
    const uint32_t usual = (m->word() & 0x807FFFFF) | (m->pick(40) + 100) << 23;
    from.push_back(k < 8 ? special[k] : usual);
  }
  Words table;
  for (const Descriptor& d : {Descriptor::memory(type, kTo, kElements, 2),
                              Descriptor::memory(isa::TensorType::F32, kFrom, kElements, 4)}) {
    table.insert(table.end(), d.words, d.words + isa::kNumDsrWords);
  }
  Program p;
  p.descriptor(0, kTable);
  p.descriptor(1, kTable + 4 * isa::kNumDsrWords);
  p.tensor(isa::TensorOp::Cvt, isa::TensorType::F32,
           Ctl::Dst::put(0) | Ctl::A::put(1) | Ctl::B::put(31) | Ctl::Stochastic::put(1));
  p.fence_i();
  p.stop();
  m->ask(write_line(0, 0, kCode, p.words()));
  m->ask(write_line(0, 0, kTable, table));
  m->ask(write_line(0, 0, kFrom, from));
  m->ask(write_line(0, 0, reg::CorePc::kAddress, {kCode}));
  // A reset of the compute part resets the generator too, so its state comes after it.
  m->ask(write_line(0, 0, reg::Prng::address(0), {m->word(), m->word(), m->word(), m->word()}));
  m->ask(write_line(0, 0, reg::CoreCtrl::kAddress, {reg::CoreCtrl::Reset::put(1)}));
  m->ask(read_line(0, 0, reg::Prng::address(0), 4), {"N45"});
  if (!state.empty()) m->ask(write_line(0, 0, reg::Prng::address(0), state));
  m->ask(write_line(0, 0, reg::CoreCtrl::kAddress, {reg::CoreCtrl::Run::put(1)}));
  m->ask(fmt::format("run {}", kCycles));
  m->ask(read_line(0, 0, kTo, kElements / 2), rules);
  m->ask(read_line(0, 0, reg::Prng::address(0), 4), {"N42", "N43"});
}

Words positive(Maker* m, uint32_t low, uint32_t spread) {
  Words v;
  for (size_t k = 0; k < kVector; ++k)
    v.push_back((m->word() & 0x7FFFFF) | (low + m->pick(spread)) << 23);
  return v;
}

void make_inverse(Maker* m, int steps) {
  Form form(m, fmt::format("reciprocal.{}", steps),
            "1 / v from a bfloat16 estimate and Newton's method.",
            {"N94", "N10", "N107", steps == 1 ? "N98" : "N94"});
  const Words v = positive(m, 5, 240);
  const Words r = form.reciprocal(v, steps);
  for (size_t k = 0; k < kVector; ++k) {
    if (r[k] != golden::f32_rcp(v[k], steps))
      throw InternalError("the steps of N94 are others than golden's");
  }
}

void make_root(Maker* m, int steps) {
  Form form(m, fmt::format("root.{}", steps),
            "1 / sqrt(v) from a bfloat16 estimate and Newton's method.",
            {"N95", "N10", steps == 1 ? "N98" : "N95"});
  const Words v = positive(m, 5, 240);
  Words r = form.call("cvt", "bf16", "f32",
                      {form.call("rsqrt", "bf16", "bf16", {form.call("cvt", "f32", "bf16", {v})})});
  const Words minus = form.f32("mul", {v, all(-0.5f)});
  for (int k = 0; k < steps; ++k) {
    const Words s = form.f32("mul", {r, r});
    const Words e = form.f32("fma", {minus, s, all(0.5f)});
    r = form.f32("fma", {r, e, r});
  }
  for (size_t k = 0; k < kVector; ++k) {
    if (r[k] != golden::f32_rsqrt(v[k], steps))
      throw InternalError("the steps of N95 are others than golden's");
  }
}

void make_exponential(Maker* m) {
  Form form(m, "exponential", "e^x in fp32.", {"N96", "N10"});
  Words x;
  for (size_t k = 0; k < kVector; ++k) {
    x.push_back(golden::float_to_bits(
        static_cast<float>((m->rng().uniform() - 0.5) * (k < 4 ? 400 : 180))));
  }
  const Words y = form.exponential(x);
  for (size_t k = 0; k < kVector; ++k) {
    if (y[k] != golden::f32_exp(x[k]))
      throw InternalError("the steps of N96 are others than golden's");
  }
}

void make_short_exponential(Maker* m) {
  Form form(m, "short_exponential", "e^x in fp32 through binary16.", {"N97", "N10"});
  Words x;
  for (size_t k = 0; k < kVector; ++k)
    x.push_back(golden::float_to_bits(static_cast<float>(m->rng().uniform() * 28 - 17)));
  const Words y = form.short_exponential(x);
  for (size_t k = 0; k < kVector; ++k) {
    if (y[k] != golden::f32_exp_by_f16(x[k]))
      throw InternalError("the steps of N97 are others than golden's");
  }
}

}  // namespace

void make_forms(Maker* m) {
  const Rules rounds = {"N4", "N39", "N40", "N43"};
  for (const isa::TensorType type : {isa::TensorType::F16, isa::TensorType::BF16}) {
    make_rounding(m, type, {}, "after_reset", {"N4", "N5", "N45"});
    make_rounding(m, type, {m->word(), m->word(), m->word(), m->word() | 1}, "seeded", rounds);
    make_rounding(m, type, {0, 0, 0, 0}, "of_zeros", {"N46"});
  }
  for (const int steps : {1, 2}) {
    make_inverse(m, steps);
    make_root(m, steps);
  }
  make_exponential(m);
  make_short_exponential(m);
}

}  // namespace ow::conform
