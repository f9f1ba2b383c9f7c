// SPDX-License-Identifier: Apache-2.0
// Single rules of docs/isa.md that no other test covers: illegal operations, when an instruction is
// launched, turns of threads, who waits for whom, and the state after a fault.
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <utility>
#include <vector>

#if OW_OTHER_SIZES
#include "VEngineMini.h"
#endif
#include "engine_bench.h"
#include "ow/golden/formats.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

// The types of each operation, as the table of operations has them.
std::map<int, std::set<int>> table() {
  const std::set<int> floats = {kF16, kBf16, kF32}, ints = {kI16, kI32}, halfs = {kF16, kBf16},
                      mixed = {kMixed, kMixedB}, wide = {kF16, kBf16, kF32, kI16, kI32},
                      all = {kF16, kBf16, kF32, kI16, kI32, kI8};
  std::map<int, std::set<int>> t = {{kMov, all},     {kCvt, all},      {kAxpyw, mixed},
                                    {kDotw, mixed},  {kDrain, {kF32}}, {kFma, wide},
                                    {kFmag, floats}, {kDot, floats}};
  t[kFma].insert(mixed.begin(), mixed.end());
  t[kFmag].insert(mixed.begin(), mixed.end());
  t[kDot].insert({kI16, kI8});
  for (const int op :
       {kAdd, kSub, kMul, kMax, kMin, kCmpEq, kCmpNe, kCmpLt, kCmpLe, kGather, kScatter}) {
    t[op] = wide;
  }
  for (const int op : {kSum, kRMax, kRMin}) t[op] = all;
  for (const int op : {kAnd, kOr, kXor, kSll, kSrl, kSra, kGate}) t[op] = ints;
  for (const int op : {kRcp, kRsqrt, kExp, kLog, kTanh, kSigmoid}) t[op] = halfs;
  return t;
}

// Every operation code with every type gives fault 1 exactly if the table does not have it.
TEST(EngineRules, WhatIsNotInTheTableIsIllegal) {
  const auto there = table();
  Bench<VEngine8> b(8);
  for (int op = 0; op < 128; op++) {
    for (int type = 0; type < 8; type++) {
      const auto found = there.find(op);
      const bool legal = found != there.end() && found->second.count(type) != 0;
      b->rst_i = 1;
      b.tick();
      b->rst_i = 0;
      Dsr dst = mem(1024, 4, 4), none;
      const bool ints = type == kI16 || type == kI32 || type == kI8;
      dst.type = op != kCvt && ints ? kI32 : type == kF32 ? kF16 : kF32;  // of casts and reductions
      none.kind = kNone;
      b.write_dsr(0, dst);
      // A missing source is a malformed descriptor, which is checked after the operation.
      b.write_dsr(1, none);
      b.write_dsr(2, none);
      b.launch(insn(op, type, 1, 0, 1, 2));
      for (int k = 0; k < 12; k++) b.tick();
      const auto cause = static_cast<uint32_t>(legal ? kDescriptor : kIllegal);
      // A drain has no operands, and its type is not looked at.
      EXPECT_EQ(b->fault_o, op == kDrain ? 0u : fault(1, cause))
          << "operation " << op << ", type " << type;
    }
  }
}

// Whether the engine takes an instruction within so many cycles.
bool takes(Bench<VEngine8>* b, const Insn& i, int cycles = 40) {
  (*b)->tensor_valid_i = 1;
  (*b)->op_i = i.op;
  (*b)->ty_i = i.ty;
  (*b)->ctl_i = i.ctl();
  (*b)->scalar_i = i.value;
  bool taken = false;
  for (int k = 0; k < cycles && !taken; k++) {
    (*b)->clk_i = 0;
    (*b)->eval();
    taken = (*b)->tensor_ready_o || (*b)->tensor_quick_o;
    b->tick();
  }
  (*b)->tensor_valid_i = 0;
  b->tick();  // the offer is taken back before another one is made
  return taken;
}

