// SPDX-License-Identifier: Apache-2.0
// The reducer: the rates that its header promises, latency, a chain of four, wrong configurations,
// halt, addresses. Random drains: random_test.cpp.
#include "reduce_bench.h"

using namespace ow_reduce;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

using Cause = ow::isa::ReducerCause;

// Cycles for 16 rows of 32 samples with their actions in turn, without any waiting.
template <class B>
uint64_t cycles_for(const std::array<Action, 3>& actions) {
  B bench;
  const int ring = 16 * B::kLaneCount / 32;  // all that the accumulator words hold
  for (int j = 0; j < 16; ++j) bench.rows.push_back({true, std::vector<uint32_t>(32, 0x3F800000)});
  bench.configure(32, ring, 16, 3, 1, actions, 0, 4096, 128);
  bench.start(0, 0);
  const uint64_t begin = bench.cycles;
  while (bench.done == 0 && bench.cycles < begin + 100000) {
    for (int q : {0, 1}) {
      if (bench.has_space(q)) bench.in[q].push_back(0x40000000);
    }
    bench.step();
  }
  EXPECT_EQ(bench.elements, 512u);
  return bench.cycles - begin;
}

// The action of kind 0 .. 31: bit 0 in0, 1 in1, 2 bias, 3 to memory, 4 binary16 with ReLU.
Action action_of_kind(int kind) {
  Action a;
  if ((kind & 1) != 0) a.in0 = 0;
  if ((kind & 2) != 0) a.in1 = 1;
  a.bias = (kind & 4) != 0;
  a.memory = (kind & 8) != 0;
  a.f16 = a.relu = (kind & 16) != 0;
  return a;
}

TEST(Reduce, EveryActionPassesOneElementACycle) {
  for (int kind = 0; kind < 32; ++kind) {
    const Action a = action_of_kind(kind);
    EXPECT_LE(cycles_for<Bench8>({a, a, a}), 512u + 12) << "kind " << kind;
  }
}

#if OW_OTHER_SIZES
// One adder that shifts one place per cycle takes an element at a time. An element takes 11 cycles,
// 15 for each addition and one for each place (at most 27 for its terms), 25 for a rounding to
// binary16, and up to 3 until its turn at the ramp. Each row takes 3 more.
TEST(Reduce, OneAdderTakesAnElementAtATime) {
  for (int kind = 0; kind < 32; ++kind) {
    const Action a = action_of_kind(kind);
    const uint64_t most = 11 + (15 + 27) * a.additions() + (a.f16 ? 25 : 0) + (a.memory ? 0 : 3);
    EXPECT_LE(cycles_for<Bench2>({a, a, a}), 512 * most + 16 * 3 + 12) << "kind " << kind;
  }
}
#endif

// No addition and 16 bits per result: two elements per cycle, to the fabric and to memory.
TEST(Reduce, ShortElementsWithoutAnAdditionPassInPairs) {
  for (const bool memory : {false, true}) {
    Action a = action_of_kind(16);
    a.memory = memory;
    EXPECT_LE(cycles_for<Bench8>({a, a, a}), 256u + 12) << "memory " << memory;
  }
}

// A change of action costs at most the difference of the two latencies through the adders.
TEST(Reduce, RowsOfDifferentActionsFollowEachOtherInTheChain) {
  for (int lower = 0; lower < 8; ++lower) {
    for (int equal = 0; equal < 8; ++equal) {
      const std::array<Action, 3> actions = {action_of_kind(lower), action_of_kind(equal),
                                             action_of_kind(7)};
      uint64_t held = 0;
      for (int j = 0; j < 15; ++j) {
        const int less = actions[j % 3].additions() - actions[(j + 1) % 3].additions();
        held += static_cast<uint64_t>(std::max(0, 2 * less));
      }
      EXPECT_LE(cycles_for<Bench8>(actions), 512u + held + 12) << lower << " " << equal;
    }
  }
}

