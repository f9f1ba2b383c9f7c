// SPDX-License-Identifier: Apache-2.0
// Numbers as the bits that tensor instructions and the kernel library take for scalars, and back.
// Conversions round once, to nearest even. The compiler converts constants. At run time a float
// costs about 30 cycles for a 16-bit type and none for ow_f32; a double costs about 150 more.
//
//   ow_fma_s(OW_F16, ctl, 2.75f);        // intrinsics with a scalar convert by themselves
//   ow_axpy_f32(n, ow_f32(1.5f), x, y);  // bits for everything else
#ifndef OPENWAFER_TILE_SCALAR_H_
#define OPENWAFER_TILE_SCALAR_H_

#include <stdint.h>

#include "openwafer/tile/check.h"

#define OW_ALWAYS_INLINE static inline __attribute__((always_inline))

OW_ALWAYS_INLINE uint32_t ow_float_bits(float value) {
  union {
    float value;
    uint32_t bits;
  } u = {value};
  return u.bits;
}

OW_ALWAYS_INLINE float ow_bits_float(uint32_t bits) {
  union {
    uint32_t bits;
    float value;
  } u = {bits};
  return u.value;
}

// Rounds to a float "to odd", so that rounding the float to 16 bits rounds the number once.
OW_ALWAYS_INLINE uint32_t ow_odd_float_bits(double value) {
  const float near = (float)value;
  uint32_t bits = ow_float_bits(near);
  if ((double)near == value || value != value) return bits;
  const double size = value < 0 ? -value : value;
  const double near_size = near < 0 ? -(double)near : (double)near;
  if (near_size > size) --bits;  // towards zero; from infinity to the largest float
  return bits | 1u;
}

// binary16 and bfloat16 bits of binary32 bits.
OW_ALWAYS_INLINE uint32_t ow_round_f16_inline(uint32_t bits) {
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t size = bits & 0x7FFFFFFFu;
  if (size > 0x7F800000u) return 0x7E00u;
  if (size >= 0x47800000u) return sign | 0x7C00u;  // 65,536 and more
  if (size >= 0x38800000u) {                       // normal; a carry into infinity is right
    const uint32_t kept = size - 0x38000000u;
    return sign | (kept + 0xFFFu + (kept >> 13 & 1u)) >> 13;
  }
  if (size < 0x33000000u) return sign;         // less than half of the least subnormal
  const uint32_t shift = 126u - (size >> 23);  // 14 to 24: of the significand to units of 2^-24
  const uint32_t significand = (size & 0x7FFFFFu) | 0x800000u;
  return sign | (significand + (1u << (shift - 1)) - 1u + (significand >> shift & 1u)) >> shift;
}

