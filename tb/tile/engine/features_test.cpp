// SPDX-License-Identifier: Apache-2.0
// What a configuration lacks is an illegal operation; what it has gives the bits that the model
// gives. The engine of `mini`, with every operation in every type.
#include "VEngineMini.h"
#include "engine_bench.h"
#include "layer.h"

namespace ow_engine {
namespace {

using Features = isa::reg::Features;
using Operations = isa::reg::Operations;

constexpr uint32_t kFeatures = isa::kMini.features;
constexpr uint32_t kOperations = isa::kMini.operations;

struct Row {
  int op;
  std::vector<int> types;
  bool there;  // whether the operation is, in the types that are
};

std::vector<Row> rows() {
  const std::vector<int> wide = {kF16, kBf16, kF32, kI16, kI32};
  const std::vector<int> mixed = {kF16, kBf16, kF32, kI16, kI32, kMixed, kMixedB};
  const std::vector<int> all = {kF16, kBf16, kF32, kI16, kI32, kI8};
  const bool compare = Operations::Compare::get(kOperations) != 0;
  const bool red = Operations::Reductions::get(kOperations) != 0;
  const bool gather = Features::Gather::get(kFeatures) != 0;
  const bool nlf = Features::Nonlinear::get(kFeatures) != 0;
  std::vector<Row> list = {{kMov, all, true},
                           {kFma, mixed, true},
                           {kCvt, all, true},
                           {kDot, {kF16, kBf16, kF32, kI16, kI8}, red},
                           {kFmag, {kF16, kBf16, kF32, kMixed, kMixedB}, gather}};
  for (const int op : {kAdd, kSub, kMul}) list.push_back({op, wide, true});
  for (const int op : {kAnd, kOr, kXor, kSll, kSrl, kSra, kGate})
    list.push_back({op, {kI16, kI32}, true});
  for (const int op : {kMax, kMin, kCmpEq, kCmpNe, kCmpLt, kCmpLe}) {
    list.push_back({op, wide, compare});
  }
  for (const int op : {kSum, kRMax, kRMin}) list.push_back({op, all, red});
  for (const int op : {kGather, kScatter}) list.push_back({op, wide, gather});
  for (const int op : {kRcp, kRsqrt, kExp, kLog, kTanh, kSigmoid}) {
    list.push_back({op, {kF16, kBf16}, nlf});
  }
  return list;
}

// Whether the engine computes in a type.
bool computes(int type) {
  switch (type) {
    case kF16:
    case kMixed:
      return true;
    case kBf16:
    case kMixedB:
      return Operations::Bfloat16::get(kOperations) != 0;
    case kF32:
      return Features::Fp32::get(kFeatures) != 0;
    case kI16:
      return Operations::Int16::get(kOperations) != 0;
    case kI32:
      return Features::Int32::get(kFeatures) != 0;
    default:
      return Features::Int8::get(kFeatures) != 0;
  }
}

bool there(const Row& row, int type) {
  if (!row.there) return false;
  if (row.op == kMov || row.op == kGather || row.op == kScatter) {
    return type != kI8 || computes(type);
  }
  return computes(type) || (row.op == kCvt && type == kF32);
}

int bytes(int type) { return type == kF32 || type == kI32 ? 4 : type == kI8 ? 1 : 2; }

Dsr vector(uint32_t addr, int type) {
  Dsr d = mem(addr, 12, static_cast<int16_t>(bytes(type)));
  d.type = type;
  return d;
}

struct Case {
  Insn insn;
  Dsr dst, a, b;
  bool there;
};

void run(const Case& c) {
  std::mt19937 rng(seed());
  Bench<VEngineMini> b(2);
  Machine m;
  load_memory(&b, &m, &rng);
  const std::array<Dsr, 3> dsr = {c.dst, c.a, c.b};
  for (int k = 0; k < 3; ++k) {
    b.write_dsr(k, dsr[k]);
    m.dsr[k] = dsr[k];
  }
  b.launch(c.insn);
  for (int k = 0; k < 300; ++k) b.tick();
  b.finish();
  if (c.there) {
    EXPECT_EQ(b->fault_o, 0u);
    EXPECT_EQ(b.done.size(), 1u);
    Model(&m).run(c.insn);
  } else {
    using Fault = isa::reg::EngineFault;
    EXPECT_EQ(b->fault_o, Fault::Fault::put(1) | Fault::Thread::put(c.insn.thread) |
                              Fault::Cause::put(kIllegal));
    EXPECT_EQ(b->fault_pc_o, 0x100u);
    EXPECT_TRUE(b.done.empty());
  }
  for (uint32_t at = 0; at < kSramBytes; at += 4) {
    ASSERT_EQ(b.peek(at), word_at(m, at)) << "at " << at;
  }
}

Case make(const Row& row, int type, int dst_type) {
  const int src = type == kMixed ? kF16 : type == kMixedB ? kBf16 : type;
  Case c{insn(row.op, type, 1, 0, 1, 2), vector(0x400, dst_type), vector(0x100, src),
         vector(0x202, src), there(row, type)};
  c.insn.done = static_cast<int>(isa::Done::Activate);
  if (is_red(row.op)) c.dst.len[0] = 1;
  return c;
}

TEST(EngineFeatures, AreThereOrIllegal) {
  for (const Row& row : rows()) {
    for (const int type : row.types) {
      SCOPED_TRACE(testing::Message() << "operation " << row.op << ", type " << type);
      const int src = type == kMixed || type == kMixedB ? kF32 : type;
      if (row.op != kCvt) {
        run(make(row, type, src));
        continue;
      }
      for (const int dst : row.types) {
        if (dst == src) continue;
        SCOPED_TRACE(testing::Message() << "to " << dst);
        Case c = make(row, type, dst);
        c.there = c.there && (computes(dst) || dst == kF32);
        run(c);
      }
    }
  }
}

TEST(EngineFeatures, StochasticRoundingIsThereOrIllegal) {
  Case c = make({kCvt, {}, true}, kF32, kF16);
  c.insn.stoch = true;
  if (Features::Stochastic::get(kFeatures) != 0) GTEST_SKIP() << "it is there";
  c.there = false;
  run(c);
}

TEST(EngineFeatures, FifosAreThereOrIllegal) {
  for (int n = 0; n < isa::kNumFifos; ++n) {
    Case c = make({kMov, {}, true}, kF16, kF16);
    c.there = n < static_cast<int>(Features::Fifos::get(kFeatures));
    if (c.there) continue;  // the FIFOs' own tests
    c.a.kind = kFifo;
    c.a.q = n;
    run(c);
    c = make({kMov, {}, true}, kF16, kF16);
    c.there = false;
    c.dst.kind = kFifo;
    c.dst.q = n;
    run(c);
  }
}

TEST(EngineFeatures, DotwIsThereOrIllegal) {
  if (Operations::Reductions::get(kOperations) != 0) GTEST_SKIP() << "it is there";
  Case c = make({kDotw, {}, false}, kMixed, kF32);
  c.b = fab_in(1, 0);
  run(c);
}

TEST(EngineFeatures, TaggedOperandsAreThereOrIllegal) {
  if (Operations::Tags::get(kOperations) != 0) GTEST_SKIP() << "they are there";
  Case c = make({kMov, {}, true}, kF16, kF16);
  c.a = fab_in(1, 4);
  c.a.tag = true;
  c.there = false;
  run(c);
}

// Lengths of outer dimensions matter only in the descriptor whose space is walked.
TEST(EngineFeatures, OuterDimensionsAreThereOrIllegal) {
  if (Operations::Dimensions::get(kOperations) != 0) GTEST_SKIP() << "they are there";
  for (int k = 1; k < isa::kNumDimensions; ++k) {
    SCOPED_TRACE(testing::Message() << "dimension " << k);
    Case c = make({kMov, {}, true}, kF16, kF16);
    c.dst.len[k] = 1;
    c.dst.step[k] = 24;
    c.there = k == 1;
    run(c);
    c = make({kMov, {}, true}, kF16, kF16);
    c.a.len[k] = 3;
    c.a.step[k] = 2;
    run(c);
    c = make({kMov, {}, true}, kF16, kF16);
    c.dst.kind = kFabOut;
    c.dst.q = 0;
    c.a.len[k] = 1;
    c.there = k == 1;
    run(c);
  }
}

// What streamed layers take, with few slots everywhere.
TEST(EngineFeatures, RowsOfAxpywMatchTheModel) {
  Bench<VEngineMini> b(2);
  for (const int samples : {2, 8, 16}) {
    run_layer({samples, 32 / samples > 16 ? 16 : 32 / samples, 9, 0.4}, &b);
    run_layer({samples, 1, 8, 0.3, 60, 30, 30}, &b);
  }
}

// A thread that waits for an input or output queue gives its turn away.
TEST(EngineFeatures, AThreadThatWaitsForAQueueLetsAnotherGo) {
  for (const bool in : {true, false}) {
    Bench<VEngineMini> b(2);
    b.in_rate = 100;
    b.out_rate = 0;
    Dsr queue;
    queue.kind = in ? kFabIn : kFabOut;
    queue.type = kF32;
    queue.len[0] = 12;
    b.write_dsr(0, in ? mem(0x400, 12, 4) : queue);
    b.write_dsr(1, in ? queue : mem(0x100, 12, 4));
    b.write_dsr(2, mem(0x200, 4, 2));
    b.write_dsr(3, mem(0x300, 4, 2));
    b.launch(insn(kMov, kF32, 1, 0, 1, 2));  // 12 words for a queue of 8, or none comes
    for (int k = 0; k < 1000; ++k) b.tick();
    EXPECT_TRUE(b.active(1));
    b.launch(insn(kMov, kF16, 2, 3, 2, 2));
    for (int k = 0; k < 1000 && b.active(2); ++k) b.tick();
    EXPECT_FALSE(b.active(2)) << (in ? "behind an input" : "behind an output");
  }
}

// An instruction for a thread that does not exist is refused. It does not disturb the thread whose
// number has the same lower bits: that thread goes on with its own descriptors and ends as usual.
TEST(EngineFeatures, AThreadThatIsNotThereLeavesTheOthersAlone) {
  constexpr int kThere = 1;
  for (int absent = static_cast<int>(isa::kMini.num_threads); absent < 16; ++absent) {
    SCOPED_TRACE(absent);
    Bench<VEngineMini> b(2);
    Dsr queue;
    queue.kind = kFabIn;
    queue.type = kF32;
    queue.len[0] = 12;
    b.write_dsr(0, mem(0x400, 12, 4));
    b.write_dsr(1, queue);
    b.write_dsr(2, mem(0x200, 4, 2));
    b.write_dsr(3, mem(0x300, 4, 2));
    Insn there = insn(kMov, kF32, kThere, 0, 1, 2);
    there.done = static_cast<int>(isa::Done::Activate);
    there.task = 5;
    b.launch(there);
    for (int k = 0; k < 100; ++k) b.tick();
    Insn other = insn(kMov, kF32, absent, 3, 2, 2);
    other.task = 9;
    b.launch(other);
    EXPECT_EQ(b->fault_o, fault(absent, static_cast<uint32_t>(isa::EngineCause::Illegal)));
    EXPECT_EQ(b->fault_pc_o, 0x100u);
    for (uint32_t k = 0; k < 12; ++k) b.in[0].push_back({false, 0xA0000000u + k});
    b.finish();
    for (uint32_t k = 0; k < 12; ++k) EXPECT_EQ(b.peek(0x400 + 4 * k), 0xA0000000u + k);
    EXPECT_EQ(b.done, (std::vector<std::pair<int, int>>{{there.done, there.task}}));
  }
}

// A halt in the middle of a launch. The engine does not sleep while it reports that it has taken
// the instruction (ow_engine_tb). It executes the instruction once, after the halt.
TEST(EngineFeatures, ALaunchThatMeetsAHaltIsTakenOnce) {
  for (int halt = 0; halt < 24; ++halt) {
    SCOPED_TRACE(halt);
    Bench<VEngineMini> b(2);
    b.write_dsr(0, mem(0x300, 4, 2));
    b.write_dsr(1, mem(0x200, 4, 2));
    b.poke(0x200, 0x40003C00);
    b.poke(0x204, 0x44004200);
    const Insn i = insn(kMov, kF16, 1, 0, 1, 2);
    b->tensor_valid_i = 1;
    b->op_i = i.op;
    b->ty_i = i.ty;
    b->ctl_i = i.ctl();
    b->scalar_i = i.value;
    int taken = 0;
    for (int k = 0; k < 100; ++k) {
      b->halt_i = k >= halt && k < 60;
      b->clk_i = 0;
      b->eval();
      const bool ready = b->tensor_ready_o;
      b.tick();
      if (ready && b->tensor_valid_i) ++taken;
      if (ready) b->tensor_valid_i = 0;
    }
    EXPECT_EQ(taken, 1);
    b.finish();
    EXPECT_EQ(b.peek(0x300), 0x40003C00u);
    EXPECT_EQ(b.peek(0x304), 0x44004200u);
  }
}

// With random values, which the serial adder shifts by many places (docs/fpga.md has the figure).
TEST(EngineFeatures, AWeightOfManySamplesKeepsItsRate) {
  Bench<VEngineMini> b(2);
  const double cycles = static_cast<double>(run_layer({32, 1, 4, 1.0, 100, 5}, &b)) / (4 * 64);
  EXPECT_LE(cycles, 35 * 32);
  std::printf("axpyw of the serial engine, 32 samples: %.0f cycles a weight, %.1f a sample\n",
              cycles, cycles / 32);
}

}  // namespace
}  // namespace ow_engine
