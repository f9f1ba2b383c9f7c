// SPDX-License-Identifier: Apache-2.0
// The non-linear functions: every input of every function in both formats against golden, golden
// against exact integer arithmetic and the table of special values, and the unit's protocol.
// OW_SEED in the environment chooses the seed of the random test.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "Vow_nlf.h"
#include "options.h"
#include "ow/golden/nonlinear.h"
#include "verilated.h"

namespace {

using ow::golden::Nlf;

constexpr int kLatency = 6;
const char* const kNames[] = {"rcp", "rsqrt", "exp", "log", "tanh", "sigmoid"};

uint16_t golden(int fn, bool bf16, uint16_t x) {
  const Nlf f = static_cast<Nlf>(fn);
  return bf16 ? ow::golden::nlf_bf16(f, x) : ow::golden::nlf_f16(f, x);
}

std::string name(int fn, bool bf16) { return std::string(kNames[fn]) + (bf16 ? " bf16" : " f16"); }

// The Verilated unit.
class Unit {
 public:
  Unit() : context_(std::make_unique<VerilatedContext>()) {
    model_ = std::make_unique<Vow_nlf>(context_.get());
    model_->clk_i = 0;
    model_->valid_i = 0;
    model_->rst_i = 1;
    cycle();
    model_->rst_i = 0;
  }
  void offer(int fn, bool bf16, uint16_t x) {
    model_->valid_i = 1;
    model_->fn_i = static_cast<CData>(fn);
    model_->bf16_i = bf16;
    model_->x_i = x;
  }
  void offer_nothing() { model_->valid_i = 0; }
  void reset(bool on) { model_->rst_i = on; }
  void cycle() {
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->eval();
  }
  bool valid() const { return model_->valid_o; }
  uint16_t y() const { return model_->y_o; }

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vow_nlf> model_;
};

class EveryInput : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(EveryInput, IsCorrectlyRounded) {
  const auto [fn, bf16] = GetParam();
  Unit unit;
  int wrong = 0;
  for (int i = 0; i < 65536 + kLatency - 1; ++i) {
    if (i < 65536) {
      unit.offer(fn, bf16, static_cast<uint16_t>(i));
    } else {
      unit.offer_nothing();
    }
    unit.cycle();
    const int x = i - (kLatency - 1);
    ASSERT_EQ(unit.valid(), x >= 0);
    if (x < 0) continue;
    const uint16_t want = golden(fn, bf16, static_cast<uint16_t>(x));
    if (unit.y() != want && ++wrong <= 20) {
      ADD_FAILURE() << name(fn, bf16) << std::hex << " of " << x << ": " << unit.y() << ", not "
                    << want;
    }
  }
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Nlf, EveryInput,
                         testing::Combine(testing::Range(0, ow::golden::kNlfCount),
                                          testing::Bool()),
                         [](const auto& info) {
                           return std::string(kNames[std::get<0>(info.param)]) +
                                  (std::get<1>(info.param) ? "_bf16" : "_f16");
                         });

TEST(Nlf, FunctionsAndFormatsMixWithGapsAndReset) {
  const uint64_t seed = ow::test_option("OW_SEED", 1);
  std::mt19937_64 random(seed);
  Unit unit;
  struct Expected {
    bool valid;
    uint16_t y;
  };
  std::vector<Expected> pipe(kLatency, {false, 0});
  for (int i = 0; i < 100000; ++i) {
    const bool reset = random() % 1000 == 0;
    unit.reset(reset);
    Expected e{random() % 3 != 0, 0};
    if (e.valid) {
      const int fn = static_cast<int>(random() % 6);
      const bool bf16 = random() % 2 != 0;
      const uint16_t x = static_cast<uint16_t>(random());
      unit.offer(fn, bf16, x);
      e.y = golden(fn, bf16, x);
    } else {
      unit.offer_nothing();
    }
    unit.cycle();
    pipe.erase(pipe.begin());
    pipe.push_back(e);
    if (reset) pipe.assign(kLatency, {false, 0});
    ASSERT_EQ(unit.valid(), pipe.front().valid) << "cycle " << i;
    ASSERT_EQ(unit.y(), pipe.front().y) << "cycle " << i;
  }
}

TEST(NlfGolden, SpecialValuesAreAsDocumented) {
  struct Case {
    uint16_t x;
    uint16_t y[6];  // rcp, rsqrt, exp, log, tanh, sigmoid
  };
  const Case f16[] = {
      {0x0000, {0x7C00, 0x7C00, 0x3C00, 0xFC00, 0x0000, 0x3800}},
      {0x8000, {0xFC00, 0xFC00, 0x3C00, 0xFC00, 0x8000, 0x3800}},
      {0x3C00, {0x3C00, 0x3C00, 0x4170, 0x0000, 0x3A18, 0x39D9}},
      {0xBC00, {0xBC00, 0x7E00, 0x35E3, 0x7E00, 0xBA18, 0x344E}},
      {0x7C00, {0x0000, 0x0000, 0x7C00, 0x7C00, 0x3C00, 0x3C00}},
      {0xFC00, {0x8000, 0x7E00, 0x0000, 0x7E00, 0xBC00, 0x0000}},
      {0x7C01, {0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00}},
      {0xFFFF, {0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00, 0x7E00}},
      {0x0001, {0x7C00, 0x6C00, 0x3C00, 0xCC29, 0x0001, 0x3800}},
      {0x8001, {0xFC00, 0x7E00, 0x3C00, 0x7E00, 0x8001, 0x3800}},
  };
  const Case bf16[] = {
      {0x0000, {0x7F80, 0x7F80, 0x3F80, 0xFF80, 0x0000, 0x3F00}},
      {0x8000, {0xFF80, 0xFF80, 0x3F80, 0xFF80, 0x8000, 0x3F00}},
      {0x3F80, {0x3F80, 0x3F80, 0x402E, 0x0000, 0x3F43, 0x3F3B}},
      {0x7F80, {0x0000, 0x0000, 0x7F80, 0x7F80, 0x3F80, 0x3F80}},
      {0xFF80, {0x8000, 0x7FC0, 0x0000, 0x7FC0, 0xBF80, 0x0000}},
      {0x7F81, {0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0}},
      {0x7F7F, {0x0020, 0x1F80, 0x7F80, 0x42B1, 0x3F80, 0x3F80}},
  };
  for (int fn = 0; fn < 6; ++fn) {
    for (const Case& c : f16) EXPECT_EQ(golden(fn, false, c.x), c.y[fn]) << kNames[fn] << c.x;
    for (const Case& c : bf16) EXPECT_EQ(golden(fn, true, c.x), c.y[fn]) << kNames[fn] << c.x;
  }
}

// The midpoints on both sides of y, which is finite; exact.
void midpoints(bool bf16, uint16_t y, long double* low, long double* high) {
  const uint16_t inf = bf16 ? 0x7F80 : 0x7C00;
  const long double v = ow::golden::nlf_value(bf16, y);
  *low = (ow::golden::nlf_value(bf16, static_cast<uint16_t>(y - 1)) + v) / 2;
  const uint16_t next = static_cast<uint16_t>(y + 1);
  // Beyond the largest number is the next power of two.
  *high = next == inf ? v + (v - *low) : (ow::golden::nlf_value(bf16, next) + v) / 2;
}

TEST(NlfGolden, ReciprocalsAgreeWithExactProducts) {
  // With a long double of 64 bits or more the products below are exact: a midpoint has at most 12
  // significant bits, its square times x at most 35.
  for (const bool bf16 : {false, true}) {
    const uint16_t inf = bf16 ? 0x7F80 : 0x7C00;
    for (uint16_t x = 1; x < inf; ++x) {
      const long double v = ow::golden::nlf_value(bf16, x);
      long double low;
      long double high;
      const uint16_t rcp = golden(0, bf16, x);
      ASSERT_EQ(golden(0, bf16, x | 0x8000), rcp | 0x8000);
      if (rcp == inf) {
        midpoints(bf16, inf - 1, &low, &high);
        ASSERT_GE(1, high * v);
      } else {
        midpoints(bf16, rcp, &low, &high);
        ASSERT_GT(1, low * v) << x;
        ASSERT_LT(1, high * v) << x;
      }
      const uint16_t rsqrt = golden(1, bf16, x);
      ASSERT_LT(rsqrt, inf);
      midpoints(bf16, rsqrt, &low, &high);
      ASSERT_GT(1, low * low * v) << x;
      ASSERT_LT(1, high * high * v) << x;
    }
  }
}

TEST(NlfGolden, NoInputIsTooHardToRound) {
  long double least = 1;
  for (int fn = 0; fn < 6; ++fn) {
    for (const bool bf16 : {false, true}) {
      long double margin = 1;
      for (int x = 0; x < 65536; ++x) {
        margin = std::min(
            margin, ow::golden::nlf_margin(static_cast<Nlf>(fn), bf16, static_cast<uint16_t>(x)));
      }
      std::printf("%-13s nearest midpoint 2^%.1Lf\n", name(fn, bf16).c_str(), std::log2(margin));
      least = std::min(least, margin);
    }
  }
  EXPECT_GT(least, std::ldexp(1.0L, -38));
  EXPECT_LT(least, std::ldexp(1.0L, -37));
}

}  // namespace
