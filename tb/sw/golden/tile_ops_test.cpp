// SPDX-License-Identifier: Apache-2.0
// The tile's operations against formats.h and the host's own arithmetic.
#include "ow/golden/tile_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "ow/base/rng.h"
#include "ow/golden/formats.h"
#include "ow/golden/kernels.h"

namespace ow::golden {
namespace {

constexpr int kRounds = 20000;

uint32_t some(Rng* rng, Type type) {
  const uint32_t x = static_cast<uint32_t>(rng->next() >> 32);
  // Exponents near each other half of the time, so that sums cancel and products meet addends.
  if (type == Type::F32) {
    return rng->below(2) != 0 ? x : (x & 0x807FFFFF) | (0x3F800000 + (x >> 20 & 0x03800000));
  }
  return x & 0xFFFF;
}

TEST(TileOps, AgreeWithFormats) {
  Rng rng(1);
  for (int n = 0; n < kRounds; ++n) {
    const uint16_t a = static_cast<uint16_t>(some(&rng, Type::F16));
    const uint16_t b = static_cast<uint16_t>(some(&rng, Type::F16));
    const uint16_t c = static_cast<uint16_t>(some(&rng, Type::F16));
    const uint32_t x = some(&rng, Type::F32);
    const uint32_t y = some(&rng, Type::F32);
    ASSERT_EQ(apply(Op::Add, Type::F16, a, b), f16_add(a, b)) << a << " " << b;
    ASSERT_EQ(apply(Op::Sub, Type::F16, a, b), f16_sub(a, b)) << a << " " << b;
    ASSERT_EQ(apply(Op::Mul, Type::F16, a, b), f16_mul(a, b)) << a << " " << b;
    ASSERT_EQ(apply(Op::Fma, Type::F16, a, b, c), f16_fma(a, b, c)) << a << " " << b << " " << c;
    ASSERT_EQ(apply(Op::Fma, Type::Mixed, a, b, x), mixed_fma(a, b, x))
        << a << " " << b << " " << x;
    ASSERT_EQ(apply(Op::Add, Type::F32, x, y), f32_add(x, y)) << x << " " << y;
    ASSERT_EQ(apply(Op::Sub, Type::F32, x, y), f32_sub(x, y)) << x << " " << y;
    ASSERT_EQ(convert(Type::F32, Type::F16, x), f32_to_f16(x)) << x;
    ASSERT_EQ(convert(Type::F16, Type::F32, a), f16_to_f32(a)) << a;
    ASSERT_EQ(apply(Op::Max, Type::F16, a, b), f16_max(a, b)) << a << " " << b;
    ASSERT_EQ(apply(Op::Min, Type::F16, a, b), f16_min(a, b)) << a << " " << b;
  }
}

TEST(TileOps, Binary32AgreesWithTheHost) {
  Rng rng(2);
  for (int n = 0; n < kRounds; ++n) {
    const uint32_t a = some(&rng, Type::F32);
    const uint32_t b = some(&rng, Type::F32);
    const uint32_t c = some(&rng, Type::F32);
    const float product = bits_to_float(a) * bits_to_float(b);
    ASSERT_EQ(apply(Op::Mul, Type::F32, a, b), float_to_f32(product)) << a << " " << b;
    const float fused = std::fma(bits_to_float(a), bits_to_float(b), bits_to_float(c));
    ASSERT_EQ(apply(Op::Fma, Type::F32, a, b, c), float_to_f32(fused)) << a << " " << b << " " << c;
    const float root = std::sqrt(bits_to_float(a));
    ASSERT_EQ(sqrt_f32(a), float_to_f32(root)) << a;
  }
  for (const uint32_t a : {0u, 1u, 2u, 3u, 0x7FFFFFu, 0x800000u, 0x7F7FFFFFu, 0x3F800000u}) {
    ASSERT_EQ(sqrt_f32(a), float_to_f32(std::sqrt(bits_to_float(a)))) << a;
  }
}

TEST(TileOps, Bfloat16RoundsOnce) {
  Rng rng(3);
  for (int n = 0; n < kRounds; ++n) {
    const uint32_t a = some(&rng, Type::BF16);
    const uint32_t b = some(&rng, Type::BF16);
    // Sums and products of 8-bit numbers, rounded to 24 bits first, round to 8 bits like exact
    // ones.
    const uint32_t x = convert(Type::BF16, Type::F32, a);
    const uint32_t y = convert(Type::BF16, Type::F32, b);
    ASSERT_EQ(apply(Op::Add, Type::BF16, a, b),
              convert(Type::F32, Type::BF16, apply(Op::Add, Type::F32, x, y)));
  }
  // The tie at the ninth bit is broken by an addend far below it.
  EXPECT_EQ(apply(Op::Fma, Type::BF16, 0x3F81, 0x3F80, 0x0001), 0x3F81u);
  EXPECT_EQ(convert(Type::F32, Type::BF16, 0x3F808000), 0x3F80u);
  EXPECT_EQ(convert(Type::F32, Type::BF16, 0x3F818000), 0x3F82u);
  EXPECT_EQ(convert(Type::F32, Type::BF16, 0x7FFFFFFF), 0x7FC0u);
}

TEST(TileOps, Integers) {
  EXPECT_EQ(convert(Type::F32, Type::I8, 0x43000000), 127u);  // 128
  EXPECT_EQ(convert(Type::F32, Type::I8, 0xC3010000), 0x80u);
  EXPECT_EQ(convert(Type::F32, Type::I32, 0x7FC00000), 0u);
  EXPECT_EQ(convert(Type::F32, Type::I32, 0x4F000000), 0x7FFFFFFFu);
  EXPECT_EQ(convert(Type::F32, Type::I32, 0xCF000000), 0x80000000u);
  EXPECT_EQ(convert(Type::F16, Type::I16, 0x3E00), 2u);  // 1.5
  EXPECT_EQ(convert(Type::F16, Type::I16, 0x3800), 0u);  // 0.5
  EXPECT_EQ(convert(Type::I32, Type::F16, 0x00010000), 0x7C00u);
  EXPECT_EQ(convert(Type::I16, Type::I8, 0xFF00), 0x80u);
  EXPECT_EQ(convert(Type::I8, Type::I32, 0xFF), 0xFFFFFFFFu);
  EXPECT_EQ(apply(Op::Sra, Type::I16, 0x8000, 15), 0xFFFFu);
  EXPECT_EQ(apply(Op::Sll, Type::I16, 1, 16), 1u);
  EXPECT_EQ(apply(Op::CmpLt, Type::F16, 0x8000, 0x0000), 0u);
  EXPECT_EQ(apply(Op::CmpLe, Type::BF16, 0x8000, 0x0000), 0x3F80u);
  EXPECT_EQ(apply(Op::CmpNe, Type::F32, 0x7FC00000, 0x7FC00000), 0x3F800000u);
}

TEST(TileOps, Reductions) {
  // Nine ones and a large number: the ninth element goes to partial sum 0.
  const Vec x = {0x4C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00, 0x3C00, 0xCC00};
  EXPECT_EQ(reduce(Op::Sum, Type::F16, Type::F32, x.data(), nullptr, x.size()), 0x40E00000u);  // 7
  EXPECT_EQ(reduce(Op::RMax, Type::F16, Type::F16, x.data(), nullptr, x.size()), 0x4C00u);
  EXPECT_EQ(reduce(Op::RMin, Type::F16, Type::F16, x.data(), nullptr, x.size()), 0xCC00u);
  const Vec i8 = {0xFF, 0x80, 0x7F};
  EXPECT_EQ(reduce(Op::Dot, Type::I8, Type::I32, i8.data(), i8.data(), 3), 1u + 16384 + 16129);
}

TEST(TileOps, StochasticRoundingIsUnbiased) {
  Xoshiro128Plus generator(1, 2, 3, 4);
  const uint32_t x = 0x3F800400;  // 1 + 2^-13: an eighth of a place of binary16
  int up = 0;
  constexpr int kN = 80000;
  for (int n = 0; n < kN; ++n) {
    const uint32_t r =
        convert_stochastic(Type::F16, x, static_cast<uint16_t>(generator.next() >> 16));
    ASSERT_TRUE(r == 0x3C00 || r == 0x3C01);
    up += r == 0x3C01 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(up) / kN, 0.125, 0.005);
}

TEST(Kernels, AxpyiTouchesOnlyItsIndices) {
  const Vec y = axpyi(Type::F32, 0x40000000, {0x3F800000}, {2}, {1, 2, 0x3F800000, 4});
  EXPECT_EQ(y, (Vec{1, 2, 0x40400000, 4}));
}

}  // namespace
}  // namespace ow::golden
