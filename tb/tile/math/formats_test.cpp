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

// Encodings with ordinary, close and extreme exponents.
uint32_t any32(std::mt19937_64& rng) {
  const uint64_t r = rng();
  const auto x = static_cast<uint32_t>(r);
  switch ((r >> 32) % 8) {
    case 0:
      return (x & 0x807FFFFF) | static_cast<uint32_t>(90 + (r >> 40) % 80) << 23;
    case 1:
      return (x & 0x807FFFFF) | static_cast<uint32_t>((r >> 40) % 3) << 23;  // subnormal and next
    case 2:
      return (x & 0x807FFFFF) | static_cast<uint32_t>(252 + (r >> 40) % 4) << 23;
    case 3:
      return x & 0xFF800000;
    case 4:
      return (x & 0xFF800000) | (0x7FFFFF & ~((1u << ((r >> 40) % 23)) - 1));
    default:
      return x;
  }
}
uint16_t any_b16(std::mt19937_64& rng) { return static_cast<uint16_t>(any32(rng) >> 16); }

TEST(Formats, FastAgreesWithTheDefinition) {
  std::mt19937_64 rng(5);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t r = rng();
    const auto a = static_cast<uint16_t>(r);
    const auto b = static_cast<uint16_t>(r >> 16);
    const auto e = static_cast<uint16_t>(r >> 32);
    const uint32_t c = any32(rng);
    uint32_t d = any32(rng);
    if ((r >> 60) < 4) d = (c & 0xFF800000) ^ (d & 0x81FFFFFF);
    ASSERT_EQ(f16_add(a, b), exact::f16_add(a, b)) << a << " " << b;
    ASSERT_EQ(f16_sub(a, b), exact::f16_sub(a, b)) << a << " " << b;
    ASSERT_EQ(f16_mul(a, b), exact::f16_mul(a, b)) << a << " " << b;
    ASSERT_EQ(f16_fma(a, b, e), exact::f16_fma(a, b, e)) << a << " " << b << " " << e;
    ASSERT_EQ(mixed_fma(a, b, c), exact::mixed_fma(a, b, c)) << a << " " << b << " " << c;
    ASSERT_EQ(f32_add(c, d), exact::f32_add(c, d)) << c << " " << d;
    ASSERT_EQ(f32_sub(c, d), exact::f32_sub(c, d)) << c << " " << d;
    ASSERT_EQ(f32_mul(c, d), exact::f32_mul(c, d)) << c << " " << d;
    ASSERT_EQ(f32_to_f16(c), exact::f32_to_f16(c)) << c;
    ASSERT_EQ(f32_to_f16(d), exact::f32_to_f16(d)) << d;
    ASSERT_EQ(f32_to_bf16(c), exact::f32_to_bf16(c)) << c;
    for (int bits : {8, 16, 32}) {
      ASSERT_EQ(f32_to_int(c, bits), exact::f32_to_int(c, bits)) << c << " " << bits;
      ASSERT_EQ(f16_to_int(a, bits), exact::f32_to_int(exact::f16_to_f32(a), bits)) << a;
    }
    const auto n = static_cast<int32_t>(c >> ((r >> 56) & 31));
    ASSERT_EQ(int_to_f32(n), exact::int_to_f32(n)) << n;
    ASSERT_EQ(int_to_f16(n), exact::int_to_f16(n)) << n;
    ASSERT_EQ(int_to_bf16(-n), exact::int_to_bf16(-n)) << n;
    ASSERT_EQ(f32_to_f16_stochastic(c, e), exact::f32_to_f16_stochastic(c, e)) << c << " " << e;
    ASSERT_EQ(f32_to_bf16_stochastic(c, e), exact::f32_to_bf16_stochastic(c, e)) << c << " " << e;
  }
}