// An operand that comes first waits for the others. With the chain the sum leaves 2n + 2 cycles
// after the last operand, with n additions.
template <class B>
void check_latency(bool chain) {
  for (int kind = 0; kind < 8; ++kind) {
    const Action a = action_of_kind(kind);
    B bench;
    bench.rows.push_back({true, std::vector<uint32_t>(8, 0x3F800000)});
    bench.configure(8, 1, 1, 1, 0, {a, a, a}, 0, 0, 0);
    bench.start(0, 0);
    for (int i = 0; i < 20; ++i) bench.step();
    if (a.in0 < 0 && a.in1 < 0) continue;  // nothing held it up
    EXPECT_EQ(bench.elements, 0u);
    bench.in[0].push_back(0x40000000);
    for (int i = 0; a.in0 >= 0 && a.in1 >= 0 && i < 5; ++i) bench.step();
    if (a.in0 >= 0 && a.in1 >= 0) {
      EXPECT_EQ(bench.in[0].size(), 1u) << "in0 taken without in1";
    }
    bench.in[1].push_back(0x40000000);
    int cycles = 0;
    while (bench.elements == 0 && cycles < 200) {
      bench.step();
      ++cycles;
    }
    EXPECT_EQ(bench.elements, 1u) << "kind " << kind;
    if (chain) {
      EXPECT_EQ(cycles, 2 * a.additions() + 2) << "kind " << kind;
    }
  }
}

TEST(Reduce, LatencyIsTwoCyclesAnAddition) {
  check_latency<Bench8>(true);
#if OW_OTHER_SIZES
  check_latency<Bench2>(false);
#endif
}

// If nothing is added, sums leave unchanged, bit for bit.
TEST(Reduce, AddingNothingChangesNoBit) {
  for (const uint32_t bits :
       {0x80000000u, 0u, 1u, 0x807FFFFFu, 0x7F800000u, 0xFF800000u, golden::kNan32, 0x3F800001u}) {
    Bench8 bench;
    const Action a;
    bench.rows.push_back({true, std::vector<uint32_t>(8, bits)});
    bench.configure(8, 1, 1, 1, 0, {a, a, a}, 0, 0, 0);
    bench.start(0, 0);
    for (int i = 0; i < 40; ++i) bench.step();
    EXPECT_EQ(bench.sent[0], std::vector<uint32_t>(8, bits));
  }
}

TEST(Reduce, ChainOfFourPassesOneWaveletACycle) {
  constexpr int kRows = 32;
  constexpr int kSamples = 32;
  std::array<Bench8, 4> chain;
  std::mt19937_64 rng(seed());
  std::vector<uint32_t> want(kRows * kSamples);
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < kRows; ++j) {
      Row row;
      for (int e = 0; e < kSamples; ++e) {
        row.sums.push_back(random_sum(rng));
        uint32_t& w = want[static_cast<size_t>(j * kSamples + e)];
        w = k == 0 ? row.sums[e] : golden::f32_add(row.sums[e], w);
      }
      chain[k].rows.push_back(row);
    }
    Action a;
    a.in0 = k == 0 ? -1 : 2;
    a.out = 3;
    chain[k].configure(kSamples, 4, kRows, 1, 0, {a, a, a}, 0, 0, 0);
    chain[k].start(0, 0);
  }
  // A hop between neighbours takes two cycles and passes one wavelet a cycle; the receiving queue
  // must have room for what is under way.
  std::array<std::array<std::deque<uint32_t>, 2>, 4> hop;
  std::vector<uint32_t> got;
  uint64_t cycle = 0;
  uint64_t first = 0;
  for (; got.size() < want.size() && cycle < 10000; ++cycle) {
    for (int k = 0; k < 4; ++k) {
      const size_t before = chain[k].sent[3].size();
      chain[k].p_drain =
          k == 3 || chain[k + 1].in[2].size() + hop[k][0].size() + hop[k][1].size() < kQueueDepth
              ? 100
              : 0;
      chain[k].step();
      if (k == 3) {
        got = chain[3].sent[3];
        if (first == 0 && !got.empty()) first = cycle;
        continue;
      }
      if (!hop[k][1].empty()) {
        chain[k + 1].in[2].push_back(hop[k][1].front());
        hop[k][1].pop_front();
      }
      std::swap(hop[k][0], hop[k][1]);
      if (chain[k].sent[3].size() > before) hop[k][0].push_back(chain[k].sent[3].back());
    }
  }
  ASSERT_EQ(got, want);
  std::printf("chain: first sum after %llu cycles, %zu sums in %llu cycles\n",
              static_cast<unsigned long long>(first), want.size(),
              static_cast<unsigned long long>(cycle - first));
  EXPECT_LE(cycle - first, want.size() + 8);
}

