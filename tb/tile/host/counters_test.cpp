// SPDX-License-Identifier: Apache-2.0
// The tile's counters against sums in the test, under random events and causes. Time passes in
// single cycles and in leaps, as for a tile that is not clocked.
// OW_SEED in the environment chooses the seed.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "Vow_counters.h"
#include "ow/isa/isa.h"
#include "verilated.h"

namespace {

using ow::isa::Counter;

constexpr int kBeats = static_cast<int>(Counter::Beats);
constexpr int kStallMemory = static_cast<int>(Counter::StallMemory);
constexpr int kNoWork = static_cast<int>(Counter::NoWork);
constexpr int kReducerElements = static_cast<int>(Counter::ReducerElements);
constexpr int kInstructions = static_cast<int>(Counter::Instructions);
constexpr int kAsleep = static_cast<int>(Counter::Asleep);
constexpr int kWaveletsIn = static_cast<int>(Counter::WaveletsIn);
constexpr int kWaveletsOut = static_cast<int>(Counter::WaveletsOut);
constexpr int kWeights = static_cast<int>(Counter::Weights);
constexpr int kReducerWait = static_cast<int>(Counter::ReducerWait);
constexpr uint64_t kMask = (uint64_t{1} << 48) - 1;
constexpr int kCounters = 13;

// The expected counters: each counts the events so far, or the cycles with its cause.
class Sums {
 public:
  void reset() {
    for (uint64_t& sum : sums_) sum = 0;
    cause_ = kNoWork;
    asleep_ = waits_ = false;
  }
  void events(int counter, unsigned number) { sums_[counter] += number; }
  // `cycles` cycles pass with the last inputs.
  void pass(uint64_t cycles) {
    if (cause_ != kBeats) sums_[cause_] += cycles;
    if (asleep_) sums_[kAsleep] += cycles;
    if (waits_) sums_[kReducerWait] += cycles;
  }
  void set(int cause, bool asleep, bool waits) {
    cause_ = cause;
    asleep_ = asleep;
    waits_ = waits;
  }
  uint64_t value(int counter) const { return counter < kCounters ? sums_[counter] & kMask : 0; }

 private:
  uint64_t sums_[kCounters] = {};
  int cause_ = kNoWork;
  bool asleep_ = false, waits_ = false;
};

struct Bench {
  std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vow_counters> unit = std::make_unique<Vow_counters>(context.get());
  Sums model;
  uint64_t cycle = 0;

  void reset() {
    unit->clk_i = 0;
    unit->rst_i = 1;
    set(kNoWork, false, false);
    events(0, 0, 0, 0, 0, 0);
    edge();
    unit->rst_i = 0;
    model.reset();
  }
  void set(int cause, bool asleep, bool waits) {
    unit->eng_cause_i = cause;
    unit->asleep_i = asleep;
    unit->red_wait_i = waits;
  }
  void events(unsigned beat, unsigned elements, unsigned retire, unsigned in, unsigned out,
              unsigned weight) {
    unit->ev_beat_i = beat;
    unit->ev_red_elem_i = elements;
    unit->ev_retire_i = retire;
    unit->ev_in_i = in;
    unit->ev_out_i = out;
    unit->ev_weight_i = weight;
  }
  void edge() {
    unit->clk_i = 0;
    unit->cycle_i = cycle & kMask;
    unit->eval();
    unit->clk_i = 1;
    unit->eval();
  }
  // One edge, after which `cycles` cycles pass.
  void step(uint64_t cycles) {
    edge();
    model.events(kBeats, unit->ev_beat_i);
    model.events(kReducerElements, unit->ev_red_elem_i);
    model.events(kInstructions, unit->ev_retire_i);
    model.events(kWaveletsIn, unit->ev_in_i);
    model.events(kWaveletsOut, unit->ev_out_i);
    model.events(kWeights, unit->ev_weight_i);
    model.set(unit->eng_cause_i, unit->asleep_i, unit->red_wait_i);
    model.pass(cycles);
    cycle += cycles;
  }
  uint64_t read(int counter) {
    unit->cycle_i = cycle & kMask;
    unit->read_i = 1;
    unit->index_i = counter;
    unit->eval();
    const uint64_t value = unit->value_o;
    unit->read_i = 0;
    unit->eval();
    return value;
  }
  void expect_all(const char* when) {
    for (int k = 0; k < 16; ++k) ASSERT_EQ(read(k), model.value(k)) << when << ", counter " << k;
  }
};

TEST(Counters, AreWhatWasCountedWhateverHappensTogether) {
  const char* seed = std::getenv("OW_SEED");
  std::mt19937 random(seed ? std::strtoul(seed, nullptr, 0) : 1);
  SCOPED_TRACE("seed " + std::string(seed ? seed : "1"));
  Bench bench;
  bench.cycle = 1000;
  bench.reset();
  for (int phase = 0; phase < 400; ++phase) {
    const unsigned events = random() % 4, causes = random() % 8, leaps = random() % 4;
    for (int i = 0; i < 200; ++i) {
      auto happens = [&] { return events == 3 || (events != 0 && random() % (4 - events) == 0); };
      bench.events(happens(), happens() ? random() % 3 : 0, happens(), happens(), happens(),
                   happens());
      if (random() % (causes + 1) == 0) bench.set(random() % 6, random() % 2, random() % 2);
      bench.step(leaps == 0 && random() % 16 == 0 ? random() : 1);
    }
    bench.expect_all("after a phase");
    if (testing::Test::HasFatalFailure()) return;
    if (random() % 50 == 0) bench.reset();
  }
}

// The highest rate for all: each event in each cycle, two elements of the reducer.
TEST(Counters, LoseNothingWhenAllCountInEveryCycle) {
  Bench bench;
  bench.reset();
  bench.events(1, 2, 1, 1, 1, 1);
  for (int i = 0; i < 5000; ++i) {
    bench.set(i % 6, i % 2 == 0, i % 3 == 0);
    bench.step(1);
    if (i % 97 == 0) bench.expect_all("while all count");
    if (testing::Test::HasFatalFailure()) return;
  }
  bench.expect_all("at the end");
}

TEST(Counters, AreIdleWhenNothingChanges) {
  Bench bench;
  bench.reset();
  bench.events(1, 2, 1, 1, 1, 1);
  for (int i = 0; i < 40; ++i) bench.step(1);
  bench.events(0, 0, 0, 0, 0, 0);
  bench.set(kStallMemory, true, false);
  bench.unit->eval();
  EXPECT_FALSE(bench.unit->idle_o);
  bench.step(1);
  bench.unit->eval();
  EXPECT_TRUE(bench.unit->idle_o);
  bench.step(uint64_t{1} << 40);
  bench.expect_all("after a long time");
}

}  // namespace