// A launch waits while its thread is busy and while a running thread reads one of its queues. An
// axpyw or dotw also waits while another one runs. A malformed launch waits too, and then is a
// fault.
TEST(EngineRules, ALaunchWaitsForItsThreadItsQueuesAndTheWeights) {
  Dsr acc = mem(kAcc, 8, 4), samples = mem(1024, 8, 2), ragged = mem(kAcc, 7, 4);
  acc.len[1] = 2;
  samples.len[1] = 8;
  samples.step[1] = 16;
  Dsr result = mem(4096, 4, 4);
  result.type = kF32;
  for (const bool malformed : {false, true}) {
    Bench<VEngine8> b(8);
    b.write_dsr(0, acc);
    b.write_dsr(1, samples);
    b.write_dsr(2, fab_in(1, 0));
    b.write_dsr(3, malformed ? ragged : result);
    b.write_dsr(4, fab_in(2, 0));
    b.write_dsr(5, mem(2048, 4, 4));
    b.write_dsr(6, mem(3072, 4, 4));
    b.launch(insn(kAxpyw, kMixed, 1, 0, 1, 2));
    EXPECT_FALSE(takes(&b, insn(kMov, kF32, 1, 5, 6))) << "its thread is busy";
    EXPECT_FALSE(takes(&b, insn(kMov, kF32, 2, 5, 2))) << "a running thread reads its queue";
    EXPECT_TRUE(takes(&b, insn(kMov, kF32, 2, 5, 6)));
    const Insn second = insn(malformed ? kAxpyw : kDotw, kMixed, 3, 3, 1, 4);
    EXPECT_FALSE(takes(&b, second)) << "another one runs";
    EXPECT_EQ(b->fault_o, 0u);
    b.in[1].push_back({true, kStreamEnd});
    EXPECT_TRUE(takes(&b, second));
    for (int k = 0; k < 20; k++) b.tick();
    EXPECT_EQ(b->fault_o, malformed ? fault(3, kDescriptor) : 0u);
  }
}

// A reduction that waits for the fabric in the middle of a vector holds up another reduction, and
// nothing else.
TEST(EngineRules, AReductionInTheMiddleOfAVectorHoldsUpOthersAlone) {
  Bench<VEngine8> b(8);
  for (uint32_t k = 0; k < 16; k++) b.poke(4 * k, 0x3C003C00);
  Dsr first = mem(1024, 1, 4), second = mem(1040, 1, 4);
  first.type = second.type = kF32;
  b.write_dsr(0, first);
  b.write_dsr(1, fab_in(1, 4));
  b.write_dsr(2, second);
  b.write_dsr(3, mem(0, 32, 2));
  b.write_dsr(4, mem(2048, 32, 2));
  b.launch(insn(kSum, kF16, 1, 0, 1));
  b.in[1].push_back({false, 0x3C003C00});
  for (int k = 0; k < 20; k++) b.tick();
  b.launch(insn(kSum, kF16, 2, 2, 3));
  b.launch(insn(kMov, kF16, 3, 4, 3));
  for (int k = 0; k < 200; k++) b.tick();
  EXPECT_TRUE(b.active(2)) << "another reduction";
  EXPECT_EQ(isa::reg::Thread::Waits::get(b.thread_state(2)),
            static_cast<uint32_t>(isa::ThreadWait::Reduction));
  EXPECT_FALSE(b.active(3)) << "a move";
  b.in[1].push_back({false, 0x3C003C00});
  b.finish();
  EXPECT_EQ(b.peek(1024), 0x40800000u);  // 4
  EXPECT_EQ(b.peek(1040), 0x42000000u);  // 32
}

// Beats of two threads without fabric operands, counted this many cycles after the launch of the
// second one.
std::array<int, 2> beats_of_two(int cycles) {
  constexpr uint32_t kN = 1024;
  Bench<VEngine8> b(8);
  for (uint32_t k = 0; k < kN; k += 4) b.poke(k, 0x00010001);
  for (uint32_t k = 0; k < 2 * 2 * kN; k += 4) b.poke(4096 + k, 0);
  for (int t = 0; t < 2; t++) {
    b.write_dsr(3 * t, mem(4096 + 2048 * t, kN, 2));
    Dsr from = mem(16 * t, kN, 0);
    b.write_dsr(3 * t + 1, from);
  }
  for (int t = 0; t < 2; t++) b.launch(insn(kAdd, kI16, t + 1, 3 * t, 3 * t + 1, 3 * t + 1));
  for (int k = 0; k < cycles; k++) b.tick();
  b->halt_i = 1;
  for (int k = 0; k < 60; k++) b.tick();
  std::array<int, 2> beats{};
  for (int t = 0; t < 2; t++) {
    for (uint32_t k = 0; k < kN / 8; k++) {
      beats[t] += b.peek(4096 + 2048 * t + 16 * k) != 0;
    }
  }
  return beats;
}

// Such threads keep the turn for 32 beats.
TEST(EngineRules, AThreadWithoutTheFabricKeepsTheTurnForUpTo32Beats) {
  int most = 0;
  for (int cycles = 40; cycles < 170; cycles += 7) {
    const auto [a, c] = beats_of_two(cycles);
    most = std::max(most, std::abs(a - c));
  }
  EXPECT_GE(most, 28);
  EXPECT_LE(most, 36);
}

