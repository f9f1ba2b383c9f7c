// SPDX-License-Identifier: Apache-2.0
// All 2^32 pairs of binary16 operands of addition and of multiplication, and all pairs of bfloat16
// operands of multiplication, through the RTL's datapath, eight at a time. The expected results
// come from the golden formats' fast forms, which test_formats checks against the definition. Here
// one pair in 509 is checked against the definition again (a prime, so every operand meets many
// others).
// OW_THREADS in the environment is the number of threads (default: as many as processors);
// OW_ROWS limits the first operand to so many values, spread over all.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "Vow_fp_sweep.h"
#include "options.h"
#include "ow/golden/formats.h"
#include "ow/measure/datapath.h"
#include "verilated.h"

namespace ow::fp {
namespace {

using Function = uint16_t (*)(uint16_t, uint16_t);

class Sweep {
 public:
  Sweep(DpOp op, DpFmt fmt, Function fast, Function exact)
      : op_(op), fmt_(fmt), fast_(fast), exact_(exact) {}

  void run() {
    std::vector<std::thread> threads;
    const uint64_t n = test_option("OW_THREADS", std::max(1u, std::thread::hardware_concurrency()));
    for (uint64_t i = 0; i < n; ++i) threads.emplace_back([this] { work(); });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(bad_, 0u);
    EXPECT_EQ(pairs_, static_cast<uint64_t>(rows_) * 65536);
    std::printf("%llu pairs, %llu held against the definition\n",
                static_cast<unsigned long long>(pairs_), static_cast<unsigned long long>(proven_));
  }

 private:
  // Takes values of the first operand until there are none left.
  void work() {
    VerilatedContext context;
    Vow_fp_sweep top{&context};
    const auto cycle = [&top] {
      top.clk_i = 0;
      top.eval();
      top.clk_i = 1;
      top.eval();
    };
    top.start_i = 0;
    top.rst_i = 1;
    for (int i = 0; i < 4; ++i) cycle();
    top.rst_i = 0;
    for (uint32_t row = next_++; row < rows_ && bad_ < 20; row = next_++) {
      const auto a = static_cast<uint16_t>(static_cast<uint64_t>(row) * 65536 / rows_);
      top.start_i = 1;
      top.op_i = static_cast<uint8_t>(op_);
      top.fmt_i = static_cast<uint8_t>(fmt_);
      top.a_i = a;
      cycle();
      top.start_i = 0;
      uint64_t proven = 0;
      for (uint32_t b = 0; b < 65536;) {
        cycle();
        if (!top.valid_o) continue;
        if (top.base_o != b) report(a, top.base_o, b, 0);
        for (uint32_t l = 0; l < 8; ++l) {
          const auto y = static_cast<uint16_t>(b + l);
          const uint16_t want = fast_(a, y);
          const auto got = static_cast<uint16_t>(top.result_o[l / 2] >> (16 * (l % 2)));
          if (got != want) report(a, y, got, want);
          if ((static_cast<uint32_t>(a) * 65536 + y) % 509 == 0) {
            ++proven;
            if (exact_(a, y) != want) report(a, y, exact_(a, y), want);
          }
        }
        b += 8;
      }
      pairs_ += 65536;
      proven_ += proven;
    }
    Verilated::threadContextp(&context);  // a model uses its thread's context when it is destroyed
    top.final();
  }

  void report(uint16_t a, uint16_t b, uint32_t got, uint16_t want) {
    if (++bad_ <= 20) std::printf("%04X %04X: %04X, golden %04X\n", a, b, got, want);
  }

  DpOp op_;
  DpFmt fmt_;
  Function fast_;
  Function exact_;
  uint32_t rows_ = static_cast<uint32_t>(std::min<uint64_t>(65536, test_option("OW_ROWS", 65536)));
  std::atomic<uint32_t> next_{0};
  std::atomic<uint64_t> bad_{0};
  std::atomic<uint64_t> pairs_{0};
  std::atomic<uint64_t> proven_{0};
};

TEST(Exhaustive, Binary16Add) {
  Sweep(DpOp::kAdd, DpFmt::kF16, golden::f16_add, golden::exact::f16_add).run();
}
TEST(Exhaustive, Binary16Mul) {
  Sweep(DpOp::kMul, DpFmt::kF16, golden::f16_mul, golden::exact::f16_mul).run();
}
TEST(Exhaustive, Bfloat16Mul) {
  Sweep(DpOp::kMul, DpFmt::kBf16, golden::bf16_mul, golden::exact::bf16_mul).run();
}

}  // namespace
}  // namespace ow::fp
