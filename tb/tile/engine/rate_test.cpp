// SPDX-License-Identifier: Apache-2.0
// How long the engine's instructions take, with 8 lanes: what docs/isa.md states.
#include <cstdio>

#include "engine_bench.h"
#include "layer.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

constexpr size_t kStallRow = static_cast<size_t>(isa::Counter::StallRow);

TEST(EngineRate, AxpyTakesFourCyclesAWeightWith32Samples) {
  Bench<VEngine8> b(8);
  const uint64_t cycles = run_layer({32, 4, 8, 1.0, 100, 5}, &b);
  // 64 weights a row, 1 cycle a row end; 4 cycles to the first beat, 8 from the last row end.
  EXPECT_EQ(b.weights, 8 * 64);
  EXPECT_LE(cycles, 8 * (64 * 4 + 1) + 12u);
  std::printf("axpy, 32 samples: %.4f cycles a weight with row ends\n",
              static_cast<double>(cycles) / (8 * 64));
}

TEST(EngineRate, AxpyWithFewerSamplesTakesAtMostTwoCyclesAWeight) {
  for (const int samples : {8, 16}) {
    Bench<VEngine8> b(8);
    const uint64_t cycles = run_layer({samples, 4, 8, 1.0, 100, 5}, &b);
    // A sum can be added to again two cycles later.
    EXPECT_LE(cycles, 8 * (64 * 2 + 1) + 12u);
    std::printf("axpy, %d samples: %.4f cycles a weight with row ends\n", samples,
                static_cast<double>(cycles) / (8 * 64));
  }
}

TEST(EngineRate, RowRingStallsOnlyWhenAllRowsAreInUse) {
  Bench<VEngine8> b(8);
  run_layer({32, 4, 12, 0.1}, &b);
  EXPECT_EQ(b.cause[kStallRow], 0);
  run_layer({32, 4, 12, 0.1, 100, 200}, &b);
  EXPECT_GT(b.cause[kStallRow], 500);
}

TEST(EngineRate, VectorsInMemoryRunAtTheDocumentedRate) {
  Bench<VEngine8> b(8);
  const int n = 1024;
  Insn i;
  i.dst = 0;
  i.a = 1;
  i.b = 2;
  auto run = [&](const char* name, int op, int ty, bool scalar, const Dsr& dst, const Dsr& a,
                 const Dsr& bb, double a_beat = 1) {
    i.op = op;
    i.ty = ty;
    i.scalar = scalar;
    i.value = 0x3C00;
    b.beats = 0;
    const uint64_t c = cycles_of(&b, i, dst, a, bb);
    std::printf("%-42s %5d elements %4d beats %5d cycles\n", name, n, b.beats, static_cast<int>(c));
    EXPECT_LE(static_cast<double>(c), b.beats * a_beat + 10) << name;
  };
  // Banks repeat every 64 bytes: + 16, + 32 put operands on different banks.
  run("mov f16", kMov, kF16, false, mem(4096 + 16, n, 2), mem(0, n, 2), mem(0, 0, 0));
  run("mov f16, unaligned by 2 bytes", kMov, kF16, false, mem(4096 + 18, n, 2), mem(0, n, 2),
      mem(0, 0, 0));
  run("mov f32", kMov, kF32, false, mem(4080, n, 4), mem(0, n, 4), mem(0, 0, 0));
  run("mov scalar", kMov, kF16, true, mem(4096, n, 2), mem(0, n, 2), mem(0, 0, 0));
  run("add f16, different banks", kAdd, kF16, false, mem(4096 + 32, n, 2), mem(0, n, 2),
      mem(2048 + 16, n, 2));
  run("add f16, sources on the same bank", kAdd, kF16, false, mem(4096 + 16, n, 2), mem(0, n, 2),
      mem(2048, n, 2));
  run("fma f16, b scalar", kFma, kF16, true, mem(4096 + 16, n, 2), mem(0, n, 2), mem(0, 0, 0));
  run("fma f16, b one element in memory", kFma, kF16, false, mem(4096 + 16, n, 2), mem(0, n, 2),
      mem(2048, 0, 0));
  run("fma f16, three vectors", kFma, kF16, false, mem(4096 + 32, n, 2), mem(0, n, 2),
      mem(2048 + 16, n, 2), 1.5);
  EXPECT_EQ(b->fault_o, 0u);
}