template <class B>
bool bad_registers(B& bench) {
  return reg::RedStatus::Error::get(bench.read(reg::RedStatus::kOffset));
}

TEST(Reduce, BadConfigurationEndsAtOnceAndSaysSo) {
  Bench8 bench;
  const Action a;
  const int bad[][3] = {{0, 1, 1}, {12, 1, 1}, {8, 0, 1}, {8, 1, 0}, {64, 4, 1}, {136, 1, 1}};
  for (const auto& b : bad) {
    bench.configure(b[0], b[1], 3, b[2], 0, {a, a, a}, 0, 0, 0);
    bench.done = 0;
    bench.ring = 0;
    bench.start(1, 9);
    bench.step();
    bench.step();
    EXPECT_EQ(bench.done, 1);
    EXPECT_FALSE(bench.busy());
    EXPECT_EQ(bad_registers(bench), true) << b[0] << " " << b[1] << " " << b[2];
  }
  // A first phase that is not below the period.
  for (const int first : {3, 4}) {
    bench.configure(8, 1, 1, 4, 0, {a, a, a}, 0, 0, 0, first);
    bench.start(1, 9);
    EXPECT_EQ(bench.busy(), first == 3);
    EXPECT_EQ(bad_registers(bench), first != 3);
    bench.rows.push_back({true, std::vector<uint32_t>(8, 0)});
    for (int i = 0; i < 30 && bench.busy(); ++i) bench.step();
    bench.rows.clear();
    EXPECT_FALSE(bench.busy());
  }
  // Addresses that an action uses must be aligned to the elements.
  const uint32_t misaligned[][4] = {{1, 0, 0, 1}, {2, 0, 0, 1}, {0, 2, 0, 1},
                                    {0, 0, 2, 1}, {4, 8, 4, 0}, {2, 2, 4, 0}};
  for (const auto& m : misaligned) {
    Action stores;
    stores.memory = true;
    stores.bias = true;
    stores.f16 = m[3] == 0;
    bench.configure(8, 1, 0, 1, 0, {a, stores, a}, m[2], m[0], static_cast<int>(m[1]));
    bench.start(1, 9);
    EXPECT_EQ(bad_registers(bench), m[3] != 0) << m[0] << " " << m[1] << " " << m[2];
    EXPECT_EQ(bench.fault(), m[3] != 0);
    if (m[3] != 0) {
      EXPECT_EQ(bench.fault_cause(), Cause::Registers);
    }
    bench.step();
  }
  // in0 and in1 of an element cannot be the same queue. In a row that is dropped that does not
  // matter.
  Action same;
  same.in0 = same.in1 = 5;
  for (const bool enable : {true, false}) {
    same.enable = enable;
    bench.configure(8, 1, 1, 1, 0, {a, a, same}, 0, 0, 0);
    bench.start(1, 9);
    EXPECT_EQ(bench.busy(), !enable);
    EXPECT_EQ(bad_registers(bench), enable);
  }
}

// A reducer without bfloat16 refuses it, but only in an action that is used.
TEST(Reduce, AnActionThatIsNotThereIsRefused) {
  Action rounds;
  rounds.f16 = rounds.bf16 = true;
  for (const bool enable : {true, false}) {
    rounds.enable = enable;
#if OW_OTHER_SIZES
    Bench2 without;
    without.configure(8, 1, 0, 1, 0, {rounds, rounds, rounds}, 0, 0, 0);
    without.start(1, 9);
    EXPECT_EQ(bad_registers(without), enable);
    EXPECT_EQ(without.fault(), enable);
#endif
    Bench8 with;
    with.configure(8, 1, 0, 1, 0, {rounds, rounds, rounds}, 0, 0, 0);
    with.start(1, 9);
    EXPECT_FALSE(bad_registers(with));
  }
}

