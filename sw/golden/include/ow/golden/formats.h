// SPDX-License-Identifier: Apache-2.0
// The number formats: what every operation must compute, bit for bit (docs/numerics.md).
//
// Numbers are passed as their encodings: binary16 (f16) and bfloat16 (bf16) in uint16_t, binary32
// (f32) in uint32_t. Rounding is to nearest, ties to even. Subnormals are kept. A NaN result is the
// canonical NaN.
//
// There are two sets, and the tests compare them. ow::golden::exact computes from the definition:
// operands become integer multiples of 2^-298 in 640 bits, sums and products are exact integers,
// and one function rounds an integer to a format. It is slow (a hundred nanoseconds per operation)
// and obvious. ow::golden itself gives the same bits fast, with the host's float and double. Sums
// of binary16 numbers and all products are exact in a double. binary32 sums are the host's. Any
// other sum is made in a double that is rounded to odd, so that a second rounding to 24 bits or
// fewer is right.
//
// All functions are pure and safe to call from any thread. The host's rounding mode must be "to
// nearest" and its subnormals must not be flushed (both are the default of a C++ program).
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

namespace ow::golden {

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559,
              "the host's float and double must be IEEE 754");

inline constexpr uint16_t kNan16 = 0x7E00;
inline constexpr uint32_t kNan32 = 0x7FC00000;
inline constexpr uint16_t kNanB16 = 0x7FC0;
inline constexpr uint16_t kInf16 = 0x7C00;
inline constexpr uint16_t kInfB16 = 0x7F80;
inline constexpr uint32_t kInf32 = 0x7F800000;

inline constexpr bool is_nan16(uint16_t x) { return (x & 0x7FFF) > kInf16; }
inline constexpr bool is_nan_b16(uint16_t x) { return (x & 0x7FFF) > kInfB16; }
inline constexpr bool is_nan32(uint32_t x) { return (x & 0x7FFFFFFF) > kInf32; }

inline float bits_to_float(uint32_t x) {
  float f;
  std::memcpy(&f, &x, sizeof f);
  return f;
}
inline uint32_t float_to_bits(float f) {
  uint32_t x;
  std::memcpy(&x, &f, sizeof x);
  return x;
}

// The exact value of a binary16 number; a NaN stays a NaN.
double f16_to_double(uint16_t x);
float f16_to_float(uint16_t x);

// The value of a bfloat16 number: the upper half of a binary32 number.
inline float bf16_to_float(uint16_t x) { return bits_to_float(static_cast<uint32_t>(x) << 16); }

// Rounds a double, taken as an exact value, once to binary16 or bfloat16.
uint16_t round_to_f16(double x);
uint16_t round_to_bf16(double x);

// Conversions. f16_to_f32 and bf16_to_f32 are exact.
uint32_t f16_to_f32(uint16_t x);
uint16_t f32_to_f16(uint32_t x);
uint32_t bf16_to_f32(uint16_t x);
uint16_t f32_to_bf16(uint32_t x);
uint16_t f16_to_bf16(uint16_t x);
uint16_t bf16_to_f16(uint16_t x);

// Float to integer: nearest even, saturating to `bits` bits (8, 16, 32); NaN gives 0.
int32_t f32_to_int(uint32_t x, int bits);
inline int32_t f16_to_int(uint16_t x, int bits) { return f32_to_int(f16_to_f32(x), bits); }
inline int32_t bf16_to_int(uint16_t x, int bits) { return f32_to_int(bf16_to_f32(x), bits); }
// Integer to float.
uint32_t int_to_f32(int32_t x);
uint16_t int_to_f16(int32_t x);
uint16_t int_to_bf16(int32_t x);
// Integer to integer: saturating.
int32_t saturate_int(int32_t x, int bits);

// Stochastic rounding: the random number is added below the last place that is kept, then
// everything below that place is cut off (N4).
uint16_t f32_to_f16_stochastic(uint32_t x, uint16_t random);
uint16_t f32_to_bf16_stochastic(uint32_t x, uint16_t random);

// Binary16 arithmetic, one rounding each; fma is a * b + c.
uint16_t f16_add(uint16_t a, uint16_t b);
uint16_t f16_sub(uint16_t a, uint16_t b);
uint16_t f16_mul(uint16_t a, uint16_t b);
uint16_t f16_fma(uint16_t a, uint16_t b, uint16_t c);

