// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding in a tile, and the fp32 forms as the calls that they are made of.
#include <fmt/format.h>

#include <sstream>

#include "maker.h"
#include "ow/base/error.h"
#include "ow/conform/program.h"
#include "ow/golden/formats.h"
#include "ow/golden/nonlinear.h"

namespace ow::conform {
namespace {

using Ctl = isa::TensorCtl;
using Words = std::vector<uint32_t>;
namespace reg = isa::reg;

constexpr uint32_t kCode = 0x40, kTable = 0x400, kFrom = 0x800, kTo = 0x1000;
constexpr int kCycles = 100000, kElements = 96;
constexpr size_t kVector = 32;

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

// A form, step by step on a vector: each step is a call whose operands are the results of earlier
// ones.
class Form {
 public:
  Form(Maker* m, const std::string& name, const char* about, const Rules& rules)
      : m_(m), rules_(rules) {
    Needs needs;
    needs.features = {"call", "f16", "bf16", "f32", "i32", "compare", "nonlinear"};
    m->begin("forms." + name, about, needs, rules);
  }
  Words call(const std::string& op, const std::string& type, const std::string& result,
             const std::vector<Words>& operands) {
    std::string line = fmt::format("call {} {} {} {}", op, type, result, operands[0].size());
    for (const Words& operand : operands) {
      for (const uint32_t x : operand) line += fmt::format(" {:x}", x);
    }
    std::istringstream answer(m_->ask(line, rules_));
    Words results;
    for (std::string word; answer >> word;)
      results.push_back(static_cast<uint32_t>(std::stoul(word, nullptr, 16)));
    return results;
  }
  Words f32(const std::string& op, const std::vector<Words>& operands) {
    return call(op, "f32", "f32", operands);
  }

 private:
  Maker* m_;
  Rules rules_;
};

Words all(float x) { return Words(kVector, golden::float_to_bits(x)); }
Words all_bits(uint32_t x) { return Words(kVector, x); }

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
  Words r = form.call("cvt", "bf16", "f32",
                      {form.call("rcp", "bf16", "bf16", {form.call("cvt", "f32", "bf16", {v})})});
  const Words minus = form.f32("mul", {v, all(-1)});
  for (int k = 0; k < steps; ++k) {
    const Words e = form.f32("fma", {minus, r, all(1)});
    r = form.f32("fma", {r, e, r});
  }
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
  const Words given = x;
  x = form.f32("min", {form.f32("max", {x, all(-87)}), all(88)});
  const Words n =
      form.call("cvt", "f32", "i32", {form.f32("mul", {x, all(1.442695040888963407f)})});
  const Words f = form.call("cvt", "i32", "f32", {n});
  Words r = form.f32("fma", {f, all(-0x1.62e4p-1f), x});
  r = form.f32("fma", {f, all(-0x1.7f7d1cp-20f), r});
  Words p = all(1.0f / 5040);
  const float inverse[] = {1, 1, 1.0f / 2, 1.0f / 6, 1.0f / 24, 1.0f / 120, 1.0f / 720};
  for (int k = 6; k >= 0; --k) p = form.f32("fma", {p, r, all(inverse[k])});
  const Words y =
      form.call("add", "i32", "i32", {p, form.call("sll", "i32", "i32", {n, all_bits(23)})});
  for (size_t k = 0; k < kVector; ++k) {
    if (y[k] != golden::f32_exp(given[k]))
      throw InternalError("the steps of N96 are others than golden's");
  }
}

void make_short_exponential(Maker* m) {
  Form form(m, "short_exponential", "e^x in fp32 through binary16.", {"N97", "N10"});
  Words x;
  for (size_t k = 0; k < kVector; ++k)
    x.push_back(golden::float_to_bits(static_cast<float>(m->rng().uniform() * 28 - 17)));
  const Words h = form.call("cvt", "f32", "f16", {x});
  Words y = form.call("cvt", "f16", "f32", {form.call("exp", "f16", "f16", {h})});
  const Words d = form.f32("sub", {x, form.call("cvt", "f16", "f32", {h})});
  y = form.f32("fma", {y, d, y});
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