// With one adder, registers written in the cycle before the start have not been checked yet, so the
// start is refused. With three adders they have been checked by then.
TEST(Reduce, ADrainRightBehindAWriteOfItsRegisters) {
#if OW_OTHER_SIZES
  Bench2 one;
  one.configure(8, 1, 0, 1, 0, {Action(), Action(), Action()}, 0, 0, 0);
  one.start_at_once(1, 9);
  EXPECT_TRUE(bad_registers(one));
  EXPECT_EQ(one.fault_cause(), Cause::Registers);
  one.start(1, 9);
  EXPECT_FALSE(bad_registers(one));
#endif
  Bench8 three;
  three.configure(8, 1, 0, 1, 0, {Action(), Action(), Action()}, 0, 0, 0);
  three.start_at_once(1, 9);
  EXPECT_FALSE(bad_registers(three));
}

TEST(Reduce, RegistersAreFixedWhileADrainRuns) {
  Bench8 bench;
  Action a;
  a.memory = true;
  bench.rows.push_back({true, std::vector<uint32_t>(8, 0x40000000)});
  bench.configure(8, 1, 2, 1, 0, {a, a, a}, 0, 0x100, 32);
  bench.start(0, 0);
  bench.write(reg::RedDst::kOffset, 0x200);
  bench.write(reg::RedPitch::kOffset, 0x7FF);
  EXPECT_TRUE(bench.fault());
  EXPECT_EQ(bench.fault_cause(), Cause::Busy);
  bench.rows.push_back({true, std::vector<uint32_t>(8, 0x40400000)});
  for (int i = 0; i < 100; ++i) bench.step();
  EXPECT_EQ(bench.done, 1);
  EXPECT_EQ(bench.read(reg::RedDst::kOffset), 0x100u);
  EXPECT_EQ(bench.read(reg::RedPitch::kOffset), 32u);
  EXPECT_EQ(bench.memory[0x100 + 3], 0x40);
  EXPECT_EQ(bench.memory[0x120 + 2], 0x40);
  EXPECT_EQ(bench.memory[0x200], 0xA5);
}

TEST(Reduce, HaltTakesNothingMoreAndGoesOnWhereItWas) {
  Bench8 bench;
  Action a;
  a.in0 = 2;
  const size_t n = 32;
  for (size_t r = 0; r < n / 8; ++r) bench.rows.push_back({true, std::vector<uint32_t>(8, 0)});
  bench.configure(8, 2, n / 8, 1, 0, {a, a, a}, 0, 0, 0);
  bench.start(1, 4);
  std::vector<uint32_t> want;
  size_t given = 0;
  for (int cycle = 0; cycle < 200; ++cycle) {
    if (given < n && bench.has_space(2)) {
      want.push_back(0x3F800000u + static_cast<uint32_t>(given++));
      bench.in[2].push_back(want.back());
    }
    const bool halted = cycle % 40 >= 10 && cycle % 40 < 30;
    bench.halt(halted);
    const size_t before = bench.in[2].size();
    bench.step();
    if (halted) {
      EXPECT_EQ(bench.in[2].size(), before);
    }
  }
  EXPECT_EQ(bench.done, 1);
  EXPECT_EQ(bench.sent[0], want);
}

TEST(Reduce, AddressesBeyondMemoryAreReportedAndNotUsed) {
  Action a;
  a.bias = true;
  for (const bool store : {false, true}) {
    Bench8 bench;
    a.memory = store;
    a.bias = !store;
    bench.rows.push_back({true, std::vector<uint32_t>(8, 0x3F800000)});
    bench.configure(8, 1, 1, 1, 0, {a, a, a}, kSramBytes, kSramBytes - 16, 0);
    if (!store) bench.write(reg::RedBias::kOffset, 0xF0000000);  // more than 24 bits
    const std::vector<uint8_t> before(bench.memory.begin(), bench.memory.end() - 16);
    bench.start(0, 0);
    for (int i = 0; i < 100; ++i) bench.step();
    EXPECT_EQ(bench.done, 1);
    EXPECT_EQ(bad_registers(bench), true);
    EXPECT_TRUE(bench.fault());
    EXPECT_EQ(bench.fault_cause(), store ? Cause::Store : Cause::Bias);
    EXPECT_EQ(bench.fault_addr() & ~7u, store ? static_cast<uint32_t>(kSramBytes) : 0x600000u);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), bench.memory.begin()));
    if (!store) {
      EXPECT_EQ(bench.sent[0], std::vector<uint32_t>(8, golden::kNan32));
    }
  }
}

}  // namespace