// Into a FIFO and out of it: one beat per cycle, even across the end of the buffer. The first use
// of a side after the buffer was set up takes one cycle more.
TEST(EngineRate, FifosTakeABeatACycle) {
  Bench<VEngine8> b(8);
  const int n = 512;
  b.write_dsr(0, fifo(1, 4096 + 16, 768));
  b.write_dsr(1, mem(0, n, 2));
  b.write_dsr(2, mem(2048 + 32, n, 2));
  for (int round = 0; round < 3; round++) {
    for (const Insn& i : {insn(kMov, kF16, 3, 0, 1), insn(kMov, kF16, 4, 2, 0)}) {
      b.launch(i);
      const uint64_t start = b.launched;
      while (b.active(i.thread) && b.cycle() < start + 2 * n) b.tick();
      std::printf("FIFO, round %d, thread %d: %d cycles\n", round, i.thread,
                  static_cast<int>(b.cycle() - start));
      EXPECT_LE(b.cycle() - start, n / 8 + 10 + (round == 0)) << "thread " << i.thread;
    }
  }
  EXPECT_EQ(b->fault_o, 0u);
}

// x and y at every 2-byte alignment to each other and to the banks: one beat per cycle, and the
// cycles that the streams need to slip apart.
TEST(EngineRate, AxpyRunsAtABeatACycleAtEveryAlignment) {
  Bench<VEngine8> b(8);
  const int n = 1024;
  Insn i;
  i.op = kFma;
  i.ty = kF16;
  i.dst = 0;
  i.a = 1;
  i.b = 2;
  i.scalar = true;
  i.value = 0x3C00;
  uint64_t worst = 0, sum = 0;
  for (int x = 0; x < 64; x += 2) {
    for (int y = 0; y < 64; y += 2) {
      const uint64_t c = cycles_of(&b, i, mem(4096 + y, n, 2), mem(x, n, 2), Dsr());
      sum += c;
      worst = std::max(worst, c);
      EXPECT_LE(c, n / 8 + 1 + 10u) << "x at " << x << ", y at " << y;
    }
  }
  std::printf("axpy of %d: %.1f cycles, at worst %d\n", n, static_cast<double>(sum) / 1024,
              static_cast<int>(worst));
}

TEST(EngineRate, StreamsRunAtOneWaveletACycle) {
  Bench<VEngine8> b(8);
  const int n = 512;
  Insn i;
  i.dst = 0;
  i.a = 1;
  i.b = 2;
  i.ty = kF32;
  uint64_t c = cycles_of(&b, i, fab_out(1), mem(0, n, 4), Dsr());
  std::printf("mov f32 memory to fabric: %d wavelets %d cycles\n", n, static_cast<int>(c));
  EXPECT_LE(c, n + 8u);
  for (int k = 0; k < n; k++) b.in[3].push_back({false, static_cast<uint32_t>(k)});
  c = cycles_of(&b, i, mem(0, n, 4), fab_in(3, n), Dsr());
  std::printf("mov f32 fabric to memory: %d wavelets %d cycles\n", n, static_cast<int>(c));
  EXPECT_LE(c, n + 8u);
  for (int k = 0; k < n; k++) b.in[3].push_back({false, static_cast<uint32_t>(k)});
  c = cycles_of(&b, i, fab_out(1), fab_in(3, n), Dsr());
  std::printf("mov f32 fabric to fabric: %d wavelets %d cycles\n", n, static_cast<int>(c));
  EXPECT_LE(c, n + 8u);
}

// A wavelet a cycle, whatever the index is multiplied by.
TEST(EngineRate, TaggedWaveletsRunAtTheDocumentedRate) {
  const int n = 512;
  for (const int step : {2, 6, -6}) {
    Bench<VEngine8> b(8);
    Dsr in = fab_in(3, n);
    in.tag = true;
    for (int k = 0; k < n; k++) b.in[3].push_back({false, static_cast<uint32_t>(5 * k % n) << 16});
    Insn i = insn(kMov, kF16, 1, 0, 1);
    const auto c = static_cast<int>(
        cycles_of(&b, i, mem(step < 0 ? 4096 : 0, n, static_cast<int16_t>(step)), in, Dsr()));
    std::printf("mov of tagged wavelets, step %d: %d wavelets %d cycles\n", step, n, c);
    EXPECT_EQ(b->fault_o, 0u);
    EXPECT_LE(c, n + 8);
  }
}

