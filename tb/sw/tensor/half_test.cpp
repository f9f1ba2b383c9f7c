// SPDX-License-Identifier: Apache-2.0
// The product's number types against the model's, which were written apart from each other.
#include "ow/tensor/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "ow/base/rng.h"
#include "ow/golden/formats.h"

namespace ow {
namespace {

TEST(Half, EveryEncodingHasTheValueThatGoldenSays) {
  for (uint32_t k = 0; k < 65536; ++k) {
    const auto bits = static_cast<uint16_t>(k);
    const float f = from_half(HalfType::Binary16, bits);
    const float b = from_half(HalfType::Bfloat16, bits);
    ASSERT_EQ(half_is_finite(HalfType::Binary16, bits), std::isfinite(f));
    ASSERT_EQ(half_is_finite(HalfType::Bfloat16, bits), std::isfinite(b));
    if (golden::is_nan16(bits)) {
      ASSERT_NE(f, f);
      ASSERT_EQ(to_half(HalfType::Binary16, static_cast<double>(f)), golden::kNan16);
    } else {
      ASSERT_EQ(golden::float_to_bits(f), golden::f16_to_f32(bits)) << k;
      ASSERT_EQ(to_half(HalfType::Binary16, static_cast<double>(f)), bits);
    }
    if (golden::is_nan_b16(bits)) {
      ASSERT_NE(b, b);
      ASSERT_EQ(to_half(HalfType::Bfloat16, static_cast<double>(b)), golden::kNanB16);
    } else {
      ASSERT_EQ(golden::float_to_bits(b), golden::bf16_to_f32(bits)) << k;
      ASSERT_EQ(to_half(HalfType::Bfloat16, static_cast<double>(b)), bits);
    }
  }
}

TEST(Half, RoundsAsGoldenDoes) {
  Rng rng(3);
  for (int k = 0; k < 2000000; ++k) {
    uint64_t word = rng.next();
    // Half of the numbers within the range of binary16, on and next to midpoints.
    if (k % 2 == 0) {
      const uint64_t exponent = 1023 - 30 + rng.below(50);
      word = (word & 0x8000000000000000u) | exponent << 52 | (rng.next() >> 53) << 41;
      word += rng.below(3) - 1;
    }
    double x;
    std::memcpy(&x, &word, sizeof x);
    ASSERT_EQ(to_half(HalfType::Binary16, x), golden::round_to_f16(x)) << x;
    ASSERT_EQ(to_half(HalfType::Bfloat16, x), golden::round_to_bf16(x)) << x;
  }
}

// The middle of every two neighbours, and the doubles next to it.
TEST(Half, RoundsEveryMiddleAsGoldenDoes) {
  for (const HalfType type : {HalfType::Binary16, HalfType::Bfloat16}) {
    for (uint16_t bits = 0; half_is_finite(type, bits); ++bits) {
      const uint16_t next = static_cast<uint16_t>(bits + 1);
      const double low = from_half(type, bits);
      // Above the greatest number it is where infinity begins.
      const double step = half_is_finite(type, next)
                              ? from_half(type, next) - low
                              : low - from_half(type, static_cast<uint16_t>(bits - 1));
      const double middle = low + step / 2;
      for (const double x : {std::nextafter(middle, 0), middle, std::nextafter(middle, 1e39)}) {
        for (const double signed_x : {x, -x}) {
          ASSERT_EQ(to_half(type, signed_x), type == HalfType::Binary16
                                                 ? golden::round_to_f16(signed_x)
                                                 : golden::round_to_bf16(signed_x))
              << half_name(type) << " " << bits;
        }
      }
    }
  }
}

TEST(Half, ValuesKnowTheirType) {
  EXPECT_EQ(f16(1.5).bits(), 0x3E00);
  EXPECT_EQ(bf16(1.5).bits(), 0x3FC0);
  EXPECT_EQ(static_cast<float>(f16::from_bits(0xC000)), -2.0f);
}

}  // namespace
}  // namespace ow
