// SPDX-License-Identifier: Apache-2.0
// Our model of the ECP5's PLL by itself: frequencies, phases, the lock, and what it refuses while
// it runs. What it refuses before is in CMakeLists.txt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "Vow_pll_bench.h"
#include "openwafer/error.h"
#include "verilated.h"

namespace {

using testing::HasSubstr;

constexpr uint64_t kSecond = 1'000'000'000'000'000;  // of femtoseconds
constexpr uint64_t kMicrosecond = kSecond / 1'000'000;

// An input clock: edge n is at n half periods, rounded down, and a delay.
struct Input {
  double mhz;
  uint64_t edges = 0, delay = 0;
  bool stopped = false;
  uint64_t next() const {
    return delay + static_cast<uint64_t>(static_cast<double>(edges) * (0.5e-6 * kSecond / mhz));
  }
};

// Rising edges of an output, and their delay after an edge of the phase detector, modulo the
// output's period.
struct Output {
  double mhz, lag;  // expected: in MHz, and in femtoseconds
  bool level = true;
  uint64_t rises = 0, first = 0, last = 0;
  double worst = 0;
  void look(bool now, uint64_t time, uint64_t reference) {
    if (now && !level) {
      if (rises++ == 0) first = time;
      last = time;
      const double period = kSecond / (mhz * 1e6);
      const double late = std::fmod(static_cast<double>(time - reference) - lag + period, period);
      worst = std::max(worst, std::min(late, period - late));
    }
    level = now;
  }
  void check() const {
    ASSERT_GT(rises, 100u);
    const double period = static_cast<double>(last - first) / static_cast<double>(rises - 1);
    EXPECT_NEAR(kSecond / (period * 1e6), mhz, 1e-6 * mhz);
    EXPECT_LT(worst, 4);
  }
};

class Pll : public testing::Test {
 protected:
  Pll() { top_.eval(); }
  ~Pll() override { top_.final(); }

  void run(uint64_t time) {
    for (const uint64_t end = time_ + time; time_ < end;) step();
  }
  void step() {
    time_ = std::min(a_.next(), b_.next());
    if (top_.eventsPending()) time_ = std::min(time_, top_.nextTimeSlot());
    drive(&a_, &top_.a_i, &rose_a_, 1);
    drive(&b_, &top_.b_i, &rose_b_, 5);
    context_.time(time_);
    top_.eval();
    if (top_.lock_o != 3) return;
    if (locked_ == 0) locked_ = time_;
    for (int k = 0; k < 3; ++k) {
      outputs_a_[k].look((top_.a_o >> k & 1) != 0, time_, rose_a_);
      outputs_b_[k].look((top_.b_o >> k & 1) != 0, time_, rose_b_);
    }
  }
  // The words of the error that ends the simulation within 20 us.
  std::string error() {
    try {
      run(20 * kMicrosecond);
    } catch (const ow::DeviceFault& e) {
      return e.what();
    }
    return "none";
  }

  struct Context : VerilatedContext {
    Context() { threads(1); }
  };
  Context context_;
  Vow_pll_bench top_{&context_, "pll"};
  uint64_t time_ = 0, locked_ = 0, rose_a_ = 0, rose_b_ = 0;
  Input a_{12}, b_{100};
  static constexpr double kVcoA = kSecond / 576e6, kVcoB = kSecond / 600e6;
  Output outputs_a_[3] = {{48, 0}, {96, 0}, {24, 6.5 * kVcoA}};
  Output outputs_b_[3] = {{60, 0}, {60, 0}, {20, 20.375 * kVcoB}};

 private:
  void drive(Input* input, CData* pin, uint64_t* rose, uint64_t divider) {
    if (time_ != input->next()) return;
    if (!input->stopped) {
      *pin = input->edges % 2 == 0;
      if (input->edges % (2 * divider) == 0) *rose = time_;
    }
    ++input->edges;
  }
};

TEST_F(Pll, MakesTheFrequenciesAndPhasesOfItsParameters) {
  run(8 * kMicrosecond);
  EXPECT_EQ(locked_, 0u);
  run(2000 * kMicrosecond);
  EXPECT_GT(locked_, 0u);
  for (const Output& output : outputs_a_) output.check();
  outputs_b_[0].check();
  EXPECT_EQ(outputs_b_[1].rises, 0u);
  outputs_b_[2].check();
}

TEST_F(Pll, RefusesAnInputOutsideThePartsLimits) {
  a_.mhz = 6;
  EXPECT_THAT(error(), HasSubstr("CLKI at 6000 kHz"));
}

TEST_F(Pll, RefusesAPhaseDetectorOutsideThePartsLimits) {
  b_.mhz = 45;
  EXPECT_THAT(error(), HasSubstr("phase detector at 9000 kHz"));
}

TEST_F(Pll, RefusesAVcoThatIsTooSlow) {
  b_.mhz = 60;
  EXPECT_THAT(error(), HasSubstr("VCO at 360000 kHz"));
}

TEST_F(Pll, RefusesAVcoThatIsTooFast) {
  a_.mhz = 17;
  EXPECT_THAT(error(), HasSubstr("VCO at 816000 kHz"));
}

TEST_F(Pll, RefusesAFeedbackThatIsNotItsOutput) {
  top_.cut_i = 1;
  EXPECT_THAT(error(), HasSubstr("CLKFB is not CLKOP"));
}

TEST_F(Pll, RefusesAReset) {
  top_.reset_i = 1;
  EXPECT_THAT(error(), HasSubstr("reset"));
}

TEST_F(Pll, NoticesThatItsInputStops) {
  run(20 * kMicrosecond);
  a_.stopped = true;
  EXPECT_THAT(error(), HasSubstr("CLKI has stopped"));
}

TEST_F(Pll, NoticesThatItsInputJumps) {
  run(20 * kMicrosecond);
  a_.delay = kSecond / 1'000'000'000;
  EXPECT_THAT(error(), HasSubstr("has jumped"));
}

}  // namespace
