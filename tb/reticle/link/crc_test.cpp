// SPDX-License-Identifier: Apache-2.0
// The CRC of the link's frames, taken from the RTL: every pattern of 1 to 5 wrong bits and every
// burst of up to 16 bits changes the remainder.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>

#include "Vow_link_crc_tb.h"
#include "verilated.h"

namespace {

class Crc {
 public:
  uint16_t of(uint64_t first, uint64_t second) {
    top_.clk_i = 0;
    top_.first_i = first;
    top_.second_i = second;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
    return top_.remainder_o;
  }
  // Whether the remainder computed slice by slice equals the other one times x^16.
  bool slices_agree() const {
    return top_.of_16_o == top_.shifted_o && top_.of_8_o == top_.shifted_o;
  }
  // The remainder of a single bit; bit 0 is the lowest of the second beat.
  uint16_t of_bit(int bit) {
    return bit < 64 ? of(0, uint64_t{1} << bit) : of(uint64_t{1} << (bit - 64), 0);
  }

 private:
  VerilatedContext context_;
  Vow_link_crc_tb top_{&context_};
};

constexpr int kBits = 128;

std::array<uint16_t, kBits> columns() {
  Crc crc;
  std::array<uint16_t, kBits> c{};
  for (int i = 0; i < kBits; ++i) c[static_cast<size_t>(i)] = crc.of_bit(i);
  return c;
}

TEST(LinkCrc, IsThePolynomial3D65) {
  const auto c = columns();
  uint16_t x = 1;
  for (int i = 0; i < kBits; ++i) {
    EXPECT_EQ(c[static_cast<size_t>(i)], x) << i;
    x = static_cast<uint16_t>((x << 1) ^ ((x & 0x8000) != 0 ? 0x3D65 : 0));
  }
}

TEST(LinkCrc, IsLinear) {
  Crc crc;
  const auto c = columns();
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t first = random();
    const uint64_t second = random();
    uint16_t sum = 0;
    for (size_t b = 0; b < 64; ++b) {
      if ((second >> b & 1) != 0) sum ^= c[b];
      if ((first >> b & 1) != 0) sum ^= c[64 + b];
    }
    ASSERT_EQ(crc.of(first, second), sum);
    ASSERT_TRUE(crc.slices_agree());
  }
}

// All 275,584,032 patterns.
TEST(LinkCrc, EveryPatternOf1To5WrongBitsIsCaught) {
  const auto c = columns();
  uint64_t patterns = 0;
  uint64_t missed = 0;
  const auto check = [&](unsigned remainder) {
    ++patterns;
    missed += remainder == 0 ? 1 : 0;
  };
  for (size_t i = 0; i < kBits; ++i) {
    const unsigned s1 = c[i];
    check(s1);
    for (size_t j = i + 1; j < kBits; ++j) {
      const unsigned s2 = s1 ^ c[j];
      check(s2);
      for (size_t k = j + 1; k < kBits; ++k) {
        const unsigned s3 = s2 ^ c[k];
        check(s3);
        for (size_t l = k + 1; l < kBits; ++l) {
          const unsigned s4 = s3 ^ c[l];
          check(s4);
          for (size_t m = l + 1; m < kBits; ++m) check(s4 ^ c[m]);
        }
      }
    }
  }
  EXPECT_EQ(patterns, 128u + 8128u + 341376u + 10668000u + 264566400u);
  EXPECT_EQ(missed, 0u);
}

TEST(LinkCrc, EveryBurstOfUpTo16BitsIsCaught) {
  const auto c = columns();
  for (size_t first = 0; first < kBits; ++first) {
    for (unsigned pattern = 1; pattern < 0x10000; pattern += 2) {
      unsigned sum = 0;
      bool fits = true;
      for (size_t b = 0; b < 16; ++b) {
        if ((pattern >> b & 1) == 0) continue;
        fits = fits && first + b < kBits;
        if (fits) sum ^= c[first + b];
      }
      if (fits) {
        ASSERT_NE(sum, 0u) << first << " " << pattern;
      }
    }
  }
}

// On a link with few lanes, one lane carries every 8th or 16th bit of a frame. The remainders of
// these bits must be independent, so every error of one lane is detected.
TEST(LinkCrc, WhateverOneLaneDoesIsCaught) {
  const auto c = columns();
  for (const size_t lanes : {8u, 16u, 64u}) {
    for (size_t lane = 0; lane < lanes; ++lane) {
      std::array<unsigned, 16> leads{};  // by highest bit
      for (size_t b = lane; b < kBits; b += lanes) {
        unsigned x = c[b];
        for (size_t i = 16; i-- > 0;) {
          if ((x >> i & 1) == 0) continue;
          if (leads[i] == 0) {
            leads[i] = x;
            break;
          }
          x ^= leads[i];
        }
        EXPECT_NE(x, 0u) << lanes << " lanes, lane " << lane << ", bit " << b;
      }
    }
  }
}

// Lanes that are all 0 or all 1 are no frame.
TEST(LinkCrc, ConstantLanesAreNotRight) {
  Crc crc;
  EXPECT_NE(crc.of(0, 0), 0xFFFF);
  EXPECT_NE(crc.of(~uint64_t{0}, ~uint64_t{0}), 0xFFFF);
}

}  // namespace
