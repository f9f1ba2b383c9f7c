// SPDX-License-Identifier: Apache-2.0
// Euclidean norm. The engine has no fp32 square root, so the core computes it digit by digit.
#include "k.h"

uint32_t ow_sqrt_f32(uint32_t bits) {
  const uint32_t nan = 0x7FC00000u;
  uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return nan;
  if (magnitude == 0) return bits;
  if (bits >> 31) return nan;
  if (bits == 0x7F800000u) return bits;
  int32_t exponent = (int32_t)(bits >> 23);
  uint32_t mantissa = bits & 0x7FFFFFu;
  if (exponent == 0) {  // subnormal
    exponent = 1;
    while (!(mantissa & 0x800000u)) {
      mantissa <<= 1;
      --exponent;
    }
  } else {
    mantissa |= 0x800000u;
  }
  exponent -= 127;
  if (exponent & 1) {
    mantissa <<= 1;
    --exponent;
  }
  // mantissa is in [2^23, 2^25). Computes 25 bits of the root of mantissa * 2^25, two digits at a
  // time.
  uint32_t root = 0;
  uint32_t rest = 0;
  uint32_t digits = mantissa << 7;
  for (int k = 0; k < 25; ++k) {
    rest = rest << 2 | digits >> 30;
    digits <<= 2;
    uint32_t trial = root << 2 | 1u;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1u;
    }
  }
  // 24 bits and one more, for rounding to nearest. A tie is impossible: its square would have 49
  // bits.
  root = (root >> 1) + (root & 1u);
  return ((uint32_t)(exponent / 2 + 126) << 23) + root;
}

void ow_nrm2_f16(uint32_t n, uint32_t x, uint32_t result) {
  ow_dot_f16(n, x, x, result);
  volatile uint32_t* r = (volatile uint32_t*)(uintptr_t)result;
  *r = ow_sqrt_f32(*r);
}

void ow_nrm2_f32(uint32_t n, uint32_t x, uint32_t result) {
  ow_dot_f32(n, x, x, result);
  volatile uint32_t* r = (volatile uint32_t*)(uintptr_t)result;
  *r = ow_sqrt_f32(*r);
}