// .. also of two threads that take turns.
TEST(EngineRate, TwoThreadsTakeTaggedWaveletsAtTheDocumentedRate) {
  const int n = 256;
  Bench<VEngine8> b(8);
  for (const int t : {2, 3}) {
    Dsr in = fab_in(t, n);
    in.tag = true;
    b.write_dsr(2 * t, mem(t == 2 ? 0 : 4096, n, static_cast<int16_t>(t == 2 ? 6 : 10)));
    b.write_dsr(2 * t + 1, in);
    for (int k = 0; k < n; k++) b.in[t].push_back({false, static_cast<uint32_t>(5 * k % n) << 16});
  }
  const uint64_t start = b.cycle();
  for (const int t : {2, 3}) b.launch(insn(kMov, kF16, t, 2 * t, 2 * t + 1));
  b.finish(4 * n);
  std::printf("mov of tagged wavelets, two threads: %d wavelets %d cycles\n", 2 * n,
              static_cast<int>(b.cycle() - start));
  EXPECT_EQ(b->fault_o, 0u);
  EXPECT_LE(b.cycle() - start, 2u * n + 12);
}

// Each beat of this thread reads what its previous beat has written. The thread is chosen once to
// find that out, and then not until the data are there. Another thread loses two cycles per such
// beat.
TEST(EngineRate, AThreadThatWaitsForItsWritesIsNotChosenInVain) {
  const int beats = 192;
  const auto n = static_cast<uint16_t>(8 * beats);
  Bench<VEngine8> b(8);
  b.write_dsr(0, mem(7232 + 16, 8 * 50, 2));
  b.write_dsr(1, mem(7232, 8 * 50, 2));
  b.write_dsr(2, mem(4096 + 32, n, 2));
  b.write_dsr(3, mem(0, n, 2));
  b.beats = 0;
  b.launch(insn(kMov, kF16, 2, 0, 1));
  const uint64_t start = b.cycle();
  b.launch(insn(kMov, kF16, 3, 2, 3));
  while (b.active(3) && b.cycle() < start + 10 * beats) b.tick();
  std::printf("beside a thread that waits for its writes: %d beats %d cycles\n", b.beats,
              static_cast<int>(b.cycle() - start));
  EXPECT_GT(b.beats, beats);
  EXPECT_LE(b.cycle() - start, static_cast<uint64_t>(beats + 2 * (b.beats - beats) + 12));
  EXPECT_TRUE(b.active(2));
  EXPECT_EQ(b->fault_o, 0u);
}

// Two threads of tagged wavelets. A thread is not chosen while a wavelet of the other one is in
// front, so a third thread loses no cycle to them. Two threads of one class alternate without loss.
// If one has priority, the other has every 16th turn. Wavelets of the first that were taken after
// one of the other then wait for that turn: 3 cycles, as many as wavelets are on their way to their
// beats.
TEST(EngineRate, ThreadsWithTaggedWaveletsAreNotChosenInVain) {
  const int n = 256;
  const int beats = 192;
  for (const bool prio : {false, true}) {
    Bench<VEngine8> b(8);
    for (const int t : {2, 3}) {
      Dsr in = fab_in(t, n);
      in.tag = true;
      b.write_dsr(2 * t, mem(t == 2 ? 0 : 512, n, 2));
      b.write_dsr(2 * t + 1, in);
      for (int k = 0; k < n; k++)
        b.in[t].push_back({false, static_cast<uint32_t>(5 * k % n) << 16});
    }
    b.write_dsr(10, mem(4096, 8 * beats, 2));
    b.write_dsr(11, mem(1024, 8 * beats, 2));
    const uint64_t start = b.cycle();
    for (const int t : {2, 3, 4}) {
      const bool vector = t == 4;
      Insn i = insn(kMov, kF16, t, vector ? 10 : 2 * t, vector ? 11 : 2 * t + 1);
      i.prio = prio && t == 2;
      b.launch(i);
    }
    b.finish(8 * n);
    const auto cycles = static_cast<int>(b.cycle() - start);
    std::printf("two threads of %d tagged wavelets, one of %d beats, priority %d: %d cycles\n", n,
                beats, prio ? 1 : 0, cycles);
    EXPECT_EQ(b->fault_o, 0u);
    const int launch = 20;  // three launches, and what is in flight after the last beat
    EXPECT_LE(cycles, 2 * n + beats + launch + (prio ? n / 16 * 3 : 0));
  }
}