// One with a fabric operand has every second turn beside them.
TEST(EngineRules, AThreadWithTheFabricAlternatesWithOthers) {
  Bench<VEngine8> b(8);
  b.write_dsr(0, mem(4096, 2000, 2));
  b.write_dsr(1, mem(0, 2000, 0));
  b.write_dsr(3, mem(1024, 400, 0));
  b.write_dsr(4, fab_in(1, 400));
  for (int k = 0; k < 400; k++) b.in[1].push_back({false, 1});
  b.launch(insn(kMov, kI16, 1, 0, 1));
  b.launch(insn(kMov, kI32, 2, 3, 4));
  for (int k = 0; k < 20; k++) b.tick();
  const size_t before = b.in[1].size();
  for (int k = 0; k < 100; k++) b.tick();
  EXPECT_TRUE(b.active(1));
  EXPECT_NEAR(static_cast<double>(before - b.in[1].size()), 50, 3);
}

// Sums in the accumulator cache that are added to again: the next beat comes four cycles later, or
// two for mixed multiply-adds.
TEST(EngineRules, ABeatFollowsTheOneThatItAddsTo) {
  constexpr uint16_t kBeats = 200;
  for (const bool mixed : {false, true}) {
    Bench<VEngine8> b(8);
    Dsr sum = mem(kAcc, 1, 4);
    sum.len[1] = kBeats;
    sum.step[1] = -4;
    const Insn i = insn(kFma, mixed ? kMixed : kF32, 1, 0, 1, 2);
    Dsr one = mem(0, 1, 0);
    b.poke(0, mixed ? 0x3C003C00 : 0x3F800000);
    const auto cycles = static_cast<int>(cycles_of(&b, i, sum, one, one));
    std::printf("%s: %d beats, %d cycles\n", mixed ? "mixed" : "f32", kBeats, cycles);
    EXPECT_GE(cycles, (mixed ? 2 : 4) * (kBeats - 1));
    EXPECT_LE(cycles, (mixed ? 2 : 4) * kBeats + 12);
    EXPECT_EQ(b->fault_o, 0u);
  }
}

// A result that is complete before it is in memory is there for a gather that is launched then.
TEST(EngineRules, AGatherThatIsLaunchedSinceFindsTheResult) {
  for (int wait = 0; wait < 12; wait++) {
    for (const bool function : {false, true}) {
      Bench<VEngine8> b(8);
      for (uint32_t k = 0; k < 32; k++) b.poke(4 * k, 0x3C003C00);
      for (uint32_t k = 0; k < 16; k++) b.poke(512 + 4 * k, (63 - 2 * k - 1) << 16 | (63 - 2 * k));
      b.write_dsr(0, mem(1024, 64, 2));
      b.write_dsr(1, mem(0, 64, 2));
      b.write_dsr(2, mem(2048, 32, 2));
      b.write_dsr(3, mem(512, 32, 2));
      b.launch(function ? insn(kRcp, kF16, 3, 0, 1) : insn(kAdd, kF16, 3, 0, 1, 1));
      while (b.active(3)) b.tick();
      for (int k = 0; k < wait; k++) b.tick();
      Insn gather = insn(kGather, kF16, 4, 2, 2, 3);
      gather.value = 1024;
      b.launch(gather);
      b.finish();
      for (uint32_t k = 0; k < 16; k++) {
        ASSERT_EQ(b.peek(2048 + 4 * k), function ? 0x3C003C00u : 0x40004000u) << wait;
      }
    }
  }
}

// The low 24 bits of a descriptor's address read back. An address beyond them reads back as
// outside.
TEST(EngineRules, AddressesOfMoreThan24BitsReadBackAsOutsideMemory) {
  Bench<VEngine8> b(8);
  for (const uint32_t addr : {0x40000000u, 0x01000000u, 0x12345678u, 0xFFFFFFE0u}) {
    b.write_dsr(5, mem(addr, 8, 2));
    EXPECT_EQ(b.read_dsr(5, 1), 0x600000u | (addr & 0x1FFFFF)) << std::hex << addr;
  }
  b.write_dsr(5, mem(0x812344, 8, 2));
  EXPECT_EQ(b.read_dsr(5, 1), 0x812344u);
}

// A tag has 16 bits for the number of an element, and 65,535 is no number: 65,535 elements at most.
template <typename Top>
void sends_with_tags(int lanes, uint16_t rows) {
  Bench<Top> b(lanes);
  Dsr out = fab_out(2), from = mem(0, 0x1000, 0);
  out.tag = true;
  from.len = {static_cast<uint16_t>(rows == 15 ? 0x1111 : 0x1000), rows};
  b.write_dsr(0, out);
  b.write_dsr(1, from);
  b.launch(insn(kMov, kF16, 1, 0, 1));
  for (int k = 0; k < 2000000 && b.busy(); k++) b.tick();
  EXPECT_FALSE(b.busy());
  EXPECT_EQ(b->fault_o, rows == 15 ? 0u : fault(1, kDescriptor));
}

