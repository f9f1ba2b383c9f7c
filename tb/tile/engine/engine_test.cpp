// SPDX-License-Identifier: Apache-2.0
// Tests of the tensor engine: streamed layers, stream ends, zeros, faults, drains, with 8 and with
// 2 lanes. Random programs: random_test.cpp; operations that need a word of their own:
// units_test.cpp; how long they take: rate_test.cpp.
#include <cstdio>

#if OW_OTHER_SIZES
#include "VEngineMini.h"
#endif
#include "engine_bench.h"
#include "engine_fixture.h"
#include "layer.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

TYPED_TEST_SUITE(EngineTest, Widths);

TYPED_TEST(EngineTest, AxpyRowsMatchTheModel) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  for (const int samples : {8, 16, 32}) {
    const auto unaligned = static_cast<uint32_t>(1024 + 2 * (samples / 8));
    run_layer({samples, 32 / samples, 9, 0.4}, &b);
    run_layer({samples, 32 / samples, 8, 0.04, 60, 30, 30}, &b);
    run_layer({samples, 1, 3, 1.0, 80, 100, 10}, &b);
    run_layer({samples, 32 / samples, 5, 0.5, 100, 10, 10, unaligned}, &b);
  }
}

// A stream end stops a counted transfer too; close follows what was moved.
TYPED_TEST(EngineTest, StreamEndStopsACountedTransfer) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  b.write_dsr(0, fab_in(4, 100));
  Dsr out = fab_out(6);
  out.close = true;
  out.code = kStreamEnd;
  b.write_dsr(1, out);
  b.in[4] = {{false, 11}, {true, kRowEnd}, {false, 12}, {true, kStreamEnd}, {false, 13}};
  Insn i;
  i.ty = kF32;
  i.dst = 1;
  b.launch(i);
  b.finish();
  EXPECT_EQ(b.sync_done, 1);
  EXPECT_EQ(b.in[4].size(), 1u);
  const std::deque<Wavelet> want = {{false, 11}, {false, 12}, {true, kStreamEnd}};
  EXPECT_TRUE(b.out[6] == want);
}

// Floats have two zeros, whole numbers have one.
template <typename Top>
void skips_zeros(int lanes) {
  struct Case {
    int type;
    std::vector<uint32_t> memory;
    uint16_t elements;
    int16_t step;
    std::deque<Wavelet> sent;
  };
  const std::vector<uint32_t> halves = {0x00008000, 0x80000005, 0x00000007};
  const std::vector<uint32_t> words = {0x80000000, 0, 5};
  const std::vector<Case> cases = {{kF16, halves, 6, 2, {{false, 0x00070005}}},
                                   {kI16, halves, 6, 2, {{false, 0x00058000}, {false, 0x00078000}}},
                                   {kF32, words, 3, 4, {{false, 5}}},
                                   {kI32, words, 3, 4, {{false, 0x80000000}, {false, 5}}}};
  for (const Case& c : cases) {
    Bench<Top> b(lanes);
    for (size_t k = 0; k < c.memory.size(); k++) {
      b.poke(static_cast<uint32_t>(64 + 4 * k), c.memory[k]);
    }
    Dsr out = fab_out(3);
    out.skip = true;
    out.type = c.type;
    b.write_dsr(0, mem(64, c.elements, c.step));
    b.write_dsr(1, out);
    Insn i;
    i.ty = c.type;
    i.dst = 1;
    b.launch(i);
    b.finish();
    EXPECT_EQ(b.sync_done, 1) << c.type;
    EXPECT_TRUE(b.out[3] == c.sent) << c.type << ": " << b.out[3].size();
  }
}

TYPED_TEST(EngineTest, ASendThatSkipsZerosTellsFloatsFromWholeNumbers) {
  skips_zeros<typename TypeParam::Top>(TypeParam::kLanes);
}
#if OW_OTHER_SIZES
TEST(EngineMini, ASendThatSkipsZerosTellsFloatsFromWholeNumbers) { skips_zeros<VEngineMini>(2); }
#endif

