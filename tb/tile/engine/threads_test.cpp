// SPDX-License-Identifier: Apache-2.0
// How the threads of the engine share it: priority, turns, writes that give way.
#include <cstdio>

#include "engine_bench.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

// Of two equal threads, the one with priority ends first, and the other one goes on meanwhile.
TEST(EngineThreads, PriorityGoesFirstAndStarvesNobody) {
  Bench<VEngine8> b(8);
  for (int t = 1; t < 3; t++) {
    b.write_dsr(3 * t, mem(4096 * (t - 1) + 2048, 1000, 2));
    b.write_dsr(3 * t + 1, mem(4096 * (t - 1), 1000, 2));
    Insn i = insn(kMov, kF16, t, 3 * t, 3 * t + 1);
    i.prio = t == 2;
    b.launch(i);
  }
  const uint64_t start = b.cycle();
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

// Beside a thread with priority that can always go, the others take turns: none of them waits for
// more than the sixteenth choices of a round.
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

// A thread whose every beat reads what the one before it has written goes on beside a thread that
// reads the same banks in every cycle: its writes give way, but not for ever.
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
  const uint64_t start = b.cycle();
  while (b.active(2) && b.cycle() < start + 5000) b.tick();
  EXPECT_TRUE(b.active(1)) << "the reader has not run all the time";
  std::printf("100 dependent beats: %d cycles\n", static_cast<int>(b.cycle() - start));
  EXPECT_LE(b.cycle() - start, 100 * 20u);
  EXPECT_EQ(b->fault_o, 0u);
  EXPECT_TRUE(b.in[1].empty());
}

}  // namespace
