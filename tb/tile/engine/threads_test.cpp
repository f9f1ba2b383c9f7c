// SPDX-License-Identifier: Apache-2.0
// How the threads of the engine share it: priority, turns, writes that give way.
#include <cstdio>

#include "engine_bench.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

// The one of two equal threads that has priority ends first. The other goes on meanwhile.
TEST(EngineThreads, PriorityGoesFirstAndStarvesNobody) {
  Bench<VEngine8> b(8);
  for (int t = 1; t < 3; t++) {
    b.write_dsr(3 * t, mem(4096 * (t - 1) + 2048, 1000, 2));
    b.write_dsr(3 * t + 1, mem(4096 * (t - 1), 1000, 2));
    Insn i = insn(kMov, kF16, t, 3 * t, 3 * t + 1);
    i.prio = t == 2;
    b.launch(i);
  }
  const uint64_t start = b.launched;
  uint64_t end[3] = {};
  while (b.busy() && b.cycle() < start + 1000) {
    b.tick();
    for (int t = 1; t < 3; t++) {
      if (end[t] == 0 && !b.active(t)) end[t] = b.cycle() - start;
    }
  }
  EXPECT_LE(end[2], 148u);
  EXPECT_LE(end[1], 262u);
}

// One thread with priority can always go. The others share every sixteenth choice in turn: none
// waits longer than one round.
// Fails if threads beside one of priority starve.
TEST(EngineThreads, NobodyStarvesBesidePriority) {
  Bench<VEngine8> b(8);
  const int rounds = 2000;
  for (int t = 1; t < 6; t++) {
    Insn i = insn(kMov, kF32, t, 3 * t, 3 * t + 1);
    if (t == 1) {
      b.write_dsr(3 * t, mem(2048, 8, 4));
      Dsr a = mem(0, 512, 4);
      a.len[1] = 4000;
      a.step[1] = -2048;
      b.write_dsr(3 * t + 1, a);
      i.op = kRMax;
      i.prio = true;
    } else {
      b.write_dsr(3 * t, mem(4096 + 64 * t, 1, 4));
      b.write_dsr(3 * t + 1, fab_in(t, 0));
      i.a = 3 * t + 1;
      Dsr d = mem(4096 + 64 * t, 0, 0);
      b.write_dsr(3 * t, d);
      for (int k = 0; k < rounds; k++) b.in[t].push_back({false, static_cast<uint32_t>(k)});
    }
    b.launch(i);
  }
  std::array<std::size_t, 6> left{};
  for (int t = 2; t < 6; t++) left[t] = b.in[t].size();
  for (int k = 0; k < 4000; k++) b.tick();
  for (int t = 2; t < 6; t++) {
    EXPECT_GE(left[t] - b.in[t].size(), 4000u / (16 * 4) - 8) << "thread " << t;
  }
}

// A thread with priority that takes a wavelet in every second cycle leaves the other cycles to a
// thread without priority. Its beat in stage I1 takes the only wavelet, so it is not chosen in vain
// for the next beat.
TEST(EngineThreads, WhoWaitsForAWaveletCostsNobodyATurn) {
  constexpr int kWavelets = 500;
  for (const bool second : {false, true}) {
    Bench<VEngine8> b(8);
    // Each vector has a pair of banks for itself.
    Dsr from = mem(0, 8, 2), to = mem(48, 8, 2);
    for (Dsr* d : {&from, &to}) {
      d->len[1] = 4000;
      d->step[1] = -16;
    }
    b.write_dsr(0, to);
    b.write_dsr(1, from);
    b.write_dsr(3, mem(4096 + 16, kWavelets, 0));
    b.write_dsr(4, mem(4096 + 32, kWavelets, 0));
    b.write_dsr(5, fab_in(1, kWavelets));
    Insn moves = second ? insn(kAdd, kI32, 2, 3, 4, 5) : insn(kMov, kI32, 2, 3, 5);
    moves.prio = true;
    b.launch(moves);
    b.launch(insn(kMov, kF16, 1, 0, 1));
    for (int k = 0; k < 20; k++) b.tick();
    const int before = b.beats;
    for (int k = 0; k < kWavelets; k++) {
      b.in[1].push_back({false, 0});
      b.tick();
      b.tick();
    }
    EXPECT_LE(b.in[1].size(), 2u) << (second ? "operand b" : "operand a");
    EXPECT_TRUE(b.active(1)) << "it has not run all the time";
    EXPECT_GE(b.beats - before, 2 * kWavelets - 8) << (second ? "operand b" : "operand a");
  }
}