TYPED_TEST(EngineTest, IdleOnlyWhenNothingMoves) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  b.write_dsr(0, mem(0, 8, 4));
  b.write_dsr(1, fab_in(2, 8));
  for (int k = 0; k < 8; k++) b.tick();
  EXPECT_TRUE(b->idle_o);
  Insn i;
  i.ty = kF32;
  i.a = 1;
  b.launch(i);
  b.tick();  // what is counted follows a cycle later
  b.thread_state(0);
  EXPECT_TRUE(b->idle_o);  // waits for the fabric
  EXPECT_EQ(b->cause_o, static_cast<int>(isa::Counter::StallInput));
  b.in[2].assign(8, {false, 7});
  int moving = 0;
  for (int k = 0; k < 60 && b.sync_done == 0; k++) {
    b.tick();
    moving += !b->idle_o;
  }
  EXPECT_EQ(b.sync_done, 1);
  EXPECT_GE(moving, 8);
  b.tick();
  b.thread_state(0);
  EXPECT_TRUE(b->idle_o);
  EXPECT_EQ(b->cause_o, static_cast<int>(isa::Counter::NoWork));
}

struct FaultCase {
  const char* what;
  Insn insn;
  Dsr dst, a, b;
  uint32_t cause;
};

Insn faulty(int op, int ty, int thread) {
  Insn i;
  i.op = op;
  i.ty = ty;
  i.thread = thread;
  i.dst = 0;
  i.a = 1;
  i.b = 2;
  i.done = static_cast<int>(isa::Done::Activate);
  return i;
}

std::vector<FaultCase> fault_cases() {
  Dsr none;
  none.kind = kNone;
  Dsr indexed = mem(0, 16, 2);
  indexed.step[1] = 32;
  Dsr tagged = fab_in(1, 4);
  tagged.tag = true;
  Insn dotw = faulty(kDotw, kMixed, 2);
  dotw.value = 0x40000000;
  Dsr fifo;
  fifo.kind = kFifo;
  return {
      {"unknown operation", faulty(99, kF16, 1), mem(0, 8, 2), mem(64, 8, 2), none, kIllegal},
      {"mul of i8", faulty(kMul, kI8, 2), mem(0, 8, 1), mem(64, 8, 1), mem(0, 8, 1), kIllegal},
      {"cvt to the same type", faulty(kCvt, kF16, 2), mem(0, 8, 4), mem(64, 8, 4), none, kIllegal},
      {"no source", faulty(kMov, kF16, 3), mem(0, 8, 2), none, none, kDescriptor},
      {"no second source", faulty(kAdd, kF16, 3), mem(0, 8, 2), mem(0, 8, 2), none, kDescriptor},
      {"no length", faulty(kMov, kF16, 4), mem(0, 0, 2), mem(64, 8, 2), none, kDescriptor},
      {"16 bits in the accumulator", faulty(kAdd, kF16, 4), mem(kAcc, 8, 2), mem(64, 8, 2),
       mem(64, 8, 2), kDescriptor},
      {"misaligned", faulty(kMov, kF32, 5), mem(2, 8, 4), mem(64, 8, 4), none, kDescriptor},
      {"source outside", faulty(kMov, kF16, 6), mem(0, 64, 2), mem(kSramBytes - 64, 64, 2), none,
       kAddress},
      {"destination outside", faulty(kMov, kF16, 7), mem(kSramBytes, 4, 2), mem(0, 4, 2), none,
       kAddress},
      {"below 0", faulty(kMov, kF16, 8), mem(4, 8, -2), mem(64, 8, 2), none, kAddress},
      {"outside the accumulator", faulty(kMov, kF32, 9), mem(kAcc + 2044, 8, 4), mem(0, 8, 4), none,
       kAddress},
      {"axpyw with ragged samples", faulty(kAxpyw, kMixed, 1), mem(kAcc, 15, 4), mem(0, 15, 2),
       fab_in(1, 0), kDescriptor},
      {"axpyw beyond memory", faulty(kAxpyw, kMixed, 12), mem(kAcc, 16, 4), indexed, fab_in(1, 0),
       kAddress},
      // Addresses, and indices times steps, beyond 24 bits do not wrap around to 0.
      {"address of 32 bits", faulty(kMov, kF16, 2), mem(0, 8, 2), mem(0x40000000, 8, 2), none,
       kAddress},
      {"negative address", faulty(kMov, kF16, 2), mem(0xFFFFFFE0, 32, 2), mem(0, 32, 2), none,
       kAddress},
      {"tag beyond the length", faulty(kMov, kF16, 3), mem(0, 8, 2), tagged, none, kAddress},
      {"tag beyond 24 bits", faulty(kMov, kF16, 3), mem(0, 65535, 16384), tagged, none, kAddress},
      {"tag below 0", faulty(kMov, kF16, 3), mem(0, 65535, -16384), tagged, none, kAddress},
      {"dotw beyond 24 bits", dotw, mem(0, 8, 4), mem(0, 16, 2), fab_in(1, 0), kAddress},
      {"FIFO of capacity 0", faulty(kMov, kF16, 4), fifo, mem(0, 8, 2), none, kDescriptor},
  };
}

