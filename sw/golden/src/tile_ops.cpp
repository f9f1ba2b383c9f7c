// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/tile_ops.h"

#include <algorithm>
#include <string>

#include "ow/base/error.h"
#include "ow/golden/nonlinear.h"

namespace ow::golden {
namespace {

using u128 = unsigned __int128;

struct Format {
  int precision;  // bits, including the hidden one
  int bias;
  int exp_bits;
  uint32_t nan;
};

Format format(Type type) {
  switch (type) {
    case Type::F16:
      return {11, 15, 5, 0x7E00};
    case Type::BF16:
      return {8, 127, 8, 0x7FC0};
    case Type::F32:
      return {24, 127, 8, 0x7FC00000};
    default:
      throw InternalError("no floating-point type");
  }
}

bool is_float(Type type) { return type == Type::F16 || type == Type::BF16 || type == Type::F32; }

// (-1)^sign * mant * 2^exp, or infinity, or NaN.
struct Number {
  bool nan = false;
  bool inf = false;
  bool sign = false;
  u128 mant = 0;
  int exp = 0;
};

Number unpack(Type type, uint32_t bits) {
  const Format f = format(type);
  const uint32_t frac_bits = static_cast<uint32_t>(f.precision - 1);
  const uint32_t frac = bits & ((1u << frac_bits) - 1);
  const uint32_t exponent = bits >> frac_bits & ((1u << f.exp_bits) - 1);
  Number n;
  n.sign = (bits >> (frac_bits + static_cast<uint32_t>(f.exp_bits)) & 1) != 0;
  if (exponent == (1u << f.exp_bits) - 1) {
    n.nan = frac != 0;
    n.inf = frac == 0;
    return n;
  }
  n.mant = exponent == 0 ? frac : frac | 1u << frac_bits;
  n.exp = std::max<int>(static_cast<int>(exponent), 1) - f.bias - (f.precision - 1);
  return n;
}

int bit_length(u128 x) {
  int n = 0;
  while (x != 0) {
    x >>= 1;
    ++n;
  }
  return n;
}

uint32_t infinity(Type type, bool sign) {
  const Format f = format(type);
  const uint32_t e = ((1u << f.exp_bits) - 1) << (f.precision - 1);
  return e | (sign ? 1u << (f.precision - 1 + f.exp_bits) : 0);
}

// Rounds to nearest even. With `random` it adds that 16-bit number below the last place kept
// instead and truncates. A zero keeps its sign.
uint32_t round(Type type, const Number& n, const uint16_t* random = nullptr) {
  const Format f = format(type);
  if (n.nan) return f.nan;
  if (n.inf) return infinity(type, n.sign);
  const uint32_t sign = n.sign ? 1u << (f.precision - 1 + f.exp_bits) : 0;
  if (n.mant == 0) return sign;
  const int lsb_min = 1 - f.bias - (f.precision - 1);
  int lsb = std::max(bit_length(n.mant) + n.exp - f.precision, lsb_min);
  u128 kept = 0;
  if (lsb <= n.exp) {
    kept = n.mant << (n.exp - lsb);
  } else {
    const int drop = lsb - n.exp;
    if (random != nullptr) {
      // The random number has its top bit just below the last place kept.
      const u128 scaled = drop <= 16         ? n.mant << (16 - drop)
                          : drop - 16 >= 128 ? 0
                                             : n.mant >> (drop - 16);
      kept = (scaled + *random) >> 16;
    } else {
      kept = drop >= 128 ? 0 : n.mant >> drop;
      const u128 half = drop > 128 ? 0 : u128{1} << (drop - 1);
      const u128 rest = drop >= 128 ? n.mant : n.mant & ((u128{1} << drop) - 1);
      if (drop <= 128 && (rest > half || (rest == half && (kept & 1) != 0))) ++kept;
    }
  }
  if (bit_length(kept) > f.precision) {
    kept >>= 1;
    ++lsb;
  }
  if (kept == 0) return sign;
  if (bit_length(kept) < f.precision) return sign | static_cast<uint32_t>(kept);  // subnormal
  const int exponent = lsb + (f.precision - 1) + f.bias;
  if (exponent >= (1 << f.exp_bits) - 1) return infinity(type, n.sign);
  const uint32_t frac = static_cast<uint32_t>(kept) & ((1u << (f.precision - 1)) - 1);
  return sign | static_cast<uint32_t>(exponent) << (f.precision - 1) | frac;
}

Number multiply(const Number& a, const Number& b) {
  Number n;
  n.sign = a.sign != b.sign;
  n.nan = a.nan || b.nan || (a.inf && !b.inf && b.mant == 0) || (b.inf && !a.inf && a.mant == 0);
  n.inf = !n.nan && (a.inf || b.inf);
  n.mant = a.mant * b.mant;
  n.exp = a.exp + b.exp;
  return n;
}

// Exact, except for low bits of the smaller operand, which become one sticky bit.
Number add(Number a, Number b) {
  if (a.nan || b.nan || (a.inf && b.inf && a.sign != b.sign)) {
    Number n;
    n.nan = true;
    return n;
  }
  if (a.inf) return a;
  if (b.inf) return b;
  if (a.mant == 0 && b.mant == 0) {
    a.sign = a.sign && b.sign;
    return a;
  }
  if (a.mant == 0) return b;
  if (b.mant == 0) return a;
  if (bit_length(a.mant) + a.exp < bit_length(b.mant) + b.exp) std::swap(a, b);
  // a has the larger top bit: bring it to 110 bits, and b to its exponent with a sticky bit.
  const int up = 110 - bit_length(a.mant);
  a.mant <<= up;
  a.exp -= up;
  const int shift = b.exp - a.exp;
  if (shift >= 0) {
    b.mant <<= shift;
  } else if (-shift >= 128) {
    b.mant = 1;
  } else {
    const bool sticky = (b.mant & ((u128{1} << -shift) - 1)) != 0;
    b.mant = b.mant >> -shift | (sticky ? 1 : 0);
  }
  Number n = a;
  if (a.sign == b.sign) {
    n.mant = a.mant + b.mant;
  } else if (a.mant >= b.mant) {
    n.mant = a.mant - b.mant;
  } else {
    n.mant = b.mant - a.mant;
    n.sign = b.sign;
  }
  if (n.mant == 0) n.sign = false;
  return n;
}

// -1, 0, 1, or 2 for unordered.
int compare(const Number& a, const Number& b) {
  if (a.nan || b.nan) return 2;
  if (a.inf || b.inf) {
    const int x = a.inf ? (a.sign ? -1 : 1) : 0;
    const int y = b.inf ? (b.sign ? -1 : 1) : 0;
    return x < y ? -1 : x > y ? 1 : 0;
  }
  Number c = b;
  c.sign = !c.sign;
  const Number d = add(a, c);
  return d.mant == 0 ? 0 : d.sign ? -1 : 1;
}

int bits_of(Type type) { return 8 * type_bytes(type); }

uint32_t mask_of(Type type) { return bits_of(type) == 32 ? ~0u : (1u << bits_of(type)) - 1; }

int64_t to_signed(Type type, uint32_t x) {
  const int n = bits_of(type);
  const int64_t v = static_cast<int64_t>(x & mask_of(type));
  return (v >> (n - 1) & 1) != 0 ? v - (int64_t{1} << n) : v;
}

uint32_t saturate(Type to, int64_t v) {
  const int n = bits_of(to);
  v = std::min(v, (int64_t{1} << (n - 1)) - 1);
  v = std::max(v, -(int64_t{1} << (n - 1)));
  return static_cast<uint32_t>(v) & mask_of(to);
}

uint32_t float_max(Type type, uint32_t a, uint32_t b, bool larger) {
  const Number x = unpack(type, a);
  const Number y = unpack(type, b);
  const int c = compare(x, y);
  if (c == 2) return format(type).nan;
  if (c == 0) {
    if (x.sign == y.sign) return a;
    return x.sign == larger ? b : a;  // -0 is below +0
  }
  return (c > 0) == larger ? a : b;
}

uint32_t integer(Op op, Type type, uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t mask = mask_of(type);
  const uint32_t width = static_cast<uint32_t>(bits_of(type));
  const int64_t sa = to_signed(type, a);
  const int64_t sb = to_signed(type, b);
  switch (op) {
    case Op::Add:
      return (a + b) & mask;
    case Op::Sub:
      return (a - b) & mask;
    case Op::Mul:
      return (a * b) & mask;
    case Op::Fma:
      return (a * b + c) & mask;
    case Op::Max:
      return (sa >= sb ? a : b) & mask;
    case Op::Min:
      return (sa <= sb ? a : b) & mask;
    case Op::And:
      return a & b & mask;
    case Op::Or:
      return (a | b) & mask;
    case Op::Xor:
      return (a ^ b) & mask;
    case Op::Sll:
      return (a & mask) << (b % width) & mask;
    case Op::Srl:
      return (a & mask) >> (b % width);
    case Op::Sra:
      return static_cast<uint32_t>(sa >> (b % width)) & mask;
    case Op::Gate:
      return sb > 0 ? a & mask : 0;
    case Op::CmpEq:
      return sa == sb ? 1 : 0;
    case Op::CmpNe:
      return sa != sb ? 1 : 0;
    case Op::CmpLt:
      return sa < sb ? 1 : 0;
    case Op::CmpLe:
      return sa <= sb ? 1 : 0;
    default:
      throw InternalError("not an integer operation");
  }
}

}  // namespace

const char* type_name(Type type) { return isa::name_of(type); }

const char* op_name(Op op) {
  const char* name = isa::name_of(op);
  return name != nullptr ? name : "?";
}

int type_bytes(Type type) {
  switch (type) {
    case Type::F32:
    case Type::I32:
      return 4;
    case Type::I8:
      return 1;
    default:
      return 2;
  }
}

Type source_type(Type type) {
  return type == Type::Mixed ? Type::F16 : type == Type::MixedB ? Type::BF16 : type;
}

Type result_type(Type type) {
  return type == Type::Mixed || type == Type::MixedB ? Type::F32 : type;
}

static Nlf nonlinear(Op op) {
  switch (op) {
    case Op::Rcp:
      return Nlf::kReciprocal;
    case Op::Rsqrt:
      return Nlf::kReciprocalSqrt;
    case Op::Exp:
      return Nlf::kExp;
    case Op::Log:
      return Nlf::kLog;
    case Op::Tanh:
      return Nlf::kTanh;
    default:
      return Nlf::kSigmoid;
  }
}

uint32_t apply(Op op, Type type, uint32_t a, uint32_t b, uint32_t c) {
  if (op == Op::Mov) return a & mask_of(type);
  const Type from = source_type(type);
  const Type to = result_type(type);
  if (!is_float(from)) return integer(op, type, a, b, c);
  const Number x = unpack(from, a);
  switch (op) {
    case Op::Add:
      return round(to, add(x, unpack(from, b)));
    case Op::Sub: {
      Number y = unpack(from, b);
      y.sign = !y.sign;
      return round(to, add(x, y));
    }
    case Op::Mul:
      return round(to, multiply(x, unpack(from, b)));
    case Op::Fma:
      return round(to, add(multiply(x, unpack(from, b)), unpack(to, c)));
    case Op::Max:
      return float_max(from, a, b, true);
    case Op::Min:
      return float_max(from, a, b, false);
    case Op::CmpEq:
    case Op::CmpNe:
    case Op::CmpLt:
    case Op::CmpLe: {
      const int r = compare(x, unpack(from, b));
      const bool yes = op == Op::CmpEq   ? r == 0
                       : op == Op::CmpNe ? r != 0
                       : op == Op::CmpLt ? r == -1
                                         : r == -1 || r == 0;
      return yes ? convert(Type::I32, from, 1) : 0;
    }
    case Op::Rcp:
    case Op::Rsqrt:
    case Op::Exp:
    case Op::Log:
    case Op::Tanh:
    case Op::Sigmoid:
      if (from != Type::F16 && from != Type::BF16) break;
      return from == Type::BF16 ? nlf_bf16(nonlinear(op), static_cast<uint16_t>(a))
                                : nlf_f16(nonlinear(op), static_cast<uint16_t>(a));
    default:
      break;
  }
  throw InternalError(std::string("operation ") + op_name(op) + " has no type " + type_name(type));
}

uint32_t convert(Type from, Type to, uint32_t a) {
  if (is_float(from)) {
    const Number x = unpack(from, a);
    if (is_float(to)) return round(to, x);
    if (x.nan) return 0;
    const int64_t limit = int64_t{1} << 40;  // beyond every integer type
    if (x.inf) return saturate(to, x.sign ? -limit : limit);
    int64_t v = 0;
    if (x.exp >= 0) {
      v = bit_length(x.mant) + x.exp > 40 ? limit : static_cast<int64_t>(x.mant << x.exp);
    } else if (-x.exp < 64) {
      const u128 rest = x.mant & ((u128{1} << -x.exp) - 1);
      const u128 half = u128{1} << (-x.exp - 1);
      v = static_cast<int64_t>(x.mant >> -x.exp);
      if (rest > half || (rest == half && (v & 1) != 0)) ++v;
    }
    return saturate(to, x.sign ? -v : v);
  }
  const int64_t v = to_signed(from, a);
  if (!is_float(to)) return saturate(to, v);
  Number n;
  n.sign = v < 0;
  n.mant = static_cast<u128>(v < 0 ? -v : v);
  return round(to, n);
}

uint32_t convert_stochastic(Type to, uint32_t a, uint16_t random) {
  return round(to, unpack(Type::F32, a), &random);
}

uint32_t reduce(Op op, Type type, Type result, const uint32_t* a, const uint32_t* b, size_t n) {
  uint32_t p[kPartials];
  const bool flt = is_float(type);
  // Sums are fp32 or int32; maxima and minima keep their type.
  const bool extreme = op == Op::RMax || op == Op::RMin;
  const Type work = extreme ? type : flt ? Type::F32 : Type::I32;
  uint32_t start = 0;
  if (extreme && flt) start = infinity(type, op == Op::RMax);
  if (extreme && !flt) {
    const uint32_t least = 1u << (bits_of(type) - 1);
    start = op == Op::RMax ? least : least - 1;
  }
  std::fill(p, p + kPartials, start);
  const auto join = [&](uint32_t x, uint32_t y) {
    if (extreme) return apply(op == Op::RMax ? Op::Max : Op::Min, work, x, y);
    return apply(Op::Add, work, x, y);
  };
  for (size_t i = 0; i < n; ++i) {
    uint32_t& sum = p[i % kPartials];
    if (extreme) {
      sum = join(sum, a[i]);
    } else if (!flt) {
      const int64_t x = to_signed(type, a[i]);
      sum += static_cast<uint32_t>(op == Op::Dot ? x * to_signed(type, b[i]) : x);
    } else {
      const Number x = unpack(type, a[i]);
      const Number term = op == Op::Dot ? multiply(x, unpack(type, b[i])) : x;
      sum = round(Type::F32, add(term, unpack(Type::F32, sum)));
    }
  }
  const uint32_t s = join_partials(p, join);
  if (flt) return work == result ? round(result, unpack(work, s)) : convert(work, result, s);
  return static_cast<uint32_t>(to_signed(work, s)) & mask_of(result);
}

uint32_t Xoshiro128Plus::next() {
  const auto rotate = [](uint32_t x, int k) { return x << k | x >> (32 - k); };
  const uint32_t result = s_[0] + s_[3];
  const uint32_t t = s_[1] << 9;
  s_[2] ^= s_[0];
  s_[3] ^= s_[1];
  s_[1] ^= s_[2];
  s_[0] ^= s_[3];
  s_[2] ^= t;
  s_[3] = rotate(s_[3], 11);
  return result;
}

}  // namespace ow::golden