// Threads that wait for the fabric must cost an axpyw nothing.
TEST(EngineRate, BlockedThreadsCostTheOthersNothing) {
  Bench<VEngine8> b(8);
  for (int t = 2; t < 9; t++) {
    const int q = t == 7 ? 0 : t == 8 ? 1 : t - 2 == 5 ? 7 : t - 2;
    if (q == 5 || t > 6) continue;
    b.write_dsr(3 * t, fab_in(q, 16));
    b.write_dsr(3 * t + 1, mem(7168 + 64 * t, 16, 4));
    Insn i;
    i.ty = kF32;
    i.thread = t;
    i.a = 3 * t;
    i.dst = 3 * t + 1;
    b.launch(i);
  }
  // The bench would wait for all threads, so the axpy is run by hand here.
  Dsr a = mem(1024, 32, 2);
  a.step[1] = 64;
  Dsr d = mem(kAcc, 32, 4);
  d.len[1] = 4;
  b.write_dsr(0, d);
  b.write_dsr(1, a);
  b.write_dsr(2, fab_in(5, 0));
  for (int k = 0; k < 64; k++) b.in[5].push_back({false, static_cast<uint32_t>(k) << 16 | 0x3C00});
  b.in[5].push_back({true, kRowEnd | kStreamEnd});
  Insn i;
  i.op = kAxpyw;
  i.ty = kMixed;
  i.thread = 1;
  i.dst = 0;
  i.a = 1;
  i.b = 2;
  b.launch(i);
  const uint64_t start = b.launched;
  while (b.rows == 0 && b.cycle() < start + 1000) b.tick();
  EXPECT_LE(b.cycle() - start, 64 * 4 + 12u);
  for (int t = 2; t < 7; t++) {
    EXPECT_TRUE(b.active(t));
    EXPECT_EQ(isa::reg::Thread::Waits::get(b.thread_state(t)),
              static_cast<uint32_t>(isa::ThreadWait::Input));
  }
}

struct Timed {
  const char* name;
  Insn i;
  Dsr dst, a, b;
  int beats;
  int more;  // cycles that the whole instruction may take in addition
};

// From the launch to the last result, at Lanes = 8.
TEST(EngineRate, InstructionsTakeTheirBeatsAndAFewCycles) {
  Insn scalar = insn(kFma, kF32, 1, 0, 1, 2);
  scalar.scalar = true;
  scalar.value = 0x40000000;
  Dsr f32;
  f32 = mem(6000, 1, 4);
  f32.type = kF32;
  Dsr i32 = f32;
  i32.type = kI32;
  Dsr rows = mem(0, 128, 2);  // 8 rows of 128
  rows.len[1] = 8;
  Dsr again = mem(4000, 128, 2);
  again.step[1] = -256;
  Dsr rows2 = mem(2, 128, 2);
  rows2.len[1] = 8;
  Dsr again2 = mem(4006, 128, 2);
  again2.step[1] = -256;
  Dsr y = mem(6002, 8, 2);
  Dsr panel_dst = mem(kAcc, 64, 4);
  panel_dst.len[1] = 24;
  panel_dst.step[1] = -256;
  Dsr panel_a = mem(6, 64, 0);
  panel_a.step[1] = 2;
  const Dsr panel_b = mem(1026, 64, 2);
  Insn panel = insn(kFma, kMixed, 1, 0, 1, 2);
  panel.fresh = true;
  Dsr half = mem(4098, 256, 2);
  half.type = kF16;
  const Timed cases[] = {
      {"fma f32, b scalar", scalar, mem(4100, 512, 4), mem(4, 512, 4), Dsr(), 257, 10},
      {"add f32", insn(kAdd, kF32, 1, 0, 1, 2), mem(4100, 512, 4), mem(4, 512, 4),
       mem(2060, 512, 4), 129, 10},
      {"add i32", insn(kAdd, kI32, 1, 0, 1, 2), mem(4096, 512, 4), mem(4, 512, 4),
       mem(2060, 512, 4), 128, 10},
      {"mov i8", insn(kMov, kI8, 1, 0, 1), mem(4096, 1000, 1), mem(3, 1000, 1), Dsr(), 125, 8},
      {"cvt f32 to f16", insn(kCvt, kF32, 1, 0, 1), half, mem(8, 256, 4), Dsr(), 65, 16},
      {"dot f16", insn(kDot, kF16, 1, 0, 1, 2), f32, mem(6, 1024, 2), mem(2050, 1024, 2), 128, 16},
      {"dot f32", insn(kDot, kF32, 1, 0, 1, 2), f32, mem(4, 512, 4), mem(2052, 512, 4), 256, 16},
      {"dot i8", insn(kDot, kI8, 1, 0, 1, 2), i32, mem(5, 2048, 1), mem(2051, 2048, 1), 128, 16},
      {"dots of 8 rows", insn(kDot, kF16, 1, 0, 1, 2), y, rows, again, 128, 16},
      {"dots, unaligned", insn(kDot, kF16, 1, 0, 1, 2), y, rows2, again2, 128, 24},
      {"exp f16", insn(kExp, kF16, 1, 0, 1), mem(4096, 256, 2), mem(4, 256, 2), Dsr(), 128, 14},
      {"panel of a gemm", panel, panel_dst, panel_a, panel_b, 192, 10},
  };
  for (const Timed& c : cases) {
    Bench<VEngine8> b(8);
    const uint64_t cycles = cycles_of(&b, c.i, c.dst, c.a, c.b);
    std::printf("%-20s %4d beats %4d cycles\n", c.name, b.beats, static_cast<int>(cycles));
    EXPECT_EQ(b->fault_o, 0u) << c.name;
    EXPECT_EQ(b.beats, c.beats) << c.name;
    EXPECT_LE(cycles, static_cast<uint64_t>(c.beats + c.more)) << c.name;
  }
}

