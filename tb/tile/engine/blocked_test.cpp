// SPDX-License-Identifier: Apache-2.0
// An output queue that the fabric does not drain stops the threads that send to it, and no others.
#include "engine_bench.h"

using namespace ow_engine;  // NOLINT(google-build-using-namespace): the bench is the test's own

namespace {

constexpr uint32_t kResult = 2048;
constexpr int kFull = 1;  // the output queue that is not drained

// A sum from memory to memory, on thread 9: 4 elements of 1.
template <typename B>
void launch_sum(B* b) {
  b->poke(0, 0x3C003C00);
  b->poke(4, 0x3C003C00);
  b->poke(kResult, 0);
  Dsr sum = mem(kResult, 1, 4);
  sum.type = kF32;
  b->write_dsr(10, sum);
  b->write_dsr(11, mem(0, 4, 2));
  b->launch(insn(kSum, kF16, 9, 10, 11));
}

template <typename B>
void expect_sum(B* b, int when) {
  for (int k = 0; k < 200 && b->active(9); k++) b->tick();
  EXPECT_FALSE(b->active(9)) << "a full queue holds a sum in memory, timing " << when;
  EXPECT_EQ(b->peek(kResult), 0x40800000u) << "timing " << when;  // 4
}

// Sends to the full queue until it has no place.
template <typename B>
void launch_sender(B* b) {
  b->write_dsr(6, fab_out(kFull));
  b->write_dsr(7, mem(1024, 400, 2));
  b->launch(insn(kMov, kF16, 3, 6, 7));
}

// The end of a dotw waits for the results of all reductions. Another thread takes the last place of
// its queue meanwhile.
TEST(EngineBlocked, TheEndOfADotwThatSendsHoldsNoReduction) {
  for (int when = 0; when < 160; when++) {
    Bench<VEngine8> b(8);
    b.held_out = 1u << kFull;
    Dsr out = fab_out(kFull);
    out.close = true;
    b.write_dsr(0, out);
    Dsr matrix = mem(1024, 16, 2);
    matrix.step[1] = 32;
    b.write_dsr(1, matrix);
    b.write_dsr(2, fab_in(2, 0));
    Insn dotw = insn(kDotw, kMixed, 1, 0, 1, 2);
    b.launch(dotw);
    launch_sender(&b);
    for (int k = 0; k < when % 32; k++) b.tick();
    for (int k = 0; k <= when / 32; k++) b.in[2].push_back({false, static_cast<uint32_t>(k) << 16});
    b.in[2].push_back({true, kStreamEnd});
    for (int k = 0; k < 24; k++) b.tick();
    launch_sum(&b);
    expect_sum(&b, when);
    b.held_out = 0;
    b.finish(2000);
    EXPECT_EQ(b->fault_o, 0u);
  }
}

// A sum to the full queue is in the middle of a vector when another thread takes the last place.
TEST(EngineBlocked, AReductionThatSendsHoldsNoOtherOneInMidVector) {
  for (int when = 0; when < 160; when++) {
    Bench<VEngine8> b(8);
    b.held_out = 1u << kFull;
    b.write_dsr(0, fab_out(kFull));
    Dsr rows = mem(1024, 40, 2);
    rows.len[1] = 40;
    rows.step[1] = -80;
    b.write_dsr(1, rows);
    b.launch(insn(kSum, kF16, 1, 0, 1));
    for (int k = 0; k < when; k++) b.tick();
    launch_sender(&b);
    launch_sum(&b);
    expect_sum(&b, when);
    b.held_out = 0;
    b.finish(4000);
    EXPECT_EQ(b->fault_o, 0u);
    EXPECT_EQ(b.out[kFull].size(), 220u);
  }
}

// A reduction without the priority bit gets its turn beside a reduction with it. This must hold for
// vectors of any length, and if other threads without the bit take turns too.
TEST(EngineBlocked, AReductionHasItsTurnBesideOneWithPriority) {
  for (const int others : {0, 1, 2, 3}) {
    for (uint16_t beats = 1; beats <= 8; beats++) {
      Bench<VEngine8> b(8);
      Dsr rows = mem(1024, static_cast<uint16_t>(8 * beats), 2);
      rows.len[1] = 8000;
      rows.step[1] = static_cast<int16_t>(-16 * beats);
      b.write_dsr(0, mem(4096, 1, 0));
      b.write_dsr(1, rows);
      Insn first = insn(kSum, kF16, 1, 0, 1);
      first.prio = true;
      b.launch(first);
      for (int t = 0; t < others; t++) {
        Dsr to = mem(5120 + 64 * t, 8, 2), from = mem(6144 + 64 * t, 8, 2);
        for (Dsr* d : {&to, &from}) {
          d->len[1] = 8000;
          d->step[1] = -16;
        }
        b.write_dsr(2 * t + 2, to);
        b.write_dsr(2 * t + 3, from);
        b.launch(insn(kMov, kF16, 2 + t, 2 * t + 2, 2 * t + 3));
      }
      launch_sum(&b);
      const uint64_t start = b.cycle();
      while (b.active(9) && b.cycle() < start + 1000) b.tick();
      // 16 vectors, or 16 turns of the threads without the bit, and its own beats.
      EXPECT_LE(b.cycle() - start, 320u) << others << " others, vectors of " << beats << " beats";
    }
  }
}

// The fault of a reduction waits for the results of others. One of these that has just begun a
// vector ends it.
TEST(EngineBlocked, TheFaultOfAReductionWaitsForNoneInMidVector) {
  for (int beats = 2; beats < 6; beats++) {
    for (int when = 0; when < 40; when++) {
      Bench<VEngine8> b(8);
      Dsr rows = mem(1024, static_cast<uint16_t>(8 * beats), 2);
      rows.len[1] = 400;
      rows.step[1] = static_cast<int16_t>(-16 * beats);
      for (int t = 0; t < 2; t++) {
        b.write_dsr(2 * t, mem(4096 + 16 * t, 1, 0));
        b.write_dsr(2 * t + 1, rows);
        b.launch(insn(kSum, kF16, 1 + t, 2 * t, 2 * t + 1));
      }
      for (int k = 0; k < when; k++) b.tick();
      b.write_dsr(10, mem(kResult, 1, 2));
      b.write_dsr(11, mem(0xFF000, 8, 2));
      b.launch(insn(kSum, kF16, 9, 10, 11));
      for (int k = 0; k < 400 && b->fault_o == 0; k++) b.tick();
      EXPECT_NE(b->fault_o, 0u) << beats << " beats, " << when << " cycles";
      b.finish(8000);
    }
  }
}

}  // namespace
