// SPDX-License-Identifier: Apache-2.0
// fp32 forms (docs/numerics.md) as the calls that they are made of.
#ifndef OW_CONFORM_MAKE_FORM_H_
#define OW_CONFORM_MAKE_FORM_H_

#include <fmt/format.h>

#include <sstream>
#include <string>
#include <vector>

#include "maker.h"
#include "ow/golden/formats.h"

namespace ow::conform {

using Words = std::vector<uint32_t>;

inline Words all_of(size_t count, float x) { return Words(count, golden::float_to_bits(x)); }

// A form, step by step on a vector: each step is a call whose operands are the results of earlier
// ones.
class Form {
 public:
  Form(Maker* m, const std::string& name, const char* about, const Rules& rules,
       const std::vector<std::string>& more = {})
      : m_(m), rules_(rules) {
    Needs needs;
    needs.features = {"call", "f16", "bf16", "f32", "i32", "compare", "nonlinear"};
    needs.features.insert(needs.features.end(), more.begin(), more.end());
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
  // N94, N96, N97.
  Words reciprocal(const Words& v, int steps) {
    Words r = call("cvt", "bf16", "f32",
                   {call("rcp", "bf16", "bf16", {call("cvt", "f32", "bf16", {v})})});
    const Words minus = f32("mul", {v, all_of(v.size(), -1)});
    for (int k = 0; k < steps; ++k) {
      const Words e = f32("fma", {minus, r, all_of(v.size(), 1)});
      r = f32("fma", {r, e, r});
    }
    return r;
  }
  Words exponential(Words x) {
    const auto all = [&](float value) { return all_of(x.size(), value); };
    x = f32("min", {f32("max", {x, all(-87)}), all(88)});
    const Words n = call("cvt", "f32", "i32", {f32("mul", {x, all(1.442695040888963407f)})});
    const Words f = call("cvt", "i32", "f32", {n});
    Words r = f32("fma", {f, all(-0x1.62e4p-1f), x});
    r = f32("fma", {f, all(-0x1.7f7d1cp-20f), r});
    Words p = all(1.0f / 5040);
    const float inverse[] = {1, 1, 1.0f / 2, 1.0f / 6, 1.0f / 24, 1.0f / 120, 1.0f / 720};
    for (int k = 6; k >= 0; --k) p = f32("fma", {p, r, all(inverse[k])});
    return call("add", "i32", "i32", {p, call("sll", "i32", "i32", {n, Words(x.size(), 23)})});
  }
  Words short_exponential(const Words& x) {
    const Words h = call("cvt", "f32", "f16", {x});
    const Words y = call("cvt", "f16", "f32", {call("exp", "f16", "f16", {h})});
    const Words d = f32("sub", {x, call("cvt", "f16", "f32", {h})});
    return f32("fma", {y, d, y});
  }

 private:
  Maker* m_;
  Rules rules_;
};

}  // namespace ow::conform

#endif  // OW_CONFORM_MAKE_FORM_H_
