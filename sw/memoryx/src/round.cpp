// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/round.h"

#include <cstring>

#include "wider.h"

namespace ow::memoryx {
namespace {

inline uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// No branches: all cases are computed, and masks select one.
inline uint32_t chosen(bool condition, uint32_t yes, uint32_t no) {
  const uint32_t mask = 0u - static_cast<uint32_t>(condition);
  return (yes & mask) | (no & ~mask);
}

inline uint32_t binary16(float x) {
  constexpr int32_t kLeastNormal = 113 << 23;  // 2^-14
  constexpr int32_t kInfinite = 0xFF << 23;
  const uint32_t bits = bits_of(x);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t size = bits & 0x7FFFFFFFu;
  const auto signed_size = static_cast<int32_t>(size);  // vectors can only compare signed numbers
  // Normal: add half a last place of the 13 bits that are cut, more if the remaining last bit is
  // odd. A carry goes on into the exponent, up to infinity.
  const uint32_t normal = (size - (112u << 23) + 0xFFFu + (size >> 13 & 1u)) >> 13;
  // Subnormal: the last place of 1/2 + x is that of the subnormals, 2^-24, so the host's addition
  // rounds to it.
  const uint32_t subnormal = bits_of(float_of(size) + 0.5f) - bits_of(0.5f);
  // A result above infinity becomes infinity.
  const uint32_t finite = chosen(signed_size < kLeastNormal, subnormal, normal);
  const uint32_t half = chosen(static_cast<int32_t>(finite) > 0x7C00, 0x7C00u, finite) | sign;
  return chosen(signed_size > kInfinite, 0x7E00u, half);
}

inline uint32_t bfloat16(float x) {
  const uint32_t bits = bits_of(x);
  const uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
  return chosen(static_cast<int32_t>(bits & 0x7FFFFFFFu) > 0x7F800000, 0x7FC0u, rounded);
}

OW_WIDER void round_binary16(const float* in, size_t n, uint16_t* out) {
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<uint16_t>(binary16(in[i]));
}

OW_WIDER void round_bfloat16(const float* in, size_t n, uint16_t* out) {
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<uint16_t>(bfloat16(in[i]));
}

}  // namespace

void round_half(HalfType type, const float* in, size_t n, uint16_t* out) {
  if (type == HalfType::Binary16) {
    round_binary16(in, n, out);
  } else {
    round_bfloat16(in, n, out);
  }
}

}  // namespace ow::memoryx
