// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/formats.h"

#include <array>
#include <cmath>

namespace ow::golden {
namespace {

// What defines a binary interchange format.
struct Format {
  int precision;   // significand bits, the hidden one included
  int last_place;  // exponent of the last place of a subnormal
  int exp_bits;
};
constexpr Format kBinary16{11, -24, 5};
constexpr Format kBinary32{24, -149, 8};

// A signed integer multiple of 2^-149, up to 2^170 in magnitude: two's complement, low limb first.
constexpr int kUnit = -149;
constexpr int kLimbs = 5;
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

Number decode(uint32_t x, const Format& f) {
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

uint32_t infinity(bool negative, const Format& f) {
  const uint32_t inf = ((1u << f.exp_bits) - 1) << (f.precision - 1);
  return inf | (negative ? 1u << (f.precision - 1 + f.exp_bits) : 0);
}

uint32_t canonical_nan(const Format& f) { return infinity(false, f) | 1u << (f.precision - 2); }

// Rounds an exact value that is not zero to the nearest number of the format, ties to even.
uint32_t round(const Fixed& exact_value, const Format& f) {
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
  if (place > 0) {
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
uint32_t sum(const Number& x, const Number& y, const Format& f) {
  if (x.nan || y.nan) return canonical_nan(f);
  if (x.inf && y.inf && x.negative != y.negative) return canonical_nan(f);
  if (x.inf || y.inf) return infinity(x.inf ? x.negative : y.negative, f);
  const Fixed s = add(to_fixed(x), to_fixed(y));
  if (is_zero(s)) {
    // A sum of zeros keeps a common sign; any other exact zero is +0.
    const bool negative = x.negative && y.negative;
    return negative ? 1u << (f.precision - 1 + f.exp_bits) : 0;
  }
  return round(s, f);
}

// One number, rounded.
uint32_t convert(const Number& x, const Format& f) {
  Number zero;
  zero.negative = x.negative;
  return sum(x, zero, f);
}

Number opposite(Number x) {
  x.negative = !x.negative;
  return x;
}

Number d16(uint16_t x) { return decode(x, kBinary16); }
Number d32(uint32_t x) { return decode(x, kBinary32); }

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
uint32_t mixed_fma(uint16_t a, uint16_t b, uint32_t c) {
  return sum(times(d16(a), d16(b)), d32(c), kBinary32);
}
uint32_t f32_add(uint32_t a, uint32_t b) { return sum(d32(a), d32(b), kBinary32); }
uint32_t f32_sub(uint32_t a, uint32_t b) { return sum(d32(a), opposite(d32(b)), kBinary32); }
uint32_t f16_to_f32(uint16_t x) { return convert(d16(x), kBinary32); }
uint16_t f32_to_f16(uint32_t x) { return static_cast<uint16_t>(convert(d32(x), kBinary16)); }

}  // namespace exact

double f16_to_double(uint16_t x) {
  const Number n = d16(x);
  if (n.nan) return std::numeric_limits<double>::quiet_NaN();
  const double v = n.inf ? std::numeric_limits<double>::infinity()
                         : std::ldexp(static_cast<double>(n.integer), n.exponent);
  return n.negative ? -v : v;
}

float f16_to_float(uint16_t x) { return static_cast<float>(f16_to_double(x)); }

uint16_t round_to_f16(double x) {
  if (x != x) return kNan16;
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double m = std::fabs(x);
  if (m >= 65520.0) return sign | kInf16;  // half a place above the largest number
  if (m == 0) return sign;
  int exp;
  std::frexp(m, &exp);  // m = f * 2^exp, 0.5 <= f < 1
  int place = exp - kBinary16.precision;
  if (place < kBinary16.last_place) place = kBinary16.last_place;
  // Scaled by a power of two (exact), the last place is 1; nearbyint rounds ties to even.
  const auto significand = static_cast<uint32_t>(std::nearbyint(std::ldexp(m, -place)));
  // A carry out of the significand is the next exponent.
  const auto exp_field = static_cast<uint32_t>(place - kBinary16.last_place);
  return static_cast<uint16_t>(sign | ((exp_field << 10) + significand));
}

uint32_t f16_to_f32(uint16_t x) { return float_to_f32(f16_to_float(x)); }

uint16_t f32_to_f16(uint32_t x) { return round_to_f16(static_cast<double>(bits_to_float(x))); }

uint16_t f16_add(uint16_t a, uint16_t b) {
  return round_to_f16(f16_to_double(a) + f16_to_double(b));
}
uint16_t f16_sub(uint16_t a, uint16_t b) {
  return round_to_f16(f16_to_double(a) - f16_to_double(b));
}
uint16_t f16_mul(uint16_t a, uint16_t b) {
  return round_to_f16(f16_to_double(a) * f16_to_double(b));
}
uint16_t f16_fma(uint16_t a, uint16_t b, uint16_t c) { return exact::f16_fma(a, b, c); }

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

uint16_t f16_relu(uint16_t x) {
  if (is_nan16(x)) return kNan16;
  return (x & 0x8000) != 0 ? 0 : x;
}
uint32_t f32_relu(uint32_t x) {
  if (is_nan32(x)) return kNan32;
  return (x & 0x80000000u) != 0 ? 0 : x;
}

}  // namespace ow::golden