// Launches n axpys of 64 elements, one a cycle, on threads 1 to 12.
uint64_t launch_axpys(Bench<VEngine8>* b, int elements, uint32_t pitch) {
  for (int t = 1; t <= 12; t++) {
    b->write_dsr(2 * t, mem(4096 + pitch * (t - 1), static_cast<uint16_t>(elements), 2));
    b->write_dsr(2 * t + 1, mem(pitch * (t - 1), static_cast<uint16_t>(elements), 2));
  }
  const uint64_t start = b->cycle();
  for (int t = 1; t <= 12; t++) {
    Insn i = insn(kFma, kF16, t, 2 * t, 2 * t + 1);
    i.scalar = true;
    i.value = 0x3C00;
    b->launch(i);
  }
  while (b->busy()) b->tick();
  return b->cycle() - start;
}

TEST(EngineRate, IndependentAxpysOf64FollowEachOther) {
  Bench<VEngine8> b(8);
  const uint64_t cycles = launch_axpys(&b, 64, 128);
  std::printf("12 axpys of 64: %.1f cycles each\n", static_cast<double>(cycles) / 12);
  EXPECT_LE(cycles, 12 * 9 + 4u);
}

// Threads cost nothing: twelve take as many cycles as one thread with all of their beats.
TEST(EngineRate, TwelveThreadsAreAsFastAsOne) {
  Bench<VEngine8> b(8);
  const uint64_t twelve = launch_axpys(&b, 160, 320);
  const int beats = b.beats;
  b.beats = 0;
  Insn i = insn(kFma, kF16, 1, 0, 1);
  i.scalar = true;
  i.value = 0x3C00;
  const uint64_t one = cycles_of(&b, i, mem(4096, 12 * 160, 2), mem(0, 12 * 160, 2), Dsr());
  EXPECT_EQ(beats, b.beats);
  std::printf("%d beats: one thread %d cycles, twelve %d\n", beats, static_cast<int>(one),
              static_cast<int>(twelve));
  EXPECT_LE(twelve, one + 2);
}

// The first wavelet of a move leaves 4 cycles after the launch. A move from the fabric is done 3
// cycles after its last wavelet has arrived.
TEST(EngineRate, ShortMovesAreShort) {
  Bench<VEngine8> b(8);
  b.write_dsr(0, fab_out(2));
  b.write_dsr(1, mem(16, 8, 4));
  b.launch(insn(kMov, kI32, 0, 0, 1));
  uint64_t start = b.launched;
  while (b.queues_empty() && b.cycle() < start + 20) b.tick();
  EXPECT_EQ(b.cycle() - start, 4u);
  b.finish();
  b.write_dsr(2, fab_in(3, 1));
  b.write_dsr(3, mem(4, 1, 4));
  b.sync_done = 0;
  b.launch(insn(kMov, kI32, 0, 3, 2));
  b.in[3].push_back({false, 7});
  start = b.cycle();
  while (b.sync_done == 0 && b.cycle() < start + 20) b.tick();
  EXPECT_EQ(b.cycle() - start, 3u);
}

}  // namespace
