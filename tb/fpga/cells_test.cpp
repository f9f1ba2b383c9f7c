// SPDX-License-Identifier: Apache-2.0
// Our models of an ECP5's cells, one by one: memories beside those of rtl/common, flip-flops beside
// registers, arithmetic beside C++'s. OW_SEED in the environment sets the seed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "../harness/seed.h"
#include "Vow_cells.h"
#include "openwafer/error.h"
#include "ow/base/rng.h"
#include "verilated.h"

namespace {

using testing::HasSubstr;

// As ow_cells has them.
constexpr std::array<const char*, 12> kNames = {
    "DP16KD of a byte",     "DP16KD of two bytes",   "DP16KD of four bytes",
    "two bytes by enables", "four bytes by enables", "written at the second port",
    "one port of a byte",   "one port of two bytes", "the port that writes reads the old word",
    "the other port, too",  "TRELLIS_DPR16X4",       "TRELLIS_DPR16X4 and TRELLIS_FF"};
constexpr int kWordBits = 36, kWords = 2048;
enum Refused { kReset, kSecondClock, kOtherFactor, kAddend, kSecondPort };

std::vector<uint64_t> seeds() { return ow::test_seeds({1, 2, 3}); }

class Cells : public testing::Test {
 protected:
  ~Cells() override { top_.final(); }

  static uint32_t bits(ow::Rng* rng, int n) {
    return static_cast<uint32_t>(rng->next() >> (64 - n));
  }
  void eval(int clk) {
    top_.clk_i = static_cast<CData>(clk);
    top_.eval();
  }
  template <class Wide>
  static uint64_t word(const Wide& wide, int index) {
    uint64_t value = 0;
    for (int k = 0; k < kWordBits; ++k) {
      const int bit = index * kWordBits + k;
      value |= static_cast<uint64_t>(wide[bit / 32] >> bit % 32 & 1) << k;
    }
    return value;
  }
  void check_memories() {
    for (size_t k = 0; k < kNames.size(); ++k) {
      const int i = static_cast<int>(k);
      ASSERT_EQ(word(top_.got_o, i), word(top_.want_o, i)) << kNames[k];
    }
  }
  // The words of the error when the pin is used so.
  std::string error(Refused what) {
    eval(0);
    top_.refused_i = static_cast<CData>(1u << what);
    try {
      for (int k = 0; k < 2; ++k) {
        eval(1);
        eval(0);
      }
    } catch (const ow::DeviceFault& e) {
      return e.what();
    }
    return "none";
  }

