// SPDX-License-Identifier: Apache-2.0
// The golden formats: the fast set against the definition, and facts known by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "ow/golden/formats.h"

namespace ow::golden {
namespace {

TEST(Formats, EveryBinary16ConvertsExactlyAndBack) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto x = static_cast<uint16_t>(i);
    ASSERT_EQ(f16_to_f32(x), exact::f16_to_f32(x)) << i;
    const uint16_t back = is_nan16(x) ? kNan16 : x;
    ASSERT_EQ(f32_to_f16(f16_to_f32(x)), back) << i;
    ASSERT_EQ(round_to_f16(f16_to_double(x)), back) << i;
  }
}

TEST(Formats, RoundingIsToNearestEven) {
  EXPECT_EQ(round_to_f16(1.0 + std::ldexp(1, -11)), 0x3C00);       // tie, down to even
  EXPECT_EQ(round_to_f16(1.0 + 3 * std::ldexp(1, -11)), 0x3C02);   // tie, up to even
  EXPECT_EQ(round_to_f16(1.0 + std::ldexp(1.0001, -11)), 0x3C01);  // above the tie
  EXPECT_EQ(round_to_f16(std::ldexp(1, -25)), 0x0000);             // half the least subnormal
  EXPECT_EQ(round_to_f16(std::ldexp(1.0001, -25)), 0x0001);
  EXPECT_EQ(round_to_f16(-std::ldexp(1, -26)), 0x8000);  // keeps its sign
  EXPECT_EQ(round_to_f16(65519.99), 0x7BFF);
  EXPECT_EQ(round_to_f16(65520.0), 0x7C00);                  // half a place above
  EXPECT_EQ(round_to_f16(std::ldexp(2047.6, -25)), 0x0400);  // subnormal up to normal
}

TEST(Formats, FusedRoundsOnce) {
  // (1 + 2^-10)^2 - (1 + 2^-9) is 2^-20, which a rounded product would lose.
  EXPECT_EQ(f16_fma(0x3C01, 0x3C01, 0xBC02), 0x0010);
  // A product just above a tie of the sum.
  EXPECT_EQ(f16_fma(0x1001, 0x1001, 0x3C00), exact::f16_fma(0x1001, 0x1001, 0x3C00));
}

TEST(Formats, SignedZerosAndNaNs) {
  EXPECT_EQ(f16_add(0x8000, 0x8000), 0x8000);
  EXPECT_EQ(f16_add(0x0000, 0x8000), 0x0000);
  EXPECT_EQ(f16_add(0x3C00, 0xBC00), 0x0000);
  EXPECT_EQ(mixed_fma(0x8000, 0x3C00, 0), 0u);
  EXPECT_EQ(f16_mul(0x7C00, 0x0000), kNan16);
  EXPECT_EQ(f16_add(0x7C00, 0xFC00), kNan16);
  EXPECT_EQ(f16_add(0x7C01, 0x0000), kNan16);
  EXPECT_EQ(f16_fma(0x7C00, 0x3C00, 0xFC00), kNan16);
  EXPECT_EQ(f16_max(0x8000, 0x0000), 0x0000);
  EXPECT_EQ(f16_min(0x0000, 0x8000), 0x8000);
  EXPECT_EQ(f16_max(0x7E01, 0x3C00), kNan16);
  EXPECT_EQ(f16_min(0xBC00, 0xC000), 0xC000);
  EXPECT_EQ(f16_relu(0x8000), 0x0000);
  EXPECT_EQ(f16_relu(0xFE00), kNan16);
  EXPECT_EQ(f16_relu(0x3C00), 0x3C00);
}

TEST(Formats, FastAgreesWithTheDefinition) {
  std::mt19937_64 rng(5);
  for (int i = 0; i < 300000; ++i) {
    const uint64_t r = rng();
    const auto a = static_cast<uint16_t>(r);
    const auto b = static_cast<uint16_t>(r >> 16);
    auto c = static_cast<uint32_t>(r >> 32);
    const uint64_t s = rng();
    if ((s & 1) != 0) c = (c & 0x807FFFFF) | static_cast<uint32_t>(90 + (s >> 8) % 80) << 23;
    auto d = static_cast<uint32_t>(s >> 32);
    if ((s & 2) != 0) d = (c & 0xFF800000) ^ (d & 0x81FFFFFF);
    ASSERT_EQ(f16_add(a, b), exact::f16_add(a, b)) << a << " " << b;
    ASSERT_EQ(f16_sub(a, b), exact::f16_sub(a, b)) << a << " " << b;
    ASSERT_EQ(f16_mul(a, b), exact::f16_mul(a, b)) << a << " " << b;
    ASSERT_EQ(mixed_fma(a, b, c), exact::mixed_fma(a, b, c)) << a << " " << b << " " << c;
    ASSERT_EQ(f32_add(c, d), exact::f32_add(c, d)) << c << " " << d;
    ASSERT_EQ(f32_sub(c, d), exact::f32_sub(c, d)) << c << " " << d;
    ASSERT_EQ(f32_to_f16(c), exact::f32_to_f16(c)) << c;
    ASSERT_EQ(f32_to_f16(d), exact::f32_to_f16(d)) << d;
  }
}

}  // namespace
}  // namespace ow::golden