// Bfloat16 arithmetic, one rounding each.
uint16_t bf16_add(uint16_t a, uint16_t b);
uint16_t bf16_sub(uint16_t a, uint16_t b);
uint16_t bf16_mul(uint16_t a, uint16_t b);
uint16_t bf16_fma(uint16_t a, uint16_t b, uint16_t c);

// IEEE 754-2019 maximum and minimum: NaN if either is NaN, -0 below +0.
uint16_t f16_max(uint16_t a, uint16_t b);
uint16_t f16_min(uint16_t a, uint16_t b);
uint16_t bf16_max(uint16_t a, uint16_t b);
uint16_t bf16_min(uint16_t a, uint16_t b);
uint32_t f32_max(uint32_t a, uint32_t b);
uint32_t f32_min(uint32_t a, uint32_t b);

// ReLU: NaN gives the canonical NaN; anything below or equal to zero (-0 too) gives +0.
uint16_t f16_relu(uint16_t x);
uint16_t bf16_relu(uint16_t x);
uint32_t f32_relu(uint32_t x);

// Binary32 arithmetic, one rounding.
inline uint32_t f32_add(uint32_t a, uint32_t b) {
  const float s = bits_to_float(a) + bits_to_float(b);
  return s != s ? kNan32 : float_to_bits(s);
}
inline uint32_t f32_sub(uint32_t a, uint32_t b) {
  const float s = bits_to_float(a) - bits_to_float(b);
  return s != s ? kNan32 : float_to_bits(s);
}

inline uint32_t f32_mul(uint32_t a, uint32_t b) {
  const float s = bits_to_float(a) * bits_to_float(b);
  return s != s ? kNan32 : float_to_bits(s);
}
uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c);

// Mixed fused multiply-add: a * b + c with 16-bit a, b (binary16; mixedb: bfloat16) and binary32 c,
// rounded once to binary32.
uint32_t mixed_fma(uint16_t a, uint16_t b, uint32_t c);
uint32_t mixedb_fma(uint16_t a, uint16_t b, uint32_t c);

// The same on values, for inner loops. a and b must be binary16 values (f16_to_float): their
// product is exact in a float, so only the addition rounds. A NaN result may have any payload;
// float_to_f32 makes it canonical.
inline float mixed_fma_value(float a, float b, float c) { return a * b + c; }

// The encoding of a float; every NaN becomes the canonical one.
inline uint32_t float_to_f32(float x) { return x != x ? kNan32 : float_to_bits(x); }

namespace exact {

uint16_t f16_add(uint16_t a, uint16_t b);
uint16_t f16_sub(uint16_t a, uint16_t b);
uint16_t f16_mul(uint16_t a, uint16_t b);
uint16_t f16_fma(uint16_t a, uint16_t b, uint16_t c);
uint16_t bf16_add(uint16_t a, uint16_t b);
uint16_t bf16_sub(uint16_t a, uint16_t b);
uint16_t bf16_mul(uint16_t a, uint16_t b);
uint16_t bf16_fma(uint16_t a, uint16_t b, uint16_t c);
uint32_t mixed_fma(uint16_t a, uint16_t b, uint32_t c);
uint32_t mixedb_fma(uint16_t a, uint16_t b, uint32_t c);
uint32_t f32_add(uint32_t a, uint32_t b);
uint32_t f32_sub(uint32_t a, uint32_t b);
uint32_t f32_mul(uint32_t a, uint32_t b);
uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c);
uint32_t f16_to_f32(uint16_t x);
uint16_t f32_to_f16(uint32_t x);
uint32_t bf16_to_f32(uint16_t x);
uint16_t f32_to_bf16(uint32_t x);
uint16_t f16_to_bf16(uint16_t x);
uint16_t bf16_to_f16(uint16_t x);
int32_t f32_to_int(uint32_t x, int bits);
uint32_t int_to_f32(int32_t x);
uint16_t int_to_f16(int32_t x);
uint16_t int_to_bf16(int32_t x);
uint16_t f32_to_f16_stochastic(uint32_t x, uint16_t random);
uint16_t f32_to_bf16_stochastic(uint32_t x, uint16_t random);

}  // namespace exact
}  // namespace ow::golden