  struct Context : VerilatedContext {
    Context() { threads(1); }
  };
  Context context_;
  Vow_cells top_{&context_, "cells"};
};

TEST_F(Cells, MemoriesAreThoseOfTheRtl) {
  // Where accesses go: everywhere, to words that differ in their lowest bits, or in their highest.
  constexpr std::array<uint32_t, 4> kMasks = {0x7FF, 0x00F, 0x780, 0x003};
  for (const uint64_t seed : seeds()) {
    SCOPED_TRACE(fmt::format("OW_SEED={}", seed));
    ow::Rng rng(seed);
    // What was never written is anything; the single ports write where the others read.
    top_.we_i = top_.re_i = 1;
    top_.be_i = 15;
    for (uint32_t k = 0; k < kWords; ++k) {
      top_.waddr_i = top_.raddr_i = static_cast<SData>(k);
      top_.data_i = rng.next() >> (64 - kWordBits);
      eval(0);
      eval(1);
    }
    uint32_t mask = kMasks[0];
    for (int cycle = 0; cycle < 20'000; ++cycle) {
      if (rng.below(64) == 0) mask = kMasks[rng.below(kMasks.size())];
      top_.we_i = bits(&rng, 1);
      top_.re_i = rng.below(4) != 0;
      top_.be_i = bits(&rng, 4);
      top_.waddr_i = static_cast<SData>(bits(&rng, 11) & mask);
      top_.raddr_i = static_cast<SData>(bits(&rng, 11) & mask);
      top_.data_i = rng.next() >> (64 - kWordBits);
      eval(0);
      check_memories();
      eval(1);
      check_memories();
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(Cells, FlipFlopsAreRegistersInEachOfTheirModes) {
  for (const uint64_t seed : seeds()) {
    SCOPED_TRACE(fmt::format("OW_SEED={}", seed));
    ow::Rng rng(seed);
    // A reset and an enable of either level bring all of them to a known one.
    for (int k = 0; k < 4; ++k) {
      top_.lsr_i = k / 2;
      top_.ce_i = k % 2;
      eval(0);
      eval(1);
    }
    uint64_t changes = 0;
    for (int cycle = 0; cycle < 20'000; ++cycle) {
      const uint64_t before = top_.ff_o;
      top_.d_i = bits(&rng, 1);
      top_.ce_i = bits(&rng, 1);
      top_.lsr_i = bits(&rng, 1);
      // Half of the modes clock at the rising edge, half at the falling edge.
      for (const int clk : {1, 0}) {
        eval(clk);
        ASSERT_EQ(top_.ff_o, top_.ff_want_o) << "cycle " << cycle;
      }
      changes |= before ^ top_.ff_o;
    }
    EXPECT_EQ(changes, (uint64_t{1} << 48) - 1) << "a flip-flop that stands still";
  }
}

TEST_F(Cells, TheMultiplierMultiplies) {
  // The ends of what signs allow, and anything.
  constexpr std::array<uint32_t, 6> kEnds = {0, 1, 0x1FFFF, 0x20000, 0x20001, 0x3FFFF};
  for (const uint64_t seed : seeds()) {
    SCOPED_TRACE(fmt::format("OW_SEED={}", seed));
    ow::Rng rng(seed);
    const auto factor = [&] {
      return rng.below(3) == 0 ? kEnds[rng.below(kEnds.size())] : bits(&rng, 18);
    };
    const auto value = [](uint32_t x, bool with_sign) {
      return with_sign && (x >> 17 & 1) != 0 ? static_cast<int64_t>(x) - (1 << 18)
                                             : static_cast<int64_t>(x);
    };
    for (int k = 0; k < 20'000; ++k) {
      top_.factor_a_i = factor();
      top_.factor_b_i = factor();
      top_.signed_a_i = bits(&rng, 1);
      top_.signed_b_i = bits(&rng, 1);
      top_.eval();
      const int64_t product = value(top_.factor_a_i, top_.signed_a_i != 0) *
                              value(top_.factor_b_i, top_.signed_b_i != 0);
      ASSERT_EQ(top_.product_o, static_cast<uint64_t>(product) & 0xFFFFFFFFFu)
          << top_.factor_a_i << " x " << top_.factor_b_i;
    }
  }
}

TEST_F(Cells, TheCarryChainAddsAndSubtracts) {
  for (const uint64_t seed : seeds()) {
    SCOPED_TRACE(fmt::format("OW_SEED={}", seed));
    ow::Rng rng(seed);
    for (int k = 0; k < 20'000; ++k) {
      top_.add_a_i = bits(&rng, 24);
      // Carries that go all the way, too.
      top_.add_b_i = rng.below(3) == 0 ? ~top_.add_a_i & 0xFFFFFFu : bits(&rng, 24);
      top_.carry_i = bits(&rng, 1);
      top_.subtract_i = bits(&rng, 1);
      top_.eval();
      const uint32_t b = top_.subtract_i != 0 ? ~top_.add_b_i & 0xFFFFFFu : top_.add_b_i;
      ASSERT_EQ(top_.sum_o, top_.add_a_i + b + top_.carry_i);
    }
  }
}

TEST_F(Cells, LookUpTablesAreTheirInitialValues) {
  for (unsigned in = 0; in < 16; ++in) {
    const bool a = (in & 1) != 0, b = (in & 2) != 0, c = (in & 4) != 0, d = (in & 8) != 0;
    const std::array<bool, 8> want = {
        a, b, c, d, a && b && c && d, a || b || c || d, (a != b) != (c != d), c ? b : a};
    top_.lut_i = static_cast<CData>(in);
    top_.eval();
    for (size_t k = 0; k < want.size(); ++k) {
      EXPECT_EQ((top_.lut_o >> k & 1) != 0, want[k]) << "table " << k << ", inputs " << in;
    }
  }
}

TEST_F(Cells, RefuseAResetOfAMemory) { EXPECT_THAT(error(kReset), HasSubstr("a reset of what")); }
TEST_F(Cells, RefuseASecondClock) { EXPECT_THAT(error(kSecondClock), HasSubstr("a second clock")); }
TEST_F(Cells, RefuseAFactorOfAnotherMultiplier) {
  EXPECT_THAT(error(kOtherFactor), HasSubstr("operands from another"));
}
TEST_F(Cells, RefuseAnAddendOfAMultiplier) {
  EXPECT_THAT(error(kAddend), HasSubstr("an operand that the product"));
}
TEST_F(Cells, RefuseFourBytesWrittenAtTheSecondPort) {
  top_.re_i = 1;
  EXPECT_THAT(error(kSecondPort), HasSubstr("four bytes by the second port"));
}

}  // namespace