TEST(EngineRules, MoreThan65535TaggedElementsAreAFault) {
  for (const uint16_t rows : {15, 16}) {  // of 4,369 and of 4,096
    sends_with_tags<VEngine8>(8, rows);
#if OW_OTHER_SIZES
    sends_with_tags<VEngineMini>(2, rows);
#endif
  }
}

// After a tagged wavelet whose index is beyond its bound, at most three more wavelets have left the
// queue.
TEST(EngineRules, AFaultOfATagLeavesTheWaveletsBehindIt) {
  for (const int before : {0, 1, 5}) {
    Bench<VEngine8> b(8);
    Dsr in = fab_in(3, 0);
    in.tag = true;
    b.write_dsr(0, mem(1024, 8, 2));
    b.write_dsr(1, in);
    for (int k = 0; k < before; k++) b.in[3].push_back({false, 1});
    b.in[3].push_back({false, 9u << 16});
    for (int k = 0; k < 20; k++) b.in[3].push_back({false, 2});
    b.launch(insn(kMov, kF16, 1, 0, 1));
    for (int k = 0; k < 100; k++) b.tick();
    EXPECT_EQ(b->fault_o, fault(1, kAddress));
    EXPECT_GE(b.in[3].size(), 17u) << before;
  }
}

#if OW_OTHER_SIZES
// The engine of mini keeps nothing of what it does not have: dimensions 2 and 3 read as 0.
TEST(EngineRules, DimensionsThatAreNotThereReadZero) {
  Bench<VEngineMini> b(2);
  ASSERT_EQ(isa::reg::Operations::Dimensions::get(isa::kMini.operations), 0u);
  Dsr d = mem(64, 8, 2);
  d.len = {8, 3, 2, 1};
  d.step = {2, 4, 6, 8};
  b.write_dsr(3, d);
  for (int word = 2; word < 6; word++) {
    b->dsr_re_i = 1;
    b.read_dsr(3, word);
    for (int k = 0; k < 20 && !b->dsr_rvalid_o; k++) b.tick();
    ASSERT_TRUE(b->dsr_rvalid_o);
    EXPECT_EQ(b->dsr_rdata_o, word < 4 ? d.word(static_cast<isa::DsrWord>(word)) : 0) << word;
    b->dsr_re_i = 0;
    b.tick();
  }
}

// A fault leaves undone everything after the element at fault.
TEST(EngineRules, AFaultOfMiniLeavesWhatIsBehindItsElementUndone) {
  Bench<VEngineMini> b(2);
  constexpr uint32_t kThere = 17;
  const uint32_t from = kSramBytes - 2 * kThere;
  for (uint32_t a = 1024; a < 1024 + 128; a += 4) b.poke(a, 0x55555555);
  for (uint32_t a = from & ~3u; a < kSramBytes; a += 4) b.poke(a, 0x3C003C00);
  b.write_dsr(0, mem(1024, 64, 2));
  b.write_dsr(1, mem(from, 64, 2));
  b.launch(insn(kMov, kF16, 1, 0, 1));
  for (int k = 0; k < 4000; k++) b.tick();
  EXPECT_EQ(b->fault_o, fault(1, kAddress));
  EXPECT_EQ(b->fault_addr_o, kSramBytes);
  for (uint32_t k = 0; k < 64; k += 2) {
    const uint32_t low = k < kThere ? 0x3C00 : 0x5555, high = k + 1 < kThere ? 0x3C00 : 0x5555;
    EXPECT_EQ(b.peek(1024 + 2 * k), high << 16 | low) << k;
  }
}

// Cycles of the engine of mini with random values: of an element with arithmetic, of one without,
// and of an instruction apart from its elements. Each element is counted once, and nothing else is.
TEST(EngineRules, TheEngineOfMiniTakesItsCyclesAnElement) {
  const auto cycles = [](int op, uint16_t n) {
    Bench<VEngineMini> b(2);
    std::mt19937 rng(seed());
    Machine m;
    load_memory(&b, &m, &rng);
    b.write_dsr(0, mem(4096, n, 2));
    b.write_dsr(1, mem(1024, n, 2));
    b.write_dsr(2, mem(2048, n, 2));
    const uint64_t start = b.cycle();
    b.launch(insn(op, kF16, 1, 0, 1, 2));
    while (b.active(1)) b.tick();
    EXPECT_EQ(b.beats, n) << "operation " << op;
    return static_cast<double>(b.cycle() - start);
  };
  for (const int op : {kMov, kAdd, kSub, kMul, kFma}) {
    const double each = (cycles(op, 200) - cycles(op, 100)) / 100;
    const double launch = cycles(op, 1) - each;
    std::printf("operation %d: %.1f cycles an element, %.1f a launch\n", op, each, launch);
    EXPECT_GE(each, op == kMov ? 15 : 35);
    EXPECT_LE(each, op == kMov ? 15 : 55);
    EXPECT_NEAR(launch, 20, 6);
  }
}
#endif

}  // namespace