// The end of a reduction, and its fault, wait for results of other threads that are on their way.
// They do not wait for instructions that could still begin.
TEST(EngineThreads, TheEndOfAReductionDoesNotWaitForOthersThatGoOn) {
  for (const bool fault : {false, true}) {
    Bench<VEngine8> b(8);
    Dsr a = mem(0, 8, 2);
    a.len[1] = 4096;
    a.step[1] = -16;
    Dsr d = mem(4096, 4096, 0);
    b.write_dsr(6, d);
    b.write_dsr(7, a);
    b.launch(insn(kSum, kF16, 2, 6, 7));
    for (int k = 0; k < 100; k++) b.tick();
    if (fault) {
      b.write_dsr(0, mem(4096 + 64, 1, 2));
      b.write_dsr(1, mem(0xFF000, 64, 2));
      b.launch(insn(kSum, kF16, 1, 0, 1));
    } else {
      Dsr matrix = mem(1024, 16, 2), results = mem(4096 + 64, 16, 4);
      matrix.len[1] = 4;
      matrix.step[1] = 32;
      results.type = kF32;
      b.write_dsr(0, results);
      b.write_dsr(1, matrix);
      b.write_dsr(2, fab_in(5, 0));
      b.in[5].push_back({false, 1u << 16});
      b.in[5].push_back({true, kStreamEnd});
      Insn i = insn(kDotw, kMixed, 1, 0, 1, 2);
      i.value = 2048;
      b.launch(i);
    }
    const uint64_t start = b.cycle();
    while (b.active(1) && b->fault_o == 0 && b.cycle() < start + 400) b.tick();
    // Its turn comes after 32 beats of the other thread. Then it waits for those that are on their
    // way.
    EXPECT_LT(b.cycle() - start, 200u) << (fault ? "fault" : "end");
    EXPECT_EQ(b->fault_o != 0, fault);
    EXPECT_EQ(b.active(2), true) << "which goes on";
  }
}

// Each beat of one thread reads what its previous beat has written. Beside it a thread reads the
// same banks in every cycle. The writes of the first give way, but not for ever.
// Fails if a write gives way to reads without bound.
TEST(EngineThreads, WritesDoNotGiveWayForEver) {
  Bench<VEngine8> b(8);
  b.write_dsr(0, mem(6000, 1, 4));
  Dsr column = mem(0, 90, 64);  // always the banks of line 0
  column.len[1] = 100;
  column.step[1] = -90 * 64;
  b.write_dsr(1, column);
  b.launch(insn(kRMax, kF32, 1, 0, 1));
  for (int k = 0; k < 40; k++) b.tick();
  Dsr y = mem(6144, 1, 4);
  y.len[1] = 100;
  y.step[1] = -4;  // always the same word
  b.write_dsr(3, y);
  b.write_dsr(4, fab_in(1, 0));
  for (int k = 0; k < 100; k++) b.in[1].push_back({false, 1});
  const Insn i = insn(kAdd, kI32, 2, 3, 3, 4);
  b.launch(i);
  const uint64_t start = b.launched;
  while (b.active(2) && b.cycle() < start + 5000) b.tick();
  EXPECT_TRUE(b.active(1)) << "the reader has not run all the time";
  std::printf("100 dependent beats: %d cycles\n", static_cast<int>(b.cycle() - start));
  EXPECT_LE(b.cycle() - start, 100 * 20u);
  EXPECT_EQ(b->fault_o, 0u);
  EXPECT_TRUE(b.in[1].empty());
}

