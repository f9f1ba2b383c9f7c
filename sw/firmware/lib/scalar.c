// SPDX-License-Identifier: Apache-2.0
#include "openwafer/tile/scalar.h"

uint32_t ow_round_f16_call(uint32_t bits) { return ow_round_f16_inline(bits); }

float ow_float_of_f16(uint32_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16;
  uint32_t exponent = bits >> 10 & 31u;
  uint32_t fraction = bits & 0x3FFu;
  if (exponent == 31) return ow_bits_float(sign | 0x7F800000u | fraction << 13);
  if (exponent == 0) {
    if (fraction == 0) return ow_bits_float(sign);
    for (exponent = 1; (fraction & 0x400u) == 0; fraction <<= 1) --exponent;
  }
  // Exponents below 1 wrap and come out right.
  return ow_bits_float(sign | ((exponent + 112u) << 23) | (fraction & 0x3FFu) << 13);
}
