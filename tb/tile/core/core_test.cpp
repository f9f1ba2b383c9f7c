// SPDX-License-Identifier: Apache-2.0
// Directed tests of ow_core: cycles, traps that stop, run control, waiting, the idle contract.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core_run.h"
#include "rv_asm.h"

namespace ow {
namespace {

using namespace rv;  // NOLINT: encodings by mnemonic

constexpr uint32_t kRegs = isa::reg::kBase >> 12;  // lui of the register space
constexpr uint32_t kBadSystem = r_type(isa::kOpcodeSystem, 7, 0, 0, 0, 0);

TEST(Core, StraightCodeRunsAtItsRate) {
  CoreBench bench;
  std::vector<uint32_t> words(200, addi(1, 1, 1));
  words.push_back(kEbreak);
  const auto cycles = run(&bench, words);
  ASSERT_EQ(cycles.size(), 201u);
  // The core for area counts retired instructions every 16 instructions, which takes 6 cycles.
  EXPECT_EQ(cycles.back() - cycles.front(), kSerial ? 199u * 7 + 12 * 6 + 14 : 200u);
}

TEST(Core, LoadThenUseWaitsTwoCycles) {
  if (kSerial) GTEST_SKIP() << "nothing overlaps";
  CoreBench bench;
  std::vector<Retire> log;
  // A chain of pointers: each word holds the address of the next.
  const auto cycles = run(&bench,
                          {addi(1, 0, 0x400), sw(1, 0, 0x400), lw(2, 1, 0), lw(3, 2, 0),
                           lw(4, 3, 0), add(5, 4, 4), beq(5, 0, 8), kEbreak},
                          &log);
  ASSERT_EQ(cycles.size(), 8u);
  // Three of them need the load before.
  EXPECT_EQ(cycles.back() - cycles.front(), 7u + 3 * 2);
  EXPECT_EQ(log[5].rd_data, 0x800u);
}

TEST(Core, CyclesOfJumpsMultiplicationsAndDivisions) {
  const auto expect = [](uint64_t cycles, uint64_t pipeline, uint64_t serial, const char* what) {
    EXPECT_EQ(cycles, kSerial ? serial : pipeline) << what;
  };
  CoreBench bench;
  const auto cycles =
      run(&bench, {addi(1, 0, 7), addi(2, 0, -3), mul(3, 1, 2), addi(4, 0, 1), div(5, 2, 1),
                   addi(4, 0, 2), jal(0, 8), kNop, addi(4, 0, 3), beq(0, 0, 12), kNop, kNop,
                   addi(4, 0, 4), bne(0, 0, 8), kEbreak});
  ASSERT_EQ(cycles.size(), 12u);
  expect(cycles[2] - cycles[1], 4, 136, "mul");
  expect(cycles[3] - cycles[2], 1, 7, "addi");
  expect(cycles[4] - cycles[3], 34, 177, "div");
  expect(cycles[7] - cycles[5], 3, 9 + 7, "jal");
  // A taken branch does not need the sum for the next address.
  expect(cycles[9] - cycles[7], 4, 11 + 6, "taken branch forwards");
  expect(cycles[10] - cycles[9], 1, 10, "branch not taken");
}

TEST(Core, TrapWithoutVectorStopsTheCoreAndSaysWhy) {
  struct Case {
    std::vector<uint32_t> words;
    uint32_t cause, tval, pc;
    bool ebreak;
  };
  const std::vector<Case> cases = {
      {{kNop, kEbreak}, 3, 4, 4, true},
      {{kEcall}, 11, 0, 0, false},
      {{kNop, kNop, 0xffffffff}, 2, 0xffffffff, 8, false},
      {{addi(1, 0, 6), lw(2, 1, 0)}, 4, 6, 4, false},
      {{addi(1, 0, 5), sw(2, 1, 0)}, 6, 5, 4, false},
      {{lui(1, 0xc), lw(2, 1, 0)}, 5, 0xc000, 4, false},
      {{lui(1, 0x80000), sw(2, 1, 4)}, 7, 0x80000004, 4, false},
      {{lui(1, kRegs), lb(2, 1, 0)}, 5, 0xf0000000, 4, false},
      {{lui(1, kRegs + 1), lw(2, 1, -1792)}, 5, 0xf0000900, 4, false},
      {{lui(1, 0xc), i_type(0x67, 0, 0, 1, 0)}, 1, 0xc000, 0xc000, false},
      {{jal(0, 6)}, 0, 6, 0, false},
      {{csrrs(1, 0x7c0, 0)}, 2, csrrs(1, 0x7c0, 0), 0, false},
      {{csrrw(1, 0xf14, 1)}, 2, csrrw(1, 0xf14, 1), 0, false},
      {{kNop, 0x10200073}, 2, 0x10200073, 4, false},  // sret
      {{kBadSystem}, 2, kBadSystem, 0, false},
      {{i_type(0x0f, 2, 0, 0, 0)}, 2, i_type(0x0f, 2, 0, 0, 0), 0, false},
      {{i_type(0x03, 3, 1, 0, 0)}, 2, i_type(0x03, 3, 1, 0, 0), 0, false},
      {{branch(2, 0, 0, 8)}, 2, branch(2, 0, 0, 8), 0, false},
      {{i_type(0x67, 1, 0, 0, 0)}, 2, i_type(0x67, 1, 0, 0, 0), 0, false},
      {{i_type(0x13, 1, 1, 1, 0x400)}, 2, i_type(0x13, 1, 1, 1, 0x400), 0, false},
      {{r_type(0x33, 0, 2, 1, 1, 1)}, 2, r_type(0x33, 0, 2, 1, 1, 1), 0, false},
      {{i_type(0x23, 3, 0, 0, 0)}, 2, i_type(0x23, 3, 0, 0, 0), 0, false},
      {{0x00000000}, 2, 0, 0, false},
  };
  CoreBench bench;
  for (const Case& c : cases) {
    run(&bench, c.words);
    EXPECT_TRUE(bench.top().stopped_o);
    EXPECT_EQ(bench.top().cause_o, c.cause);
    EXPECT_EQ(bench.top().tval_o, c.tval) << c.cause;
    EXPECT_EQ(bench.top().pc_o, c.pc) << c.cause;
    EXPECT_EQ(bench.top().stop_ebreak_o, c.ebreak);
    EXPECT_TRUE(bench.top().core_idle_o);
  }
  bench.halt();
  bench.boot(0x100);
  bench.clock();
  EXPECT_FALSE(bench.top().stopped_o) << "a reset of the core clears the stop";
}

// STACK_LIMIT and TEXT_LIMIT: a stack pointer, or a store, below its limit traps and has no effect.
// Fails if a stack below its limit or a write into the program's text is taken.
TEST(Core, LimitsOfStackAndTextStopWhatIsBelow) {
  struct Case {
    std::vector<uint32_t> words;
    uint32_t cause, tval, pc;
  };
  const std::vector<Case> cases = {
      {{addi(2, 0, 0x400), kEbreak}, 3, 4, 4},
      {{addi(2, 0, 0x3ff), kEbreak}, 24, 0x3ff, 0},
      {{addi(2, 0, -0x400), kEbreak}, 24, 0xfffffc00, 0},
      {{lui(2, 1), lui(3, 1), r_type(0x33, 0, 0x20, 2, 2, 3), kEbreak}, 24, 0, 8},
      {{addi(3, 0, 0), kEbreak}, 3, 4, 4},
      {{lw(2, 0, 0x100), kEbreak}, 3, 4, 4},  // a load may
      {{sw(0, 0, 0x300), kEbreak}, 3, 4, 4},
      {{sw(1, 0, 0x2fc), kEbreak}, 25, 0x2fc, 0},
      {{addi(1, 0, -8), sw(1, 1, 16), kEbreak}, 25, 8, 4},
      {{sw(1, 0, 0x2fe), kEbreak}, 25, 0x2fe, 0},
      {{lw(1, 0, 4), kEbreak}, 3, 4, 4},
      {{lui(1, 0xc), sw(1, 1, -4), kEbreak}, 3, 8, 8},
      {{lui(1, 0x80000), sw(1, 1, 0), kEbreak}, 7, 0x80000000, 4},
  };
  CoreBench bench;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case& c = cases[i];
    bench.top().stack_limit_i = 0x400;
    bench.top().text_limit_i = 0x300;
    run(&bench, c.words);
    EXPECT_EQ(bench.top().cause_o, c.cause) << i;
    EXPECT_EQ(bench.top().tval_o, c.tval) << i;
    EXPECT_EQ(bench.top().pc_o, c.pc) << i;
    if (c.cause == 25) {
      const uint32_t word = c.tval & ~3u;
      EXPECT_EQ(bench.read_words(word, 1)[0], word < 4 * c.words.size() ? c.words[word / 4] : 0u);
    }
    bench.top().stack_limit_i = 0;
    bench.top().text_limit_i = 0;
    if (c.cause < 24) continue;
    run(&bench, c.words);
    EXPECT_NE(bench.top().cause_o, c.cause) << i << " without limits";
  }
}

TEST(Core, TrapRegistersHoldWhatIsWrittenToThem) {
  CoreBench bench;
  std::vector<Retire> log;
  // mcause keeps bit 31 and bits 4:0, mepc and mtvec all but the two low bits.
  run(&bench,
      {addi(1, 0, -1), csrrw(0, 0x342, 1), csrrs(2, 0x342, 0), csrrw(0, 0x341, 1),
       csrrs(3, 0x341, 0), csrrw(0, 0x305, 1), csrrs(4, 0x305, 0), csrrw(0, 0x305, 0),
       csrrw(0, 0x343, 1), csrrs(5, 0x343, 0), kEbreak},
      &log);
  ASSERT_EQ(log.size(), 11u);
  EXPECT_EQ(log[2].rd_data, 0x8000001fu);
  EXPECT_EQ(log[4].rd_data, 0xfffffffcu);
  EXPECT_EQ(log[6].rd_data, 0xfffffffcu);
  EXPECT_EQ(log[9].rd_data, 0xffffffffu);
}

TEST(Core, LastWordOfMemoryExecutesAndTheNextFaults) {
  CoreBench bench;
  bench.halt();
  bench.load_words(CoreBench::kBytes - 8, {addi(1, 0, 1), addi(1, 0, 2)});
  bench.boot(CoreBench::kBytes - 8);
  bench.wait(20);
  EXPECT_TRUE(bench.top().stopped_o);
  EXPECT_EQ(bench.top().cause_o, 1u);
  EXPECT_EQ(bench.top().tval_o, CoreBench::kBytes);
}

TEST(Core, StepsOneInstructionWhenRunFallsAfterIssue) {
  CoreBench bench(3, 100);
  bench.halt();
  bench.load_words(0, {addi(1, 0, 1), div(2, 1, 1), lw(3, 0, 0), beq(0, 0, 8), kNop, sw(1, 0, 64),
                       mul(4, 1, 1), addi(5, 0, 5)});
  bench.boot(0);
  bench.top().run_i = 0;
  const uint32_t pcs[] = {0, 4, 8, 12, 20, 24, 28};
  bench.top().step_i = 1;
  for (uint32_t pc : pcs) {
    EXPECT_EQ(bench.top().pc_o, pc);
    int retired = 0;
    bench.top().run_i = 1;
    for (int i = 0; i < 100 * kWait; ++i) {
      bench.clock();
      if (bench.top().ret_valid_o) {
        ++retired;
        EXPECT_EQ(bench.top().ret_pc_o, pc);
      }
      if (bench.issued()) bench.top().run_i = 0;
    }
    EXPECT_EQ(retired, 1) << pc;
  }
}

TEST(Core, CodeWrittenWhileHaltedIsExecuted) {
  CoreBench bench;
  bench.halt();
  bench.load_words(0, {beq(0, 0, 0)});
  bench.load_words(8, {addi(1, 0, 1)});
  bench.boot(0);
  bench.wait(20);
  bench.halt();
  bench.load_words(0, {addi(1, 0, 42), kEbreak});
  bench.top().run_i = 1;
  Retire retire;
  uint64_t cycle = 0;
  ASSERT_TRUE(bench.next(&retire, &cycle));
  EXPECT_EQ(retire.rd_data, 42u);
}

TEST(Core, RegisterAccessesWaitForTheirGrant) {
  CoreBench bench(5, 200);
  std::vector<Retire> log;
  run(&bench,
      {lui(1, kRegs), addi(2, 0, 0x123), sw(2, 1, 0x704), sw(1, 1, 0x708), lw(3, 1, 0x704),
       lw(4, 1, 0x708), add(5, 3, 4), kEbreak},
      &log);
  ASSERT_EQ(log.size(), 8u);
  EXPECT_EQ(log[4].rd_data, 0x123u);
  EXPECT_EQ(log[5].rd_data, 0xf0000000u);
  EXPECT_EQ(log[6].rd_data, 0xf0000123u);
}

TEST(Core, RegistersReachToTheEndOfTheirSpace) {
  CoreBench bench(5, 100);
  std::vector<Retire> log;
  run(&bench,
      {lui(1, kRegs), lui(2, 1), addi(2, 2, -2048), add(2, 2, 1), addi(3, 0, 7), sw(3, 1, 0x700),
       sw(1, 2, 0), lw(4, 1, 0x700), lw(5, 2, 0), kEbreak},
      &log);
  ASSERT_EQ(log.size(), 10u);
  EXPECT_EQ(log[7].rd_data, 7u);
  EXPECT_EQ(log[8].rd_data, 0xf0000000u);  // of 0xf0000800
}

TEST(Core, TensorInstructionOnThread0WaitsForCompletion) {
  CoreBench bench;
  bench.halt();
  // A control word of thread 4, and the same of thread 0.
  constexpr uint32_t kThread4 = isa::TensorCtl::Thread::put(4) | 0x12300000;
  bench.load_words(0, {lui(1, kThread4 >> 12), addi(2, 0, 9), tensor(4, 3, 1, 2),
                       lui(1, isa::TensorCtl::Thread::set(kThread4, 0) >> 12), tensor(5, 0, 1, 2),
                       addi(3, 0, 1), kEbreak});
  bench.top().tensor_ready_i = 0;
  bench.boot(0);
  bench.wait(20);
  bench.settle();
  EXPECT_TRUE(bench.top().tensor_valid_o);
  EXPECT_TRUE(bench.top().wait_tensor_o);
  EXPECT_TRUE(bench.top().core_idle_o) << "waits for the engine";
  EXPECT_EQ(bench.top().tensor_op_o, 4u);
  EXPECT_EQ(bench.top().tensor_ty_o, 3u);
  EXPECT_EQ(bench.top().tensor_ctl_o, kThread4);
  EXPECT_EQ(bench.top().tensor_scalar_o, 9u);
  EXPECT_EQ(bench.top().tensor_pc_o, 8u);
  // Thread 4: the core goes on as soon as the engine has launched the instruction. Then thread 0.
  bench.top().tensor_ready_i = 1;
  int taken = 0;
  for (int i = 0; i < 20 * kWait; ++i) {
    bench.settle();
    taken += bench.top().tensor_taken_o;
    bench.clock();
  }
  EXPECT_EQ(taken, 2);
  EXPECT_EQ(bench.top().pc_o, 16u);
  EXPECT_TRUE(bench.top().wait_tensor_o);
  EXPECT_TRUE(bench.top().core_idle_o);
  bench.top().tensor_sync_done_i = 1;
  bench.clock();
  bench.top().tensor_sync_done_i = 0;
  bench.wait(5);
  EXPECT_TRUE(bench.top().stop_ebreak_o);
}

// A microthread's instruction is launched in its first cycle of execution and leaves in the second,
// or in the first if the engine says so at once.
TEST(Core, TensorInstructionOfAMicrothreadTakesTwoCyclesOrOne) {
  constexpr uint32_t kThread4 = isa::TensorCtl::Thread::put(4);
  for (const bool quick : {false, true}) {
    CoreBench bench;
    bench.top().tensor_quick_i = quick;
    const auto cycles = run(&bench, {lui(1, kThread4 >> 12), kNop, tensor(4, 3, 1, 2),
                                     tensor(5, 3, 1, 2), addi(3, 0, 1), kEbreak});
    ASSERT_EQ(cycles.size(), 6u);
    const uint64_t tensor_cycles = kSerial ? 8 : 1;
    EXPECT_EQ(cycles[2] - cycles[1], tensor_cycles + (quick ? 0 : 1));
    EXPECT_EQ(cycles[3] - cycles[2], tensor_cycles + (quick ? 0 : 1));
    EXPECT_EQ(cycles[4] - cycles[3], kSerial ? 7u : 1u);
  }
}

// Whenever the core stops, an instruction has either been launched and is complete, or it is
// launched when the core goes on. It is launched exactly once.
TEST(Core, StoppingBesideALaunchLosesAndRepeatsNothing) {
  constexpr uint32_t kThread4 = isa::TensorCtl::Thread::put(4);
  for (int when = 1; when < (kSerial ? 70 : 20); ++when) {
    // Cycles in which the engine cannot launch; whether it then answers at once.
    for (const auto& [refused, quick] :
         std::array<std::pair<int, int>, 6>{{{0, 99}, {3, 99}, {0, 1}, {3, 1}, {0, 2}, {3, 5}}}) {
      CoreBench bench;
      bench.halt();
      bench.load_words(0, {lui(1, kThread4 >> 12), tensor(4, 3, 1, 2), addi(3, 3, 1),
                           tensor(5, 3, 1, 2), addi(3, 3, 1), kEbreak});
      bench.boot(0);
      int taken = 0;
      std::vector<uint32_t> retired;
      for (int i = 0; i < (kSerial ? 160 : 60); ++i) {
        bench.top().run_i = i < when || i >= when + 10;
        bench.top().tensor_ready_i = i % (refused + 1) == refused;
        bench.top().tensor_quick_i = bench.top().tensor_ready_i != 0 && i % quick == 0;
        bench.settle();
        taken += bench.top().tensor_taken_o;
        bench.clock();
        if (bench.top().ret_valid_o) retired.push_back(bench.top().ret_pc_o);
        // A launched instruction is complete two cycles later, in memory access. Nothing else is.
        const uint32_t launched =
            static_cast<uint32_t>(std::count(retired.begin(), retired.end(), 4u) +
                                  std::count(retired.begin(), retired.end(), 12u));
        if (i == when + 9) {
          EXPECT_EQ(launched, static_cast<uint32_t>(taken)) << "stopped in cycle " << when;
        }
      }
      EXPECT_EQ(taken, 2) << "stopped in cycle " << when;
      EXPECT_EQ(retired, (std::vector<uint32_t>{0, 4, 8, 12, 16, 20})) << "in cycle " << when;
    }
  }
}

TEST(Core, SleepingAndStoppedCoreFetchesNothing) {
  CoreBench bench;
  bench.halt();
  bench.load_words(0, {kNop, kWfi, kEbreak});
  bench.boot(0);
  bench.wait(20);
  EXPECT_TRUE(bench.top().asleep_o);
  EXPECT_TRUE(bench.top().core_idle_o);
  const uint64_t fetches = bench.fetches();
  for (int i = 0; i < 100; ++i) {
    bench.clock();
    EXPECT_TRUE(bench.top().core_idle_o);
  }
  EXPECT_EQ(bench.fetches(), fetches);
  // An activated task wakes a wfi; nothing is dispatched by it.
  bench.top().eng_done_valid_i = 1;
  bench.top().eng_done_kind_i = static_cast<uint8_t>(isa::Done::Activate);
  bench.top().eng_done_task_i = 20;
  bench.clock();
  bench.top().eng_done_valid_i = 0;
  bench.wait(20);
  EXPECT_TRUE(bench.top().asleep_o) << "task 20 has no entry";
}

TEST(Core, CycleCountReadsTheWafersCyclePlusAnOffset) {
  CoreBench bench;
  std::vector<Retire> log;
  const auto cycles = run(&bench,
                          {csrrs(1, 0xc00, 0), addi(2, 0, 100), csrrw(3, 0xb00, 2),
                           csrrs(4, 0xb00, 0), csrrs(5, 0xb02, 0), kEbreak},
                          &log);
  ASSERT_EQ(log.size(), 6u);
  EXPECT_EQ(log[0].rd_data, cycles[0]);
  // The value written is the count of the next cycle.
  EXPECT_EQ(log[3].rd_data, 100 + cycles[3] - cycles[2] - 1);
  EXPECT_EQ(log[4].rd_data, 4u);
}

}  // namespace
}  // namespace ow