// An instruction is complete before its last line is in memory, but every reader of that address
// gets the new line.
TEST(EngineThreads, WhoLooksWhenAnInstructionIsCompleteFindsItsResult) {
  constexpr int kN = 32;
  constexpr uint32_t kDst = 1024;
  struct Case {
    const char* what;
    int op, type, result_type;
    uint32_t want;
  };
  const Case cases[] = {
      {"sum of vectors", kAdd, kF32, kF32, 0x40000000},
      {"sum of a vector", kSum, kF32, kF32, 0x42000000},
      {"function", kRcp, kF16, kF16, 0x3C003C00},
  };
  for (const Case& c : cases) {
    for (const int thread : {0, 3}) {
      for (int again = 0; again < 4; again++) {
        Bench<VEngine8> b(8);
        const int bytes = c.type == kF32 ? 4 : 2, n_results = c.op == kSum ? 1 : kN;
        for (uint32_t k = 0; k < kN; k++) b.poke(4 * k, c.type == kF32 ? 0x3F800000 : 0x3C003C00);
        Dsr dst = mem(kDst, static_cast<uint16_t>(n_results), static_cast<int16_t>(bytes));
        dst.type = c.result_type;
        const Dsr src = mem(0, kN, static_cast<int16_t>(bytes));
        const uint32_t last = (kDst + n_results * bytes - 1) & ~3u;
        b.write_dsr(0, dst);
        b.write_dsr(1, src);
        // The second and third come soon after the last one was complete.
        for (int n = 0; n <= again; n++) {
          b.poke(last, 0);
          b.sync_done = 0;
          b.launch(insn(c.op, c.type, thread, 0, 1, 1));
          const uint64_t start = b.launched;
          while (b.thread_state(thread) >> 31 && b.cycle() < start + 200) b.tick();
          const uint32_t seen = n % 2 == 0 ? b.peek(last) : b.load(last);
          EXPECT_EQ(seen, c.want) << c.what << " on thread " << thread << ", time " << n;
        }
      }
    }
  }
}

// The host gets access to a bank that microthreads read and write in every cycle. Beside them the
// core stores by one instruction after the other, each complete before its line is in memory.
TEST(EngineThreads, TheHostGetsAtMemoryBesideInstructionsThatAreCompleteEarly) {
  constexpr uint32_t kHost = 4096;
  for (const uint16_t elements : {1, 4, 8, 12, 16, 24}) {
    for (const uint32_t line : {1024u, 1040u, 1056u}) {
      Bench<VEngine8> b(8);
      Dsr writes = mem(kHost, 8, 2);
      writes.len[1] = 2000;
      writes.step[1] = -14;
      b.write_dsr(3, writes);
      b.write_dsr(4, mem(2048, 16000, 0));
      b.launch(insn(kMov, kF16, 1, 3, 4));
      Dsr reads = mem(0, 90, 64);
      reads.len[1] = 100;
      reads.step[1] = -90 * 64;
      b.write_dsr(6, mem(6000, 1, 4));
      b.write_dsr(7, reads);
      b.launch(insn(kRMax, kF32, 2, 6, 7));
      b.write_dsr(0, mem(line, elements, 2));
      b.write_dsr(1, mem(6144, elements, 2));
      Insn stores = insn(kAdd, kF16, 0, 0, 1, 1);
      stores.prio = true;
      b->op_i = stores.op;
      b->ty_i = stores.ty;
      b->ctl_i = stores.ctl();
      b->tensor_valid_i = 1;
      for (int k = 0; k < 60; k++) b.tick();
      b->ctl_req_i = 1;
      b->ctl_we_i = 0;
      b->ctl_addr_i = kHost;
      int waited = 0;
      for (bool granted = false; !granted && waited < 600; waited++) {
        b->clk_i = 0;
        b->eval();
        granted = b->ctl_gnt_o != 0;
        b.tick();
      }
      EXPECT_TRUE(b.active(1) && b.active(2)) << "the microthreads have not run all the time";
      EXPECT_GT(b.sync_done, 0);
      EXPECT_LE(waited, 40) << elements << " elements to " << line;
    }
  }
}

// The core's loads from other lines do not wait for that: only the one that has the result.
TEST(EngineThreads, OnlyWhoLooksAtTheResultWaitsForIt) {
  Bench<VEngine8> b(8);
  for (uint32_t k = 0; k < 32; k++) b.poke(4 * k, 0x3F800000);
  b.poke(2048, 7);
  b.write_dsr(0, mem(1024, 32, 4));
  b.write_dsr(1, mem(0, 32, 4));
  b.launch(insn(kAdd, kF32, 3, 0, 1, 1));
  while (b.thread_state(3) >> 31) b.tick();
  const uint64_t start = b.cycle();
  EXPECT_EQ(b.load(2048), 7u);
  EXPECT_LE(b.cycle() - start, 2u);
  EXPECT_EQ(b.load(1024 + 4 * 31), 0x40000000u);
  EXPECT_GE(b.cycle() - start, 4u);
  EXPECT_LE(b.cycle() - start, 8u);
}

