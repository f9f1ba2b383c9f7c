// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/nonlinear.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "ow/base/error.h"
#include "ow/golden/formats.h"

namespace ow::golden {
namespace {

// Bound of the relative error of a library function and one operation after it. It is a few units
// in the last place; 64 is safe.
constexpr long double kError = 64 * std::numeric_limits<long double>::epsilon();

// ln 2 in two parts. The first has 15 bits, so its product with an exponent of 8 bits is exact.
constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLn2High = 0x1.62e4p-1f;
constexpr float kLn2Low = 0x1.7f7d1cp-20f;
constexpr float kInverseFactorial[] = {1.0f,      1.0f,       1.0f / 2,   1.0f / 6,
                                       1.0f / 24, 1.0f / 120, 1.0f / 720, 1.0f / 5040};

struct Format {
  int fraction;  // bits
  int bias;

  uint16_t inf() const { return static_cast<uint16_t>((2 * bias + 1) << fraction); }
  uint16_t nan() const { return static_cast<uint16_t>(inf() | 1 << (fraction - 1)); }
  uint16_t one() const { return static_cast<uint16_t>(bias << fraction); }
};

constexpr Format kF16{10, 15};
constexpr Format kBf16{7, 127};

long double value(const Format& f, uint16_t x) {
  const int exponent = (x & 0x7FFF) >> f.fraction;
  const int fraction = x & ((1 << f.fraction) - 1);
  long double v;
  if (exponent == 2 * f.bias + 1) {
    v = fraction != 0 ? std::numeric_limits<long double>::quiet_NaN()
                      : std::numeric_limits<long double>::infinity();
  } else if (exponent == 0) {
    v = std::ldexp(static_cast<long double>(fraction), 1 - f.bias - f.fraction);
  } else {
    v = std::ldexp(static_cast<long double>(fraction + (1 << f.fraction)),
                   exponent - f.bias - f.fraction);
  }
  return (x & 0x8000) != 0 ? -v : v;
}

// |v| in units of the last place that f has for it. *exponent is the exponent of its binade, but at
// least that of the subnormal numbers.
long double scaled(const Format& f, long double v, int* exponent) {
  std::frexp(v, exponent);
  *exponent = std::max(*exponent - 1, 1 - f.bias);
  return std::ldexp(std::fabs(v), f.fraction - *exponent);
}

// v, taken as an exact value, rounded to nearest even.
uint16_t round_to(const Format& f, long double v) {
  const uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  if (v == 0) return sign;
  if (std::isinf(v)) return sign | f.inf();
  int exponent;
  const long double units = scaled(f, v, &exponent);
  if (exponent > f.bias) return sign | f.inf();
  const long double floor = std::floor(units);
  int n = static_cast<int>(floor);
  const long double rest = units - floor;
  if (rest > 0.5L || (rest == 0.5L && n % 2 != 0)) ++n;
  // n includes the leading one of a normal number, which adds one to the exponent below.
  return sign | static_cast<uint16_t>(((exponent + f.bias - 1) << f.fraction) + n);
}

// The function itself, for finite x that is not a special case.
long double evaluate(Nlf fn, long double x) {
  switch (fn) {
    case Nlf::kReciprocal:
      return 1 / x;
    case Nlf::kReciprocalSqrt:
      return 1 / std::sqrt(x);
    case Nlf::kExp:
      return std::exp(x);
    case Nlf::kLog:
      return std::log(x);
    case Nlf::kTanh:
      return std::tanh(x);
    case Nlf::kSigmoid:
      // Neither side has cancellation.
      return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  }
  throw InternalError("nlf: no such function");
}

// True if fn(x) is a special value, which goes to *y.
bool special(Nlf fn, const Format& f, uint16_t x, uint16_t* y) {
  const uint16_t magnitude = x & 0x7FFF;
  const uint16_t sign = x & 0x8000;
  const bool inf = magnitude == f.inf();
  const bool zero = magnitude == 0;
  if (magnitude > f.inf()) {
    *y = f.nan();
    return true;
  }
  switch (fn) {
    case Nlf::kReciprocal:
      *y = inf ? sign : sign | f.inf();
      return inf || zero;
    case Nlf::kReciprocalSqrt:
      *y = zero ? sign | f.inf() : sign != 0 ? f.nan() : 0;
      return inf || zero || sign != 0;
    case Nlf::kExp:
      *y = zero ? f.one() : sign != 0 ? 0 : f.inf();
      return inf || zero;
    case Nlf::kLog:
      *y = zero ? 0x8000 | f.inf() : sign != 0 ? f.nan() : inf ? f.inf() : 0;
      return inf || zero || sign != 0 || magnitude == f.one();
    case Nlf::kTanh:
      *y = zero ? x : sign | f.one();
      return inf || zero;
    case Nlf::kSigmoid:
      *y = zero ? static_cast<uint16_t>(f.one() - (1 << f.fraction)) : sign != 0 ? 0 : f.one();
      return inf || zero;
  }
  throw InternalError("nlf: no such function");
}

uint16_t nlf(Nlf fn, const Format& f, uint16_t x) {
  uint16_t y;
  if (special(fn, f, x, &y)) return y;
  const long double v = evaluate(fn, value(f, x));
  y = round_to(f, v * (1 - kError));
  if (y != round_to(f, v * (1 + kError))) {
    throw InternalError("nlf: the rounding of function " + std::to_string(static_cast<int>(fn)) +
                        " at encoding " + std::to_string(x) + " is not decided");
  }
  return y;
}

}  // namespace

uint16_t nlf_f16(Nlf fn, uint16_t x) { return nlf(fn, kF16, x); }
uint16_t nlf_bf16(Nlf fn, uint16_t x) { return nlf(fn, kBf16, x); }

long double nlf_value(bool bf16, uint16_t x) { return value(bf16 ? kBf16 : kF16, x); }

long double nlf_margin(Nlf fn, bool bf16, uint16_t x) {
  const Format& f = bf16 ? kBf16 : kF16;
  uint16_t y;
  if (special(fn, f, x, &y)) return 1;
  const long double v = evaluate(fn, value(f, x));
  if (v == 0 || std::isinf(v)) return 1;
  int exponent;
  const long double units = scaled(f, v, &exponent);
  return std::min(std::fabs(units - std::floor(units) - 0.5L) / units, 1.0L);
}

uint32_t f32_rcp(uint32_t v, int steps) {
  const uint32_t one = float_to_bits(1.0f);
  uint32_t r = bf16_to_f32(nlf_bf16(Nlf::kReciprocal, f32_to_bf16(v)));
  const uint32_t minus_v = f32_mul(v, float_to_bits(-1.0f));
  for (int step = 0; step < steps; ++step) {
    const uint32_t e = f32_fma(minus_v, r, one);
    r = f32_fma(r, e, r);
  }
  return r;
}

uint32_t f32_rsqrt(uint32_t v, int steps) {
  const uint32_t half = float_to_bits(0.5f);
  uint32_t r = bf16_to_f32(nlf_bf16(Nlf::kReciprocalSqrt, f32_to_bf16(v)));
  const uint32_t minus_half_v = f32_mul(v, float_to_bits(-0.5f));
  for (int step = 0; step < steps; ++step) {
    const uint32_t s = f32_mul(r, r);
    const uint32_t e = f32_fma(minus_half_v, s, half);
    r = f32_fma(r, e, r);
  }
  return r;
}

uint32_t f32_exp(uint32_t x) {
  x = f32_min(f32_max(x, float_to_bits(-87.0f)), float_to_bits(88.0f));
  const uint32_t n = static_cast<uint32_t>(f32_to_int(f32_mul(x, float_to_bits(kLog2E)), 32));
  const uint32_t f = int_to_f32(static_cast<int32_t>(n));
  uint32_t r = f32_fma(f, float_to_bits(-kLn2High), x);
  r = f32_fma(f, float_to_bits(-kLn2Low), r);
  uint32_t p = float_to_bits(kInverseFactorial[7]);
  for (int k = 6; k >= 0; --k) p = f32_fma(p, r, float_to_bits(kInverseFactorial[k]));
  return p + (n << 23);
}

uint32_t f32_exp_by_f16(uint32_t x) {
  const uint16_t h = f32_to_f16(x);
  const uint32_t rest = f32_sub(x, f16_to_f32(h));
  const uint32_t y = f16_to_f32(nlf_f16(Nlf::kExp, h));
  return f32_fma(y, rest, y);
}

}  // namespace ow::golden
