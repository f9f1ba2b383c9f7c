// SPDX-License-Identifier: Apache-2.0
// Calls by golden's definitions, and what can be wrong with them.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "grid.h"
#include "ow/golden/formats.h"
#include "ow/golden/tile_ops.h"

namespace ow::conform {
namespace {

using golden::Op;
using golden::Type;

template <typename E>
E named(const std::string& name, int count) {
  for (int k = 0; k < count; ++k) {
    const char* known = isa::name_of(static_cast<E>(k));
    if (known != nullptr && name == known) return static_cast<E>(k);
  }
  throw Refused("'" + name + "'");
}

bool is_float(Type type) { return type == Type::F16 || type == Type::BF16 || type == Type::F32; }
bool is_reduction(Op op) {
  return op == Op::Dot || op == Op::Sum || op == Op::RMax || op == Op::RMin;
}

uint32_t sign_of(Type type) { return type == Type::F32 ? 0x80000000 : 0x8000; }
uint32_t infinity_of(Type type) {
  return type == Type::F16 ? golden::kInf16 : type == Type::BF16 ? golden::kInfB16 : golden::kInf32;
}
bool is_nan(Type type, uint32_t x) { return (x & (sign_of(type) - 1)) > infinity_of(type); }
bool is_zero(Type type, uint32_t x) { return (x & (sign_of(type) - 1)) == 0; }
bool is_subnormal(Type type, uint32_t x) {
  const uint32_t fraction = type == Type::F16 ? 0x3FF : type == Type::BF16 ? 0x7F : 0x7FFFFF;
  return !is_zero(type, x) && (x & (sign_of(type) - 1)) <= fraction;
}
uint32_t bits_of(Type type) {
  return type == Type::I8 ? 8 : type == Type::F32 || type == Type::I32 ? 32 : 16;
}

struct Element {
  Op op;
  Type type, result;
  uint32_t a, b, c;
};

uint32_t right(const Element& e) {
  return e.op == Op::Cvt ? golden::convert(e.type, e.result, e.a)
                         : golden::apply(e.op, e.type, e.a, e.b, e.c);
}

// One step of an encoding towards zero, if the result is an ordinary number.
uint32_t toward_zero(Type type, uint32_t r) {
  const bool ordinary =
      !is_nan(type, r) && !is_zero(type, r) && (r & (sign_of(type) - 1)) != infinity_of(type);
  return ordinary ? r - 1 : r;
}

uint32_t wrong_float(const Element& e, const Wrong& wrong) {
  const Type to = golden::result_type(e.op == Op::Cvt ? e.result : e.type);
  const uint32_t r = right(e);
  if (!is_float(to)) return r;
  if (wrong("subnormals are flushed") && is_subnormal(to, r)) return r & sign_of(to);
  if (wrong("nan keeps a payload") && is_nan(to, r)) return r | 1;
  if (wrong("nan has a sign") && is_nan(to, r)) return r | sign_of(to);
  if (wrong("overflow saturates") && (r & (sign_of(to) - 1)) == infinity_of(to)) {
    return toward_zero(to, r) == r ? r - 1 : r;
  }
  if (wrong("zeros lose their sign") && is_zero(to, r)) return 0;
  return r;
}

uint32_t wrong_operation(const Element& e, const Wrong& wrong) {
  const Type to = golden::result_type(e.type);
  const uint32_t r = right(e);
  const bool sums = e.op == Op::Add || e.op == Op::Sub;
  if (wrong("add rounds down") && e.op == Op::Add && e.type == Type::F16) {
    const double exact = static_cast<double>(golden::f16_to_double(static_cast<uint16_t>(e.a))) +
                         golden::f16_to_double(static_cast<uint16_t>(e.b));
    const double got = golden::f16_to_double(static_cast<uint16_t>(r));
    return std::fabs(got) > std::fabs(exact) ? toward_zero(to, r) : r;
  }
  if (wrong("sub exchanges its operands") && e.op == Op::Sub) {
    return golden::apply(Op::Sub, e.type, e.b, e.a, 0);
  }
  if (wrong("fma rounds its product") && e.op == Op::Fma && is_float(e.type)) {
    return golden::apply(Op::Add, e.type, golden::apply(Op::Mul, e.type, e.a, e.b, 0), e.c, 0);
  }
  if (wrong("mixed rounds its product to 16 bits") && e.op == Op::Fma && e.type != to) {
    const Type from = golden::source_type(e.type);
    const uint32_t product = golden::apply(Op::Mul, from, e.a, e.b, 0);
    return golden::apply(Op::Add, to, golden::convert(from, to, product), e.c, 0);
  }
  const bool extreme = e.op == Op::Max || e.op == Op::Min;
  if (wrong("max and min drop a nan") && extreme && is_float(e.type)) {
    if (is_nan(e.type, e.a) && !is_nan(e.type, e.b)) return e.b;
    if (is_nan(e.type, e.b) && !is_nan(e.type, e.a)) return e.a;
  }
  if (wrong("max takes the second zero") && extreme && is_float(e.type) && is_zero(e.type, e.a) &&
      is_zero(e.type, e.b)) {
    return e.b;
  }
  if (wrong("cmplt is cmple") && e.op == Op::CmpLt)
    return golden::apply(Op::CmpLe, e.type, e.a, e.b, 0);
  if (wrong("cmpne of a nan is 0") && e.op == Op::CmpNe && is_float(e.type) &&
      (is_nan(e.type, e.a) || is_nan(e.type, e.b))) {
    return 0;
  }
  if (wrong("sra fills with zeros") && e.op == Op::Sra)
    return golden::apply(Op::Srl, e.type, e.a, e.b, 0);
  if (wrong("a shift saturates") && (e.op == Op::Sll || e.op == Op::Srl)) {
    return (e.b & (bits_of(e.type) == 32 ? ~0u : 0xFFFFu)) >= bits_of(e.type) ? 0 : r;
  }
  if (wrong("gate keeps at zero") && e.op == Op::Gate && e.b == 0) return e.a;
  if (wrong("integer sums saturate") && sums && !is_float(e.type)) {
    const bool wide = e.type == Type::I32;
    const int64_t a = wide ? static_cast<int32_t>(e.a) : static_cast<int16_t>(e.a);
    const int64_t b = wide ? static_cast<int32_t>(e.b) : static_cast<int16_t>(e.b);
    const int64_t high = wide ? INT32_MAX : INT16_MAX, low = wide ? INT32_MIN : INT16_MIN;
    const auto s = static_cast<uint32_t>(std::clamp(e.op == Op::Add ? a + b : a - b, low, high));
    return wide ? s : s & 0xFFFF;
  }
  return r;
}

uint32_t wrong_cast(const Element& e, const Wrong& wrong) {
  const uint32_t r = right(e);
  const bool to_integer = is_float(e.type) && !is_float(e.result);
  const bool from_integer = !is_float(e.type) && is_float(e.result);
  if (wrong("nan casts to the least integer") && to_integer && is_nan(e.type, e.a)) {
    return 1u << (bits_of(e.result) - 1);
  }
  if (wrong("float casts truncate") && to_integer) {
    const uint32_t f = golden::convert(e.type, Type::F32, e.a);
    const float cut = std::trunc(golden::bits_to_float(f));
    return golden::convert(Type::F32, e.result, golden::float_to_bits(cut));
  }
  if (wrong("casts to bytes wrap") && to_integer && e.result == Type::I8 && !is_nan(e.type, e.a)) {
    return golden::convert(e.type, Type::I32, e.a) & 0xFF;
  }
  if (wrong("integer casts wrap") && !is_float(e.type) && !is_float(e.result)) {
    const uint32_t wide = golden::convert(e.type, Type::I32, e.a);
    return bits_of(e.result) == 32 ? wide : wide & ((1u << bits_of(e.result)) - 1);
  }
  if (wrong("integers become floats cut off") && from_integer &&
      bits_of(e.result) < bits_of(e.type)) {
    return toward_zero(e.result, r);
  }
  if (wrong("narrow casts cut off") && e.type == Type::F32 && e.result == Type::BF16 &&
      !is_nan(e.type, e.a)) {
    return e.a >> 16;
  }
  return r;
}

uint32_t wrong_function(const Element& e, const Wrong& wrong) {
  const uint32_t r = right(e);
  const auto spoiled = [&](Op op) {
    return e.op == op && (e.a & 0x3F) == 0x15 ? toward_zero(e.type, r) : r;
  };
  if (wrong("rcp is an ulp off")) return spoiled(Op::Rcp);
  if (wrong("exp is an ulp off")) return spoiled(Op::Exp);
  if (wrong("tanh is an ulp off")) return spoiled(Op::Tanh);
  if (wrong("sigmoid is an ulp off")) return spoiled(Op::Sigmoid);
  if (wrong("rsqrt of -0 is nan") && e.op == Op::Rsqrt && e.a == sign_of(e.type)) {
    return e.type == Type::F16 ? golden::kNan16 : golden::kNanB16;
  }
  if (wrong("log of 0 is nan") && e.op == Op::Log && is_zero(e.type, e.a)) {
    return e.type == Type::F16 ? golden::kNan16 : golden::kNanB16;
  }
  return r;
}

uint32_t element(const Element& e, const Wrong& wrong) {
  if (wrong.fault.empty()) return right(e);
  const uint32_t r = right(e);
  for (const auto spoil :
       {wrong_float, e.op == Op::Cvt ? wrong_cast : wrong_operation, wrong_function}) {
    const uint32_t w = spoil(e, wrong);
    if (w != r) return w;
  }
  return r;
}

// The sums of N6 in an order that is not its order.
std::optional<uint32_t> wrong_sum(const Call& call, Op op, Type type, Type result,
                                  const Wrong& wrong) {
  const uint32_t *a = call.operands.data(), *b = a + call.count;
  if (!is_float(type) || (op != Op::Dot && op != Op::Sum)) return std::nullopt;
  size_t partials = 0;
  if (wrong("sums are sequential")) partials = 1;
  if (wrong("sums have eight partial results")) partials = 8;
  const bool neighbours = wrong("the tree joins neighbours"),
             rounds = wrong("products of dot are rounded");
  if (neighbours || rounds) partials = golden::kPartials;
  if (partials == 0) return std::nullopt;
  std::vector<uint32_t> p(partials, 0);
  for (size_t i = 0; i < call.count; ++i) {
    const uint32_t x = golden::convert(type, Type::F32, a[i]);
    uint32_t& sum = p[i % partials];
    if (op == Op::Sum) {
      sum = golden::f32_add(x, sum);
    } else if (rounds) {
      sum = golden::f32_add(
          golden::convert(type, Type::F32, golden::apply(Op::Mul, type, a[i], b[i])), sum);
    } else {
      sum = golden::f32_fma(x, golden::convert(type, Type::F32, b[i]), sum);
    }
  }
  for (size_t half = partials / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i)
      p[i] =
          neighbours ? golden::f32_add(p[2 * i], p[2 * i + 1]) : golden::f32_add(p[i], p[i + half]);
  }
  return result == Type::F32 ? p[0] : golden::convert(Type::F32, result, p[0]);
}

}  // namespace

