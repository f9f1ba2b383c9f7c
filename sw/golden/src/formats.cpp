// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/formats.h"

#include <array>
#include <cmath>

namespace ow::golden {
namespace {

// What defines a binary interchange format.
struct FloatFormat {
  int precision;   // significand bits, the hidden one included
  int last_place;  // exponent of the last place of a subnormal
  int exp_bits;
};
constexpr FloatFormat kBinary16{11, -24, 5};
constexpr FloatFormat kBfloat16{8, -133, 8};
constexpr FloatFormat kBinary32{24, -149, 8};

// A signed integer multiple of 2^-298, up to 2^341 in magnitude: two's complement, low limb first.
// The unit is the product of the smallest binary32 numbers; that of the largest is below 2^256.
constexpr int kUnit = -298;
constexpr int kLimbs = 10;
using Fixed = std::array<uint64_t, kLimbs>;

Fixed negate(Fixed x) {
  unsigned carry = 1;
  for (uint64_t& limb : x) {
    limb = ~limb + carry;
    carry = carry && limb == 0;
  }
  return x;
}

Fixed add(const Fixed& x, const Fixed& y) {
  Fixed r{};
  unsigned __int128 carry = 0;
  for (int i = 0; i < kLimbs; ++i) {
    carry += static_cast<unsigned __int128>(x[i]) + y[i];
    r[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  return r;
}

bool is_zero(const Fixed& x) {
  for (uint64_t limb : x) {
    if (limb != 0) return false;
  }
  return true;
}

bool is_negative(const Fixed& x) { return (x[kLimbs - 1] >> 63) != 0; }

bool bit(const Fixed& x, int i) { return ((x[i / 64] >> (i % 64)) & 1) != 0; }

// A decoded number: the value is (-1)^negative * integer * 2^exponent.
struct Number {
  bool nan = false;
  bool inf = false;
  bool negative = false;
  uint64_t integer = 0;
  int exponent = 0;
};

Number decode(uint32_t x, const FloatFormat& f) {
  const int fraction_bits = f.precision - 1;
  const uint32_t fraction = x & ((1u << fraction_bits) - 1);
  const uint32_t exp_max = (1u << f.exp_bits) - 1;
  const uint32_t exp = (x >> fraction_bits) & exp_max;
  Number n;
  n.negative = ((x >> (fraction_bits + f.exp_bits)) & 1) != 0;
  n.nan = exp == exp_max && fraction != 0;
  n.inf = exp == exp_max && fraction == 0;
  n.integer = exp == 0 ? fraction : fraction | (1u << fraction_bits);
  n.exponent = f.last_place + (exp == 0 ? 0 : static_cast<int>(exp) - 1);
  return n;
}

// Exact product.
Number times(const Number& a, const Number& b) {
  Number n;
  n.negative = a.negative != b.negative;
  const bool a_zero = !a.nan && !a.inf && a.integer == 0;
  const bool b_zero = !b.nan && !b.inf && b.integer == 0;
  n.nan = a.nan || b.nan || (a.inf && b_zero) || (b.inf && a_zero);
  n.inf = a.inf || b.inf;
  n.integer = a.integer * b.integer;
  n.exponent = a.exponent + b.exponent;
  return n;
}

Fixed to_fixed(const Number& n) {
  Fixed r{};
  const int shift = n.exponent - kUnit;
  r[shift / 64] = n.integer << (shift % 64);
  if (shift % 64 != 0 && shift / 64 + 1 < kLimbs) {
    r[shift / 64 + 1] = n.integer >> (64 - shift % 64);
  }
  return n.negative ? negate(r) : r;
}

uint32_t infinity(bool negative, const FloatFormat& f) {
  const uint32_t inf = ((1u << f.exp_bits) - 1) << (f.precision - 1);
  return inf | (negative ? 1u << (f.precision - 1 + f.exp_bits) : 0);
}

uint32_t canonical_nan(const FloatFormat& f) {
  return infinity(false, f) | 1u << (f.precision - 2);
}

// Rounds an exact value that is not zero to the nearest number of the format, ties to even. With
// `random`: adds it as 16 bits below the last place instead and cuts off.
uint32_t round(const Fixed& exact_value, const FloatFormat& f, const uint16_t* random = nullptr) {
  const bool negative = is_negative(exact_value);
  const Fixed x = negative ? negate(exact_value) : exact_value;
  int top = 64 * kLimbs - 1;
  while (!bit(x, top)) --top;
  // The last place of the result, as an index into x: `precision` bits from the leading one, but
  // never below the format's last place.
  int place = top - (f.precision - 1);
  if (place < f.last_place - kUnit) place = f.last_place - kUnit;
  uint64_t significand = 0;
  for (int i = top; i >= place; --i) significand = significand << 1 | (bit(x, i) ? 1 : 0);
  if (random != nullptr) {
    uint32_t below = 0;
    for (int i = place - 1; i >= place - 16; --i)
      below = below << 1 | (i >= 0 && bit(x, i) ? 1 : 0);
    if (below + *random > 0xFFFF) ++significand;
  } else if (place > 0) {
    const bool half = bit(x, place - 1);
    bool rest = false;
    for (int i = 0; i < place - 1 && !rest; ++i) rest = bit(x, i);
    if (half && (rest || (significand & 1) != 0)) ++significand;
  }
  if (significand == uint64_t{1} << f.precision) {
    significand >>= 1;
    ++place;
  }
  uint32_t exp = 0;
  if ((significand >> (f.precision - 1)) != 0) {
    exp = static_cast<uint32_t>(place - (f.last_place - kUnit)) + 1;
  }
  if (exp >= (1u << f.exp_bits) - 1) return infinity(negative, f);
  const uint32_t fraction = static_cast<uint32_t>(significand) & ((1u << (f.precision - 1)) - 1);
  return (negative ? 1u << (f.precision - 1 + f.exp_bits) : 0) | exp << (f.precision - 1) |
         fraction;
}

// x + y, rounded once.
uint32_t sum(const Number& x, const Number& y, const FloatFormat& f,
             const uint16_t* random = nullptr) {
  if (x.nan || y.nan) return canonical_nan(f);
  if (x.inf && y.inf && x.negative != y.negative) return canonical_nan(f);
  if (x.inf || y.inf) return infinity(x.inf ? x.negative : y.negative, f);
  const Fixed s = add(to_fixed(x), to_fixed(y));
  if (is_zero(s)) {
    // A sum of zeros keeps a common sign; any other exact zero is +0.
    const bool negative = x.negative && y.negative;
    return negative ? 1u << (f.precision - 1 + f.exp_bits) : 0;
  }
  return round(s, f, random);
}

// One number, rounded.
uint32_t convert(const Number& x, const FloatFormat& f, const uint16_t* random = nullptr) {
  Number zero;
  zero.negative = x.negative;
  return sum(x, zero, f, random);
}

Number integer(int32_t x) {
  Number n;
  n.negative = x < 0;
  n.integer = static_cast<uint64_t>(x < 0 ? -static_cast<int64_t>(x) : x);
  return n;
}

// The integer next to a number, ties to even, saturated.
int32_t to_integer(const Number& x, int bits) {
  const int64_t largest = (int64_t{1} << (bits - 1)) - 1;
  const int64_t limit = x.negative ? largest + 1 : largest;  // of the magnitude
  if (x.nan) return 0;
  int64_t m = 0;
  if (x.inf || x.exponent > 8) {
    m = x.inf || x.integer != 0 ? limit : 0;
  } else if (x.exponent >= 0) {
    m = static_cast<int64_t>(x.integer << x.exponent);
  } else if (x.exponent > -63) {
    const uint64_t unit = uint64_t{1} << -x.exponent;
    m = static_cast<int64_t>(x.integer / unit);
    const uint64_t rest = x.integer % unit;
    if (2 * rest > unit || (2 * rest == unit && (m & 1) != 0)) ++m;
  }
  if (m > limit) m = limit;
  return static_cast<int32_t>(x.negative ? -m : m);
}

Number opposite(Number x) {
  x.negative = !x.negative;
  return x;
}

Number d16(uint16_t x) { return decode(x, kBinary16); }
Number db16(uint16_t x) { return decode(x, kBfloat16); }
Number d32(uint32_t x) { return decode(x, kBinary32); }

uint16_t half(uint32_t x) { return static_cast<uint16_t>(x); }

// Numbers in their order, -0 before +0; not for NaN.
template <int kBits>
int64_t rank(uint32_t x) {
  const uint32_t sign = 1u << (kBits - 1);
  const int64_t magnitude = x & (sign - 1);
  return (x & sign) != 0 ? -magnitude - 1 : magnitude;
}

}  // namespace

namespace exact {

uint16_t f16_add(uint16_t a, uint16_t b) {
  return static_cast<uint16_t>(sum(d16(a), d16(b), kBinary16));
}
uint16_t f16_sub(uint16_t a, uint16_t b) {
  return static_cast<uint16_t>(sum(d16(a), opposite(d16(b)), kBinary16));
}
uint16_t f16_mul(uint16_t a, uint16_t b) {
  return static_cast<uint16_t>(convert(times(d16(a), d16(b)), kBinary16));
}
uint16_t f16_fma(uint16_t a, uint16_t b, uint16_t c) {
  return static_cast<uint16_t>(sum(times(d16(a), d16(b)), d16(c), kBinary16));
}
uint16_t bf16_add(uint16_t a, uint16_t b) { return half(sum(db16(a), db16(b), kBfloat16)); }
uint16_t bf16_sub(uint16_t a, uint16_t b) {
  return half(sum(db16(a), opposite(db16(b)), kBfloat16));
}
uint16_t bf16_mul(uint16_t a, uint16_t b) {
  return half(convert(times(db16(a), db16(b)), kBfloat16));
}
uint16_t bf16_fma(uint16_t a, uint16_t b, uint16_t c) {
  return half(sum(times(db16(a), db16(b)), db16(c), kBfloat16));
}
uint32_t mixed_fma(uint16_t a, uint16_t b, uint32_t c) {
  return sum(times(d16(a), d16(b)), d32(c), kBinary32);
}
uint32_t mixedb_fma(uint16_t a, uint16_t b, uint32_t c) {
  return sum(times(db16(a), db16(b)), d32(c), kBinary32);
}
uint32_t f32_mul(uint32_t a, uint32_t b) { return convert(times(d32(a), d32(b)), kBinary32); }
uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c) {
  return sum(times(d32(a), d32(b)), d32(c), kBinary32);
}
uint32_t f32_add(uint32_t a, uint32_t b) { return sum(d32(a), d32(b), kBinary32); }
uint32_t f32_sub(uint32_t a, uint32_t b) { return sum(d32(a), opposite(d32(b)), kBinary32); }
uint32_t f16_to_f32(uint16_t x) { return convert(d16(x), kBinary32); }
uint16_t f32_to_f16(uint32_t x) { return half(convert(d32(x), kBinary16)); }
uint32_t bf16_to_f32(uint16_t x) { return convert(db16(x), kBinary32); }
uint16_t f32_to_bf16(uint32_t x) { return half(convert(d32(x), kBfloat16)); }
uint16_t f16_to_bf16(uint16_t x) { return half(convert(d16(x), kBfloat16)); }
uint16_t bf16_to_f16(uint16_t x) { return half(convert(db16(x), kBinary16)); }
int32_t f32_to_int(uint32_t x, int bits) { return to_integer(d32(x), bits); }
uint32_t int_to_f32(int32_t x) { return convert(integer(x), kBinary32); }
uint16_t int_to_f16(int32_t x) { return half(convert(integer(x), kBinary16)); }
uint16_t int_to_bf16(int32_t x) { return half(convert(integer(x), kBfloat16)); }
uint16_t f32_to_f16_stochastic(uint32_t x, uint16_t random) {
  return half(convert(d32(x), kBinary16, &random));
}
uint16_t f32_to_bf16_stochastic(uint32_t x, uint16_t random) {
  return half(convert(d32(x), kBfloat16, &random));
}

}  // namespace exact

// Exponent and fraction where binary32 has them, then scaled (exact, subnormals too).
float f16_to_float(uint16_t x) {
  const uint32_t m = x & 0x7FFF;
  const uint32_t sign = static_cast<uint32_t>(x & 0x8000) << 16;
  if (m >= kInf16) return bits_to_float(sign | kInf32 | (m & 0x3FF) << 13);
  return bits_to_float(sign | float_to_bits(bits_to_float(m << 13) * 0x1p112f));
}

double f16_to_double(uint16_t x) { return static_cast<double>(f16_to_float(x)); }

namespace {

// Rounds a double, taken as an exact value, to a format of 16 bits.
uint16_t round_to_16(double x, const FloatFormat& f) {
  if (x != x) return half(canonical_nan(f));
  const bool negative = std::signbit(x);
  const uint16_t sign = negative ? 0x8000 : 0;
  const double m = std::fabs(x);
  if (m == 0) return sign;
  if (m == std::numeric_limits<double>::infinity()) return half(infinity(negative, f));
  int exp;
  std::frexp(m, &exp);  // m = f * 2^exp, 0.5 <= f < 1
  int place = exp - f.precision;
  if (place < f.last_place) place = f.last_place;
  // Scaled by a power of two (exact), the last place is 1; nearbyint rounds ties to even.
  const auto significand = static_cast<uint32_t>(std::nearbyint(std::ldexp(m, -place)));
  // A carry out of the significand is the next exponent, up to infinity.
  const auto exp_field = static_cast<uint32_t>(place - f.last_place);
  const uint32_t magnitude = (exp_field << (f.precision - 1)) + significand;
  const uint32_t inf = infinity(false, f);
  return static_cast<uint16_t>(sign | (magnitude > inf ? inf : magnitude));
}

// x + y as a double whose last bit also stands for what the addition lost. Rounded again to 50 bits
// or fewer, it equals the exact sum rounded once. The sum must not overflow.
double add_to_odd(double x, double y) {
  const double s = x + y;
  if (!std::isfinite(s)) return s;
  const double z = s - x;
  const double lost = (x - (s - z)) + (y - z);  // exact: x + y = s + lost
  if (lost == 0) return s;
  uint64_t bits;
  std::memcpy(&bits, &s, sizeof bits);
  // Towards the exact sum: of its two neighbours the odd one.
  if ((bits & 1) == 0) bits += (lost > 0) == (s > 0) ? 1 : -1;
  double r;
  std::memcpy(&r, &bits, sizeof r);
  return r;
}

// Rounds a binary32 number to a format of 16 bits, stochastically.
uint16_t stochastic(uint32_t x, uint16_t random, const FloatFormat& f) {
  const uint32_t m = x & 0x7FFFFFFF;
  const uint32_t sign = (x >> 16) & 0x8000;
  if (m > kInf32) return half(canonical_nan(f));
  if (m == kInf32) return half(infinity(sign != 0, f));
  const int exp = static_cast<int>(m >> 23);
  const uint64_t integer = exp == 0 ? m : (m & 0x7FFFFF) | 0x800000;
  const int unit = (exp == 0 ? 1 : exp) - 150;  // the value is integer * 2^unit
  // Bits of the last place, and the 16 below: integer * 2^(unit - place + 16), cut off.
  int place = unit + 24 - f.precision;
  if (place < f.last_place) place = f.last_place;
  const int shift = unit - place + 16;
  const uint64_t scaled = shift >= 0 ? integer << shift : shift > -64 ? integer >> -shift : 0;
  const uint32_t significand = static_cast<uint32_t>((scaled + random) >> 16);
  const uint32_t magnitude =
      (static_cast<uint32_t>(place - f.last_place) << (f.precision - 1)) + significand;
  const uint32_t inf = infinity(false, f);
  return half(sign | (magnitude > inf ? inf : magnitude));
}

}  // namespace

uint16_t round_to_f16(double x) { return round_to_16(x, kBinary16); }
uint16_t round_to_bf16(double x) { return round_to_16(x, kBfloat16); }

uint32_t f16_to_f32(uint16_t x) { return float_to_f32(f16_to_float(x)); }

uint16_t f32_to_f16(uint32_t x) {
  const auto sign = static_cast<uint16_t>((x >> 16) & 0x8000);
  const uint32_t m = x & 0x7FFFFFFF;
  if (m > kInf32) return kNan16;
  if (m >= 0x47800000) return sign | kInf16;  // 2^16
  // Subnormal: the last place of a number just above 1/2 is that of a binary16 subnormal.
  if (m < 0x38800000) {
    return static_cast<uint16_t>(sign + (float_to_bits(bits_to_float(m) + 0.5f) - 0x3F000000));
  }
  // Half a place, less one if the last place is even; a carry is the next exponent, up to infinity.
  return static_cast<uint16_t>(sign + ((m - 0x38000000 + 0xFFF + ((m >> 13) & 1)) >> 13));
}

// Sums may be rounded from binary32, since 24 >= 2 * 11 + 2; products are exact in it.
uint16_t f16_add(uint16_t a, uint16_t b) {
  return f32_to_f16(float_to_bits(f16_to_float(a) + f16_to_float(b)));
}
uint16_t f16_sub(uint16_t a, uint16_t b) {
  return f32_to_f16(float_to_bits(f16_to_float(a) - f16_to_float(b)));
}
uint16_t f16_mul(uint16_t a, uint16_t b) {
  return f32_to_f16(float_to_bits(f16_to_float(a) * f16_to_float(b)));
}
uint16_t f16_fma(uint16_t a, uint16_t b, uint16_t c) {
  return round_to_f16(add_to_odd(f16_to_double(a) * f16_to_double(b), f16_to_double(c)));
}

uint32_t bf16_to_f32(uint16_t x) { return float_to_f32(bf16_to_float(x)); }
uint16_t f32_to_bf16(uint32_t x) {
  if (is_nan32(x)) return kNanB16;
  return static_cast<uint16_t>((x + 0x7FFF + ((x >> 16) & 1)) >> 16);
}
uint16_t f16_to_bf16(uint16_t x) { return round_to_bf16(f16_to_double(x)); }
uint16_t bf16_to_f16(uint16_t x) { return round_to_f16(static_cast<double>(bf16_to_float(x))); }

int32_t f32_to_int(uint32_t x, int bits) {
  const auto v = static_cast<double>(bits_to_float(x));
  if (v != v) return 0;
  const double largest = std::ldexp(1.0, bits - 1) - 1;
  const double r = std::nearbyint(v);
  return static_cast<int32_t>(r > largest ? largest : r < -largest - 1 ? -largest - 1 : r);
}
uint32_t int_to_f32(int32_t x) { return float_to_bits(static_cast<float>(x)); }
uint16_t int_to_f16(int32_t x) { return round_to_f16(static_cast<double>(x)); }
uint16_t int_to_bf16(int32_t x) { return round_to_bf16(static_cast<double>(x)); }
int32_t saturate_int(int32_t x, int bits) {
  const auto largest = static_cast<int32_t>((int64_t{1} << (bits - 1)) - 1);
  return x > largest ? largest : x < -largest - 1 ? -largest - 1 : x;
}

uint16_t f32_to_f16_stochastic(uint32_t x, uint16_t random) {
  return stochastic(x, random, kBinary16);
}
uint16_t f32_to_bf16_stochastic(uint32_t x, uint16_t random) {
  return stochastic(x, random, kBfloat16);
}

// The sum of two numbers of 8 bits may be rounded from a double: 53 >= 2 * 8 + 2.
uint16_t bf16_add(uint16_t a, uint16_t b) {
  return round_to_bf16(static_cast<double>(bf16_to_float(a)) + bf16_to_float(b));
}
uint16_t bf16_sub(uint16_t a, uint16_t b) {
  return round_to_bf16(static_cast<double>(bf16_to_float(a)) - bf16_to_float(b));
}
uint16_t bf16_mul(uint16_t a, uint16_t b) {
  return round_to_bf16(static_cast<double>(bf16_to_float(a)) * bf16_to_float(b));
}
uint16_t bf16_fma(uint16_t a, uint16_t b, uint16_t c) {
  const double p = static_cast<double>(bf16_to_float(a)) * bf16_to_float(b);
  return round_to_bf16(add_to_odd(p, bf16_to_float(c)));
}
uint32_t mixedb_fma(uint16_t a, uint16_t b, uint32_t c) {
  const double p = static_cast<double>(bf16_to_float(a)) * bf16_to_float(b);
  return float_to_f32(static_cast<float>(add_to_odd(p, bits_to_float(c))));
}
uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c) {
  const double p = static_cast<double>(bits_to_float(a)) * bits_to_float(b);
  return float_to_f32(static_cast<float>(add_to_odd(p, bits_to_float(c))));
}

uint32_t mixed_fma(uint16_t a, uint16_t b, uint32_t c) {
  return float_to_f32(mixed_fma_value(f16_to_float(a), f16_to_float(b), bits_to_float(c)));
}

uint16_t f16_max(uint16_t a, uint16_t b) {
  if (is_nan16(a) || is_nan16(b)) return kNan16;
  return rank<16>(a) >= rank<16>(b) ? a : b;
}
uint16_t f16_min(uint16_t a, uint16_t b) {
  if (is_nan16(a) || is_nan16(b)) return kNan16;
  return rank<16>(a) <= rank<16>(b) ? a : b;
}
uint32_t f32_max(uint32_t a, uint32_t b) {
  if (is_nan32(a) || is_nan32(b)) return kNan32;
  return rank<32>(a) >= rank<32>(b) ? a : b;
}
uint32_t f32_min(uint32_t a, uint32_t b) {
  if (is_nan32(a) || is_nan32(b)) return kNan32;
  return rank<32>(a) <= rank<32>(b) ? a : b;
}

uint16_t bf16_max(uint16_t a, uint16_t b) {
  if (is_nan_b16(a) || is_nan_b16(b)) return kNanB16;
  return rank<16>(a) >= rank<16>(b) ? a : b;
}
uint16_t bf16_min(uint16_t a, uint16_t b) {
  if (is_nan_b16(a) || is_nan_b16(b)) return kNanB16;
  return rank<16>(a) <= rank<16>(b) ? a : b;
}

uint16_t bf16_relu(uint16_t x) {
  if (is_nan_b16(x)) return kNanB16;
  return (x & 0x8000) != 0 ? 0 : x;
}
uint16_t f16_relu(uint16_t x) {
  if (is_nan16(x)) return kNan16;
  return (x & 0x8000) != 0 ? 0 : x;
}
uint32_t f32_relu(uint32_t x) {
  if (is_nan32(x)) return kNan32;
  return (x & 0x80000000u) != 0 ? 0 : x;
}

}  // namespace ow::golden