OW_ALWAYS_INLINE uint32_t ow_round_bf16(uint32_t bits) {
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return 0x7FC0u;
  return (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
}

uint32_t ow_round_f16_call(uint32_t bits);

OW_ALWAYS_INLINE uint32_t ow_round_f16(uint32_t bits) {
  return __builtin_constant_p(bits) ? ow_round_f16_inline(bits) : ow_round_f16_call(bits);
}

OW_ALWAYS_INLINE uint32_t ow_f16_of_float(float x) { return ow_round_f16(ow_float_bits(x)); }
OW_ALWAYS_INLINE uint32_t ow_f16_of_double(double x) { return ow_round_f16(ow_odd_float_bits(x)); }
OW_ALWAYS_INLINE uint32_t ow_bf16_of_float(float x) { return ow_round_bf16(ow_float_bits(x)); }
OW_ALWAYS_INLINE uint32_t ow_bf16_of_double(double x) {
  return ow_round_bf16(ow_odd_float_bits(x));
}
OW_ALWAYS_INLINE uint32_t ow_f32_of_double(double x) { return ow_float_bits((float)x); }

// The bits of a number: a float, a double, or an integer, which is taken as its value.
#define ow_f16(x) _Generic((x), float : ow_f16_of_float, default : ow_f16_of_double)(x)
#define ow_bf16(x) _Generic((x), float : ow_bf16_of_float, default : ow_bf16_of_double)(x)
#define ow_f32(x) _Generic((x), float : ow_float_bits, default : ow_f32_of_double)(x)

// And back, exactly.
float ow_float_of_f16(uint32_t bits);
OW_ALWAYS_INLINE float ow_float_of_bf16(uint32_t bits) { return ow_bits_float(bits << 16); }
#define ow_float_of_f32(bits) ow_bits_float(bits)

// ------------------------------------------------------------- scalars of tensor instructions
// ------ What stands for a number of the type (enum ow_type) of an instruction: a float or a double
// is converted; an unsigned integer is bits; a signed one is a number of an integer type, and
// refused for a floating-point type, where 2 would be the bits of a subnormal (0 is 0 anyway).
#define OW_SCALAR_IS_F16_(type) ((type) == 0u || (type) == 3u)
#define OW_SCALAR_IS_BF16_(type) ((type) == 1u || (type) == 7u)
#define OW_SCALAR_IS_FLOAT_(type) \
  (OW_SCALAR_IS_F16_(type) || OW_SCALAR_IS_BF16_(type) || (type) == 2u)

OW_ALWAYS_INLINE uint32_t ow_scalar_of_float(uint32_t type, float x) {
  OW_CHECK(float_scalar, OW_SCALAR_IS_FLOAT_(type),
           "a float is no scalar of an instruction on integers: convert it");
  return OW_SCALAR_IS_F16_(type)    ? ow_f16_of_float(x)
         : OW_SCALAR_IS_BF16_(type) ? ow_bf16_of_float(x)
                                    : ow_float_bits(x);
}

OW_ALWAYS_INLINE uint32_t ow_scalar_of_double(uint32_t type, double x) {
  OW_CHECK(float_scalar, OW_SCALAR_IS_FLOAT_(type),
           "a float is no scalar of an instruction on integers: convert it");
  return OW_SCALAR_IS_F16_(type)    ? ow_f16_of_double(x)
         : OW_SCALAR_IS_BF16_(type) ? ow_bf16_of_double(x)
                                    : ow_f32_of_double(x);
}

OW_ALWAYS_INLINE uint32_t ow_scalar_of_int(uint32_t type, int32_t x) {
#ifdef __OPTIMIZE__  // else the compiler does not know what 0 and an integer type are
  if (OW_SCALAR_IS_FLOAT_(type)) {
    extern void ow_refused_int_scalar(void)
        __attribute__((error("a signed integer is no scalar of a floating-point instruction: write "
                             "2.0f for a number, 0x4000u or ow_f16(x) for bits")));
    if (!(__builtin_constant_p(x == 0) && x == 0)) ow_refused_int_scalar();
  }
#endif
  OW_CHECK(int16_scalar, type != 4u || (x >= -32768 && x <= 65535),
           "a scalar of an instruction on int16 is -32,768 to 65,535");
  OW_CHECK(int8_scalar, type != 6u || (x >= -128 && x <= 255),
           "a scalar of an instruction on int8 is -128 to 255");
  return (uint32_t)x;
}

OW_ALWAYS_INLINE uint32_t ow_scalar_of_bits(uint32_t type, uint32_t x) {
  OW_CHECK(wide_scalar, type == 2u || type == 5u || type == 6u || x <= 0xFFFFu,
           "the bits of a scalar of a 16-bit instruction are 0 to 0xffff");
  return x;
}

#define ow_scalar_bits(type, x)                \
  _Generic((x), float                          \
           : ow_scalar_of_float, double        \
           : ow_scalar_of_double, signed char  \
           : ow_scalar_of_int, short           \
           : ow_scalar_of_int, int             \
           : ow_scalar_of_int, long            \
           : ow_scalar_of_int, unsigned char   \
           : ow_scalar_of_bits, unsigned short \
           : ow_scalar_of_bits, unsigned int   \
           : ow_scalar_of_bits, unsigned long  \
           : ow_scalar_of_bits)(type, x)

#endif  // OPENWAFER_TILE_SCALAR_H_