std::vector<uint32_t> golden_call(const Call& call, const Wrong& wrong) {
  const Op op = named<Op>(call.op, 64);
  const Type type = named<Type>(call.type, 8), result = named<Type>(call.result, 8);
  const size_t n = call.count, have = n == 0 ? 0 : call.operands.size() / n;
  if (have == 0 || have > 3 || call.operands.size() % n != 0)
    throw Refused("operands of another number");
  if (is_reduction(op)) {
    if (op == Op::Dot && have < 2) throw Refused("dot of one operand");
    if (const auto spoiled = wrong_sum(call, op, type, result, wrong)) return {*spoiled};
    const bool extreme = op == Op::RMax || op == Op::RMin;
    if (extreme && wrong("a maximum starts from 0")) {
      std::vector<uint32_t> a(call.operands.begin(), call.operands.begin() + static_cast<long>(n));
      a.push_back(0);
      return {golden::reduce(op, type, result, a.data(), nullptr, a.size())};
    }
    return {golden::reduce(op, type, result, call.operands.data(), call.operands.data() + n, n)};
  }
  std::vector<uint32_t> results;
  for (size_t i = 0; i < n; ++i) {
    const auto at = [&](size_t k) { return k < have ? call.operands[k * n + i] : 0; };
    results.push_back(element({op, type, result, at(0), at(1), at(2)}, wrong));
  }
  return results;
}

}  // namespace ow::conform