TEST(Formats, FastFusedAgreesWithTheDefinition) {
  std::mt19937_64 rng(6);
  for (int i = 0; i < 100000; ++i) {
    const uint32_t a = any32(rng);
    const uint32_t b = any32(rng);
    uint32_t c = any32(rng);
    const uint16_t x = any_b16(rng);
    const uint16_t y = any_b16(rng);
    uint16_t z = any_b16(rng);
    const uint64_t r = rng();
    if ((r & 1) != 0) c = f32_mul(a, b) ^ 0x80000000u ^ (static_cast<uint32_t>(r >> 32) & 0x1FF);
    if ((r & 2) != 0) z = bf16_mul(x, y) ^ 0x8000 ^ static_cast<uint16_t>((r >> 8) & 0xF);
    ASSERT_EQ(f32_fma(a, b, c), exact::f32_fma(a, b, c)) << a << " " << b << " " << c;
    ASSERT_EQ(bf16_add(x, z), exact::bf16_add(x, z)) << x << " " << z;
    ASSERT_EQ(bf16_sub(x, z), exact::bf16_sub(x, z)) << x << " " << z;
    ASSERT_EQ(bf16_mul(x, y), exact::bf16_mul(x, y)) << x << " " << y;
    ASSERT_EQ(bf16_fma(x, y, z), exact::bf16_fma(x, y, z)) << x << " " << y << " " << z;
    const uint32_t w = (r & 4) != 0 ? c : (mixedb_fma(x, y, 0) ^ 0x80000000u) + (r >> 60) - 8;
    ASSERT_EQ(mixedb_fma(x, y, w), exact::mixedb_fma(x, y, w)) << x << " " << y << " " << w;
  }
}

TEST(Formats, EveryBfloat16Converts) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto x = static_cast<uint16_t>(i);
    ASSERT_EQ(bf16_to_f32(x), exact::bf16_to_f32(x)) << i;
    ASSERT_EQ(f32_to_bf16(bf16_to_f32(x)), is_nan_b16(x) ? kNanB16 : x) << i;
    ASSERT_EQ(round_to_bf16(static_cast<double>(bf16_to_float(x))), is_nan_b16(x) ? kNanB16 : x);
    ASSERT_EQ(bf16_to_f16(x), exact::bf16_to_f16(x)) << i;
    ASSERT_EQ(f16_to_bf16(x), exact::f16_to_bf16(x)) << i;
    ASSERT_EQ(f32_to_int(bf16_to_f32(x), 16), exact::f32_to_int(exact::bf16_to_f32(x), 16)) << i;
  }
}

TEST(Formats, CastsSaturate) {
  EXPECT_EQ(f32_to_int(0x7F800000, 32), INT32_MAX);
  EXPECT_EQ(f32_to_int(0xFF800000, 32), INT32_MIN);
  EXPECT_EQ(f32_to_int(0x4F000000, 32), INT32_MAX);  // 2^31
  EXPECT_EQ(f32_to_int(0x43000000, 8), 127);         // 128
  EXPECT_EQ(f32_to_int(0xC3008000, 8), -128);        // -128.5
  EXPECT_EQ(f32_to_int(kNan32, 8), 0);
  EXPECT_EQ(f32_to_int(0x3F000000, 32), 0);  // ties to even
  EXPECT_EQ(f32_to_int(0x3FC00000, 32), 2);
  EXPECT_EQ(f32_to_int(0xC0200000, 32), -2);
  EXPECT_EQ(saturate_int(200, 8), 127);
  EXPECT_EQ(saturate_int(-70000, 16), -32768);
}

TEST(Formats, StochasticRoundingIsUnbiased) {
  // 1 + 0.3 of the last place of bfloat16: rounds up for 30 % of the random numbers.
  const uint32_t x = 0x3F800000 + 19661;
  int up = 0;
  for (uint32_t r = 0; r < 65536; ++r) {
    up += f32_to_bf16_stochastic(x, static_cast<uint16_t>(r)) == 0x3F81 ? 1 : 0;
  }
  EXPECT_EQ(up, 19661);
  EXPECT_EQ(f32_to_f16_stochastic(0x3F800000, 0xFFFF), 0x3C00);  // exact stays
  EXPECT_EQ(f32_to_f16_stochastic(0x477FFFFF, 0), 0x7BFF);       // truncated
  EXPECT_EQ(f32_to_f16_stochastic(0x477FFFFF, 0xFFFF), 0x7C00);  // beyond the largest
}

}  // namespace
}  // namespace ow::golden