// Each fault is reported with its thread, and the thread is free again.
TYPED_TEST(EngineTest, FaultsAreReportedAndStopTheThread) {
  for (const FaultCase& c : fault_cases()) {
    Bench<typename TypeParam::Top> b(TypeParam::kLanes);
    b.write_dsr(0, c.dst);
    b.write_dsr(1, c.a);
    b.write_dsr(2, c.b);
    b.in[1].push_back({false, 0x40003C00});
    b.launch(c.insn);
    for (int k = 0; k < 300; k++) b.tick();
    EXPECT_EQ(b->fault_o, fault(c.insn.thread, c.cause)) << c.what;
    EXPECT_FALSE(b.busy()) << c.what;
    EXPECT_TRUE(b.done.empty()) << c.what;
    EXPECT_EQ(b.sync_done, 0) << c.what;
    // The thread takes another instruction.
    b.in[1].clear();
    b.write_dsr(3, mem(0, 8, 2));
    b.write_dsr(4, mem(64, 8, 2));
    Insn next = c.insn;
    next.op = kMov;
    next.ty = kF16;
    next.dst = 3;
    next.a = 4;
    b.launch(next);
    b.finish();
    EXPECT_EQ(b.done.size(), 1u) << c.what;
  }
}

// A FIFO that was not set up after the reset has no capacity, for a reader or for a writer.
TYPED_TEST(EngineTest, AFifoThatWasNeverSetUpIsMalformed) {
  for (int number = 0; number < 4; number++) {
    for (const int operand : {0, 1}) {
      Bench<typename TypeParam::Top> b(TypeParam::kLanes);
      Dsr fifo;
      fifo.kind = kFifo;
      fifo.q = number;
      b.write_dsr(operand, fifo, {isa::DsrWord::Kind});
      b.write_dsr(1 - operand, mem(0, 8, 2));
      b.launch(faulty(kMov, kF16, 4));
      for (int k = 0; k < 300; k++) b.tick();
      EXPECT_EQ(b->fault_o, fault(4, kDescriptor)) << number << ", operand " << operand;
      EXPECT_FALSE(b.busy()) << number << ", operand " << operand;
    }
  }
}

// The engine hands drains to the reducer, waits for it, and does nothing else for them.
TYPED_TEST(EngineTest, DrainStartsTheReducerWhenItIsFree) {
  Bench<typename TypeParam::Top> b(TypeParam::kLanes);
  Insn i;
  i.op = kDrain;
  i.ty = kF32;
  b->red_busy_i = 1;
  b->tensor_valid_i = 1;
  b->op_i = kDrain;
  b->ty_i = kF32;
  b->ctl_i = i.ctl();
  for (int k = 0; k < 5; k++) {
    b.tick();
    EXPECT_EQ(b.drains, 0);
  }
  b->red_busy_i = 0;
  b.launch(i);
  b.tick();
  EXPECT_EQ(b.drains, 1);
  EXPECT_EQ(b.sync_done, 1);
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::printf("seed %u\n", seed());
  return RUN_ALL_TESTS();
}
