// SPDX-License-Identifier: Apache-2.0
// Calls of single operations: special values against each other, then random ones. The operands of
// a call are of one sort, so that a difference points at one rule.
#include <fmt/format.h>

#include <array>
#include <map>

#include "maker.h"
#include "ow/golden/formats.h"
#include "ow/golden/tile_ops.h"

namespace ow::conform {
namespace {

using golden::Op;
using golden::Type;

constexpr size_t kCallElements = 64;

bool is_float(Type type) { return type == Type::F16 || type == Type::BF16 || type == Type::F32; }
int bits_of(Type type) {
  return type == Type::I8 ? 8 : type == Type::F32 || type == Type::I32 ? 32 : 16;
}
int fraction_of(Type type) { return type == Type::F16 ? 10 : type == Type::BF16 ? 7 : 23; }
uint32_t sign_of(Type type) { return 1u << (bits_of(type) - 1); }
uint32_t infinity_of(Type type) {
  return type == Type::F16 ? golden::kInf16 : type == Type::BF16 ? golden::kInfB16 : golden::kInf32;
}

struct Sort {
  bool nan, infinite, zero, subnormal;
};

Sort sort_of(Type type, uint32_t x) {
  const uint32_t size = x & (sign_of(type) - 1);
  return {size > infinity_of(type), size == infinity_of(type), size == 0,
          size != 0 && size >> fraction_of(type) == 0};
}

// Numbers at the ends of everything.
std::vector<uint32_t> special(Type type) {
  const uint32_t sign = sign_of(type);
  std::vector<uint32_t> out;
  if (!is_float(type)) {
    for (const uint32_t x :
         {0u, 1u, 2u, sign - 1, sign, sign + 1, ~0u & (2 * sign - 1), 7u, 15u, 16u, 31u}) {
      out.push_back(x & (type == Type::I32 ? ~0u : 2 * sign - 1));
    }
    return out;
  }
  const uint32_t one = golden::convert(Type::I32, type, 1), unit = 1u << fraction_of(type);
  for (const uint32_t x :
       {0u, 1u, unit - 1, unit, unit + 1, one, one + 1, one - 1, infinity_of(type) - 1,
        infinity_of(type), infinity_of(type) + 1, infinity_of(type) | unit >> 1 | 3}) {
    out.push_back(x);
    out.push_back(x | sign);
  }
  return out;
}

// Near in size more often than not, so that sums cancel and round.
uint32_t random_of(Maker* m, Type type) {
  if (!is_float(type)) {
    const uint32_t x = m->word();
    return bits_of(type) == 32 ? (m->pick(3) == 0 ? x & 63 : x) : x & (2 * sign_of(type) - 1);
  }
  if (m->pick(8) == 0) {
    const std::vector<uint32_t> all = special(type);
    return all[m->pick(static_cast<uint32_t>(all.size()))];
  }
  const uint32_t fraction = m->word() & ((1u << fraction_of(type)) - 1);
  const uint32_t middle = golden::convert(Type::I32, type, 1) >> fraction_of(type);
  const uint32_t spread = m->pick(4) == 0 ? middle : 12;
  const uint32_t exponent =
      std::max<uint32_t>(1, middle - std::min(middle, spread / 2)) + m->pick(spread);
  return fraction | exponent << fraction_of(type) | (m->pick(2) != 0 ? sign_of(type) : 0);
}

using Tuple = std::array<uint32_t, 3>;

// All pairs of special numbers, then random tuples.
std::vector<Tuple> tuples(Maker* m, Type a, Type c, int operands, int count) {
  std::vector<Tuple> all;
  const std::vector<uint32_t> ends = special(a), last = special(c);
  for (const uint32_t x : ends) {
    if (operands == 1) all.push_back({x, 0, 0});
    if (operands == 1) continue;
    for (const uint32_t y : ends)
      all.push_back({x, y, last[m->pick(static_cast<uint32_t>(last.size()))]});
  }
  for (int k = 0; k < count; ++k) {
    Tuple t = {random_of(m, a), random_of(m, a), random_of(m, c)};
    // A third of the sums cancel nearly.
    if (operands == 3 && k % 3 == 0) {
      const uint32_t product = golden::apply(Op::Mul, a, t[0], t[1], 0);
      t[2] = golden::convert(a, c, product) ^ (is_float(c) ? sign_of(c) : 0);
    }
    all.push_back(t);
  }
  return all;
}

void emit(Maker* m, const std::string& op, Type type, Type result, int operands,
          const std::vector<Tuple>& all, const Rules& rules) {
  for (size_t from = 0; from < all.size(); from += kCallElements) {
    const size_t count = std::min(kCallElements, all.size() - from);
    std::string line = fmt::format("call {} {} {} {}", op, golden::type_name(type),
                                   golden::type_name(result), count);
    for (int k = 0; k < operands; ++k) {
      for (size_t i = 0; i < count; ++i)
        line += fmt::format(" {:x}", all[from + i][static_cast<size_t>(k)]);
    }
    m->ask(line, rules);
  }
}

// The operation's own rule goes first: only a device that keeps it is told of special operands.
void emit_sorted(Maker* m, const std::string& op, Type type, Type result, int operands,
                 const std::string& own, const std::map<std::string, std::vector<Tuple>>& sorted) {
  for (const bool first : {true, false}) {
    for (const auto& [rule, some] : sorted) {
      if ((rule == own) == first) emit(m, op, type, result, operands, some, {rule});
    }
  }
}

const char* feature_of(Type type) {
  return type == Type::MixedB ? "bf16" : golden::type_name(type);
}

Needs needs_of(const std::string& operation, const std::vector<Type>& types,
               std::vector<std::string> more = {}) {
  Needs needs;
  needs.operation = operation;
  needs.features = {"call"};
  for (const Type type : types) needs.features.emplace_back(feature_of(type));
  needs.features.insert(needs.features.end(), more.begin(), more.end());
  return needs;
}

const char* format_rule(Type type) {
  return type == Type::F16 ? "N22" : type == Type::BF16 ? "N23" : type == Type::F32 ? "N24" : "N25";
}

// Which rule a result of a float operation shows, besides that of the operation.
std::string sort_rule(const std::string& own, Type from, Type to, const Tuple& t, int operands,
                      uint32_t r, bool compares) {
  bool nan = false, subnormal = false;
  for (int k = 0; k < operands; ++k) {
    const Sort s = sort_of(k == 2 ? to : from, t[static_cast<size_t>(k)]);
    nan = nan || s.nan;
    subnormal = subnormal || s.subnormal;
  }
  if (compares) return own;
  const Sort s = sort_of(to, r);
  if (nan || s.nan) return "N26";
  if (s.zero || s.infinite) return "N28";
  return subnormal || s.subnormal ? "N1" : own;
}

void make_operation(Maker* m, Op op, Type type, const std::string& own, int operands,
                    const std::vector<std::string>& more) {
  const Type from = golden::source_type(type), to = golden::result_type(type);
  const bool extreme = op == Op::Max || op == Op::Min;
  const bool compares = op >= Op::CmpEq && op <= Op::CmpLe;
  m->begin(fmt::format("arithmetic.{}.{}", golden::type_name(type), golden::op_name(op)),
           fmt::format("{} of {} on special and random operands.", golden::op_name(op),
                       golden::type_name(type)),
           needs_of(golden::op_name(op), {type}, more), {format_rule(to)});
  std::map<std::string, std::vector<Tuple>> sorted;
  for (const Tuple& t : tuples(m, from, to, operands, 192)) {
    const uint32_t r = golden::apply(op, type, t[0], t[1], t[2]);
    sorted[is_float(to) ? sort_rule(own, from, to, t, operands, r, compares || extreme) : own]
        .push_back(t);
  }
  emit_sorted(m, golden::op_name(op), type, to, operands, own, sorted);
}

void make_casts(Maker* m) {
  const Type types[] = {Type::F16, Type::BF16, Type::F32, Type::I8, Type::I16, Type::I32};
  for (const Type from : types) {
    for (const Type to : types) {
      if (from == to) continue;
      std::vector<Type> needed = {from, to};
      // Casts between binary16 and f32 are in every tile (I86).
      const bool everywhere =
          (from == Type::F16 && to == Type::F32) || (from == Type::F32 && to == Type::F16);
      if (everywhere) needed = {Type::F16};
      const std::string own = is_float(from) ? (is_float(to) ? "N3" : "N36")
                              : is_float(to) ? "N37"
                                             : "N38";
      m->begin(fmt::format("casts.{}.{}", golden::type_name(from), golden::type_name(to)),
               fmt::format("cvt from {} to {}.", golden::type_name(from), golden::type_name(to)),
               needs_of("cvt", needed));
      std::map<std::string, std::vector<Tuple>> sorted;
      std::vector<Tuple> all = tuples(m, from, from, 1, 160);
      if (is_float(from) && !is_float(to)) {
        // Halves and the ends of the range.
        for (int k = -300; k < 300; k += 7) {
          all.push_back(
              {golden::convert(Type::F32, from, golden::float_to_bits(static_cast<float>(k) / 2)),
               0, 0});
        }
      }
      for (const Tuple& t : all) {
        const uint32_t r = golden::convert(from, to, t[0]);
        const bool floats = is_float(from) && is_float(to);
        const std::string rule = floats ? sort_rule(own, from, to, t, 1, r, false) : own;
        // A NaN of another sort than the canonical one, in a cast to an integer: N36 has it.
        sorted[rule].push_back(t);
      }
      emit_sorted(m, "cvt", from, to, 1, own, sorted);
    }
  }
}

std::string function_rule(Op op, Type type, uint32_t x, uint32_t r) {
  const Sort in = sort_of(type, x), out = sort_of(type, r);
  const bool negative = (x & sign_of(type)) != 0;
  if (in.nan) return "N89";
  if (in.zero || in.infinite || ((op == Op::Rsqrt || op == Op::Log) && negative)) return "N90";
  if (out.infinite || (out.zero && op != Op::Log)) return "N91";
  return "N9";
}

void make_functions(Maker* m) {
  for (const Type type : {Type::F16, Type::BF16}) {
    for (const Op op : {Op::Rcp, Op::Rsqrt, Op::Exp, Op::Log, Op::Tanh, Op::Sigmoid}) {
      m->begin(fmt::format("functions.{}.{}", golden::type_name(type), golden::op_name(op)),
               fmt::format("{} of {}: special values and 1,024 others.", golden::op_name(op),
                           golden::type_name(type)),
               needs_of(golden::op_name(op), {type}, {"nonlinear"}));
      std::vector<Tuple> all = tuples(m, type, type, 1, 0);
      for (int k = 0; k < 1024; ++k) all.push_back({m->word() & 0xFFFF, 0, 0});
      std::map<std::string, std::vector<Tuple>> sorted;
      for (const Tuple& t : all) {
        sorted[function_rule(op, type, t[0], golden::apply(op, type, t[0]))].push_back(t);
      }
      emit_sorted(m, golden::op_name(op), type, type, 1, "N9", sorted);
    }
  }
}

}  // namespace

void make_arithmetic(Maker* m) {
  for (const Type type : {Type::F16, Type::BF16, Type::F32, Type::I16, Type::I32}) {
    for (const Op op : {Op::Add, Op::Sub, Op::Mul}) make_operation(m, op, type, "N2", 2, {});
    make_operation(m, Op::Fma, type, "N29", 3, {});
    for (const Op op : {Op::Max, Op::Min}) make_operation(m, op, type, "N31", 2, {"compare"});
    for (const Op op : {Op::CmpEq, Op::CmpNe, Op::CmpLt, Op::CmpLe}) {
      make_operation(m, op, type, "N32", 2, {"compare"});
    }
  }
  make_operation(m, Op::Fma, Type::Mixed, "N30", 3, {"f16"});
  make_operation(m, Op::Fma, Type::MixedB, "N30", 3, {"mixed"});
  for (const Type type : {Type::I16, Type::I32}) {
    for (const Op op : {Op::And, Op::Or, Op::Xor}) make_operation(m, op, type, "N33", 2, {});
    for (const Op op : {Op::Sll, Op::Srl, Op::Sra}) make_operation(m, op, type, "N34", 2, {});
    make_operation(m, Op::Gate, type, "N35", 2, {});
  }
  for (const Type type : {Type::F16, Type::BF16, Type::F32, Type::I8, Type::I16, Type::I32}) {
    // Moves of bits are in every type but i8 (I86).
    m->begin(fmt::format("arithmetic.{}.mov", golden::type_name(type)),
             "mov keeps all bits, those of a NaN too.",
             needs_of("mov", type == Type::I8 ? std::vector<Type>{type} : std::vector<Type>{}),
             {"N27", "I86"});
    emit(m, "mov", type, type, 1, tuples(m, type, type, 1, 32), {"N27"});
  }
  make_casts(m);
  make_functions(m);
}

namespace {

void make_reduction(Maker* m, Op op, Type type, Type result) {
  const std::string own = op == Op::RMax || op == Op::RMin ? "N50"
                          : !is_float(type)                ? "N49"
                          : op == Op::Dot                  ? "N47"
                                                           : "N48";
  m->begin(fmt::format("reductions.{}.{}.{}", golden::type_name(type), golden::op_name(op),
                       golden::type_name(result)),
           fmt::format("{} of {} to {}, of 1 to 256 elements.", golden::op_name(op),
                       golden::type_name(type), golden::type_name(result)),
           needs_of(golden::op_name(op), {type, result}, {"reductions"}));
  // Ordinary numbers, except that one vector in five has a special one; then some of which no
  // partial sum is a normal number of fp32, if the type has such.
  const auto ask = [&](uint32_t length, bool tiny) {
    std::string line = fmt::format("call {} {} {} {}", golden::op_name(op), golden::type_name(type),
                                   golden::type_name(result), length);
    const bool ends = m->pick(5) == 0;
    const uint32_t operands = op == Op::Dot ? 2 : 1;
    for (uint32_t k = 0; k < operands * length; ++k) {
      uint32_t x = random_of(m, type);
      while (is_float(type) && !ends && (sort_of(type, x).nan || sort_of(type, x).infinite))
        x = random_of(m, type);
      // Of a dot product the first factors alone, so that the products are not 0.
      if (tiny && k < length)
        x = (m->word() & ((1u << fraction_of(type)) - 1)) | (m->word() & sign_of(type));
      line += fmt::format(" {:x}", x);
    }
    Rules rules = {own};
    if (op != Op::RMax && op != Op::RMin && is_float(type)) rules.emplace_back("N6");
    if (length < 16) rules.emplace_back("N51");
    m->ask(line, rules);
  };
  for (const uint32_t length : {1u, 2u, 7u, 15u, 16u, 17u, 33u, 64u, 100u, 256u})
    ask(length, false);
  for (const uint32_t length : {3u, 20u, 48u, 90u}) {
    if (is_float(type)) ask(length, true);
  }
}

}  // namespace

void make_reductions(Maker* m) {
  for (const Type type : {Type::F16, Type::BF16, Type::F32}) {
    for (const Type result : {Type::F16, Type::BF16, Type::F32}) {
      for (const Op op : {Op::Dot, Op::Sum, Op::RMax, Op::RMin})
        make_reduction(m, op, type, result);
    }
  }
  for (const Type type : {Type::I8, Type::I16, Type::I32}) {
    for (const Op op : {Op::Dot, Op::Sum, Op::RMax, Op::RMin}) {
      if (op == Op::Dot && type == Type::I32) continue;
      make_reduction(m, op, type, Type::I32);
      if (type != Type::I32) make_reduction(m, op, type, Type::I16);
    }
  }
}

}  // namespace ow::conform