// A reduction that waits for the fabric in the middle of a vector: the engine sleeps when its last
// beat has reached the partial results, and not before.
TEST(EngineThreads, SleepsOnlyWhenPartialResultsHaveArrived) {
  Bench<VEngine8> b(8);
  Dsr dst = mem(1024, 1, 4);
  dst.type = kF32;
  b.write_dsr(0, dst);
  b.write_dsr(1, fab_in(1, 4));
  b.launch(insn(kSum, kF16, 1, 0, 1));
  b.in[1].push_back({false, 0x3C003C00});
  while (b.beats == 0) b.tick();
  int cycles = 0;
  for (; !b->idle_o && cycles < 100; cycles++) b.tick();
  EXPECT_GE(cycles, 6);
  EXPECT_LE(cycles, 12);
  b.in[1].push_back({false, 0x3C003C00});
  b.finish();
  EXPECT_EQ(b.peek(1024), 0x40800000u);  // 4
}

// A beat that waits for the one before it keeps its half of a wavelet, whenever another thread is
// launched meanwhile.
TEST(EngineThreads, ALaunchChangesNothingForAThreadThatWaits) {
  constexpr int kN = 8;
  for (const bool second : {false, true}) {
    for (int when = 0; when < 40; when++) {
      Bench<VEngine8> b(8);
      b.poke(1024, 0);
      for (uint32_t k = 0; k < 4; k++) b.poke(4 * k, 0x3C003C00);
      Dsr sum = mem(1024, kN, 0);  // each element is added to the result of the one before
      b.write_dsr(0, sum);
      b.write_dsr(1, second ? mem(0, kN, 2) : fab_in(1, kN));
      b.write_dsr(2, second ? fab_in(1, kN) : mem(0, kN, 2));
      b.write_dsr(3, mem(2048, 1, 4));
      b.write_dsr(4, mem(0, 1, 4));
      for (int k = 0; k < kN / 2; k++) b.in[1].push_back({false, 0x3C003C00});
      b.launch(insn(kFma, kF16, 1, 0, 1, 2));
      for (int k = 0; k < when; k++) b.tick();
      b.launch(insn(kMov, kF32, 2, 3, 4));
      b.finish(1000);
      EXPECT_TRUE(b.in[1].empty()) << when << " cycles";
      EXPECT_EQ(b.peek(1024), 0x4800u) << when << " cycles";  // 8
    }
  }
}

// A FIFO is the second operand of tagged wavelets, whose index is not the FIFO's: it gives its
// elements in order, whatever step is left in the descriptor that names it.
TEST(EngineThreads, AFifoIsASecondOperandOfTaggedWavelets) {
  Bench<VEngine8> b(8);
  constexpr uint32_t kFrom = 0, kTo = 4096, kRing = 2048;
  constexpr uint16_t n = 64;
  for (uint32_t k = 0; k < n; k += 2) b.poke(kFrom + 2 * k, (k + 101) << 16 | (k + 100));
  b.write_dsr(0, fifo(1, kRing, 8));
  b.write_dsr(1, mem(kFrom, n, 2));
  b.write_dsr(2, mem(kFrom, n, 2));  // its step stays when word 0 names the FIFO
  b.write_dsr(2, fifo(1, kRing, 8), {isa::DsrWord::Kind});
  b.write_dsr(3, mem(kTo, n, 2));
  Dsr in = fab_in(3, n);
  in.tag = true;
  b.write_dsr(4, in);
  for (uint32_t k = 0; k < n; k++) b.in[3].push_back({false, (63 - k) << 16 | 1});
  b.launch(insn(kAdd, kI16, 4, 3, 4, 2));
  b.launch(insn(kMov, kI16, 5, 0, 1));
  b.finish();
  EXPECT_EQ(b->fault_o, 0u);
  for (uint32_t k = 0; k < n; k += 2) {
    EXPECT_EQ(b.peek(kTo + 2 * k), (63 - k - 1 + 101) << 16 | (63 - k + 101)) << k;
  }
}

}  // namespace
