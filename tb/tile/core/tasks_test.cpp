// SPDX-License-Identifier: Apache-2.0
// ow_tasks with ow_core: dispatch latency, order, blocking, activation, ownership, arguments.
#include <array>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "../../harness/seed.h"
#include "core_bench.h"
#include "ow/isa/isa.h"
#include "rv_asm.h"

namespace ow {
namespace {

using namespace rv;  // NOLINT: encodings by mnemonic

// x1 points into the middle of the registers, because a store reaches 2 kB in both directions. The
// constants below are offsets from there.
constexpr uint32_t kMiddle = 0x800;
constexpr uint32_t kRegs = (isa::reg::kBase + 2 * kMiddle) >> 12;  // for lui
constexpr int32_t offset(uint32_t address) {
  return static_cast<int32_t>(address - isa::reg::kBase - kMiddle);
}
constexpr int32_t kActivate = offset(isa::reg::TaskActivate::kAddress);
constexpr int32_t kBlock = offset(isa::reg::TaskBlock::kAddress);
constexpr int32_t kUnblock = offset(isa::reg::TaskUnblock::kAddress);
constexpr int32_t kRunning = offset(isa::reg::TaskRunning::kAddress);
constexpr int32_t kPriority = offset(isa::reg::TaskPriority::kAddress);
constexpr int32_t kEntry = offset(isa::reg::TaskEntry::kAddress);
constexpr uint32_t kMain = 0x200;
constexpr uint32_t kEntries = 0x800;  // task t starts at kEntries + 16 t: x5 = t, ret

struct Dispatch {
  int task;
  uint32_t arg;
};

struct Item {
  bool ctrl;
  uint32_t data;
};

// Cycles beyond one that a pick may take. The small core needs them: it looks at one task per
// cycle.
constexpr int kPick = OW_PICK_CYCLES;

class Tasks : public testing::Test {
 protected:
  // Writes the entries of `tasks`, then runs `extra`, then sits in ow.next.
  void prepare(uint32_t tasks, std::vector<uint32_t> extra = {}) {
    std::vector<uint32_t> main = {lui(1, kRegs), addi(1, 1, -0x800)};
    main.push_back(lui(2, 1));
    main.push_back(addi(2, 2, -2048));
    for (int t = 0; t < 32; ++t) {
      if ((tasks >> t & 1) != 0) main.push_back(sw(2, 1, kEntry + 4 * t));
      main.push_back(addi(2, 2, 16));
    }
    main.insert(main.end(), extra.begin(), extra.end());
    main.push_back(kNext);
    main.push_back(jal(0, -4));
    bench.halt();
    bench.load_words(kMain, main);
    for (int t = 0; t < 32; ++t) {
      bench.load_words(kEntries + 16 * t, {addi(5, 0, t), kRet, kEbreak, kEbreak});
    }
    next_pc = static_cast<uint32_t>(kMain + 4 * (main.size() - 2));
    bench.boot(kMain);
  }

  // One cycle: offers the queues' heads, takes pops, records dispatches.
  void clock() {
    auto& top = bench.top();
    top.inq_valid_i = 0;
    top.inq_ctrl_i = 0;
    for (int q = 0; q < 8; ++q) {
      if (queues[q].empty()) continue;
      top.inq_valid_i |= 1 << q;
      if (queues[q].front().ctrl) top.inq_ctrl_i |= 1 << q;
      top.inq_data_i[q] = queues[q].front().data;
    }
    bench.settle();
    const unsigned pops = top.inq_pop_o;
    bench.clock();
    for (int q = 0; q < 8; ++q) {
      if ((pops >> q & 1) != 0) queues[q].pop_front();
    }
    if (!top.ret_valid_o) return;
    const Retire r = bench.retired();
    if (r.insn == kNext) pending_arg = r.rd_data;
    if (r.pc >= kEntries && (r.insn & 0x7f) == 0x13) {
      log.push_back({static_cast<int>(r.rd_data), pending_arg});
      first_cycle = bench.cycle() - 2;  // executed two cycles before write-back of the pipeline
    }
  }
  void clocks(int n) { cycles(n * kWait); }
  void cycles(int n) {
    for (int i = 0; i < n; ++i) clock();
  }
  void event(bool reducer, isa::Done kind, int task) {
    auto& top = bench.top();
    if (reducer) {
      top.red_done_valid_i = 1;
      top.red_done_kind_i = static_cast<uint8_t>(kind);
      top.red_done_task_i = task;
    } else {
      top.eng_done_valid_i = 1;
      top.eng_done_kind_i = static_cast<uint8_t>(kind);
      top.eng_done_task_i = task;
    }
  }
  void no_events() { bench.top().eng_done_valid_i = bench.top().red_done_valid_i = 0; }

  CoreBench bench;
  std::array<std::deque<Item>, 8> queues;
  std::vector<Dispatch> log;
  uint32_t next_pc = 0;
  uint32_t pending_arg = 0;
  uint64_t first_cycle = 0;
};

TEST_F(Tasks, FirstInstructionFourCyclesAfterTheWavelet) {
  prepare(0xffffffff);
  clocks(400);
  EXPECT_TRUE(bench.top().asleep_o);
  EXPECT_TRUE(bench.top().core_idle_o);
  EXPECT_TRUE(bench.top().tasks_idle_o);
  queues[3].push_back({false, 0xabcd1234});
  const uint64_t offered = bench.cycle();
  clocks(20 + kPick);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].task, 3);
  EXPECT_EQ(log[0].arg, 0xabcd1234u);
  EXPECT_GE(first_cycle - offered, 4u) << "documented latency";
  EXPECT_LE(first_cycle - offered, 4u + kPick) << "documented latency";
  EXPECT_EQ(bench.top().pc_o, next_pc) << "ret comes back to ow.next";
}

// wfi sleeps until a task is ready and does not wait if one is. It does not dispatch the task.
TEST_F(Tasks, WfiSleepsUntilATaskIsReady) {
  prepare(0x2, {addi(7, 0, 1), kWfi, addi(7, 0, 2), kWfi, addi(7, 0, 3)});
  uint32_t seen = 0;
  const auto run = [&](int n) {
    for (int i = 0; i < n * kWait; ++i) {
      clock();
      if (bench.top().ret_valid_o && bench.top().ret_rd_o == 7) seen = bench.top().ret_rd_data_o;
    }
  };
  run(400);
  EXPECT_EQ(seen, 1u);
  EXPECT_TRUE(bench.top().asleep_o);
  queues[3].push_back({false, 4});  // of a task without an entry
  run(60);
  EXPECT_EQ(seen, 1u);
  EXPECT_TRUE(bench.top().asleep_o);
  queues[1].push_back({false, 5});
  run(60 + kPick);
  EXPECT_EQ(seen, 3u);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].arg, 5u);
}

// If a task is ready, ow.next takes 3 cycles: the first instruction of the task is executed 3
// cycles after it.
TEST_F(Tasks, NextTakesThreeCyclesOnceATaskIsReady) {
  if (kSerial) GTEST_SKIP() << "the core for area has its own";
  prepare(0xffffffff);
  clocks(400);
  for (uint32_t i = 0; i < 20; ++i) queues[3].push_back({false, i});
  std::vector<uint64_t> next, first;
  for (int i = 0; i < 400; ++i) {
    clock();
    if (!bench.top().ret_valid_o) continue;
    if (bench.top().ret_insn_o == kNext) next.push_back(bench.cycle());
    if (bench.top().ret_pc_o == kEntries + 16 * 3) first.push_back(bench.cycle());
  }
  ASSERT_EQ(next.size(), 20u);
  ASSERT_EQ(first.size(), 20u);
  for (size_t k = 0; k < 20; ++k) EXPECT_EQ(first[k] - next[k], 3u) << k;
}

TEST_F(Tasks, ControlWaveletsHaveTheirOwnTask) {
  prepare(0xffffffff);
  clocks(400);
  queues[6].push_back({true, 7});
  queues[6].push_back({false, 8});
  queues[6].push_back({true, 9});
  clocks(60);
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[0].task, 14);
  EXPECT_EQ(log[0].arg, 7u);
  EXPECT_EQ(log[1].task, 6);
  EXPECT_EQ(log[2].task, 14);
}

TEST_F(Tasks, ReadyTasksTakeTurns) {
  prepare(0xffffffff);
  clocks(400);
  for (int q = 0; q < 8; ++q) {
    for (uint32_t i = 0; i < 10; ++i) queues[q].push_back({false, i});
  }
  clocks(8 * 10 * 10);
  ASSERT_EQ(log.size(), 80u);
  for (size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log[i].task, static_cast<int>(i % 8));
    EXPECT_EQ(log[i].arg, i / 8);
  }
}

TEST_F(Tasks, WaveletAndActivationOfOneTaskTakeTurns) {
  prepare(0x4);
  clocks(400);
  for (uint32_t i = 1; i <= 50; ++i) queues[2].push_back({false, i});
  int activations = 0;
  for (int i = 0; i < 200 * kWait; ++i) {
    event(false, isa::Done::Activate, 2);
    clock();
    no_events();
  }
  for (const Dispatch& d : log) activations += d.arg == 0;
  EXPECT_GT(activations, static_cast<int>(log.size()) / 2 - 3);
  EXPECT_LT(activations, static_cast<int>(log.size()) / 2 + 3);
}

TEST_F(Tasks, ActivationIsOneBitAndComesFromBothEventPorts) {
  prepare(0xffffffff);
  clocks(400);
  event(false, isa::Done::Activate, 17);
  event(true, isa::Done::Activate, 31);
  clock();
  event(true, isa::Done::Activate, 31);
  bench.top().eng_done_valid_i = 0;
  clock();
  no_events();
  clocks(60);
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0].task, 17);
  EXPECT_EQ(log[0].arg, 0u);
  EXPECT_EQ(log[1].task, 31);
}

TEST_F(Tasks, BlockedTaskWaitsForUnblock) {
  prepare(0xffffffff,
          {lui(3, 1u << 4), sw(3, 1, kBlock), addi(3, 0, 2), sw(3, 1, kBlock), lw(6, 1, kBlock)});
  clocks(400);
  EXPECT_TRUE(bench.top().asleep_o);
  queues[1].push_back({false, 5});
  event(false, isa::Done::Activate, 16);
  clock();
  no_events();
  clocks(50);
  EXPECT_TRUE(log.empty());
  EXPECT_TRUE(bench.top().tasks_idle_o);
  event(true, isa::Done::Unblock, 1);
  clock();
  no_events();
  clocks(20 + kPick);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].task, 1);
  event(false, isa::Done::Unblock, 16);
  clock();
  no_events();
  clocks(20 + kPick);
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[1].task, 16);
}

TEST_F(Tasks, QueueOwnedByAThreadMakesNoTask) {
  prepare(0xffffffff);
  clocks(400);
  bench.top().inq_owned_i = 1 << 4;
  queues[4].push_back({false, 5});
  clocks(50);
  EXPECT_TRUE(log.empty());
  bench.top().inq_owned_i = 0;
  clocks(20);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].arg, 5u);
}

TEST_F(Tasks, TaskWithoutEntryIsNotDispatched) {
  prepare(0xfffffffd);
  clocks(400);
  queues[1].push_back({false, 5});
  event(false, isa::Done::Activate, 1);
  clock();
  no_events();
  clocks(50);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(queues[1].size(), 1u);
}

TEST_F(Tasks, FirmwareActivatesAndReadsBack) {
  // Blocks task 20, activates it, reads pending and blocked, unblocks it.
  prepare(1u << 20,
          {lui(3, 1u << 8), sw(3, 1, kBlock), sw(3, 1, kActivate), lw(6, 1, kActivate),
           lw(7, 1, kBlock), lw(8, 1, kEntry + 4 * 20), lw(9, 1, kRunning), sw(3, 1, kUnblock)});
  std::map<uint32_t, uint32_t> read;
  for (int i = 0; i < 400 * kWait; ++i) {
    clock();
    if (bench.top().ret_valid_o && (bench.top().ret_insn_o & 0x7f) == 0x03) {
      read[bench.top().ret_rd_o] = bench.top().ret_rd_data_o;
    }
  }
  EXPECT_EQ(read[6], 1u << 20);
  EXPECT_EQ(read[7], 1u << 20);
  EXPECT_EQ(read[8], kEntries + 16 * 20);
  EXPECT_EQ(read[9] & 32, 0u);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].task, 20);
}

TEST_F(Tasks, PriorityTasksGoFirstAndTheOthersDoNotStarve) {
  // Tasks 2 and 5 have priority; all data tasks are ready all the time.
  prepare(0xffffffff, {addi(3, 0, 0x24), sw(3, 1, kPriority), lw(6, 1, kPriority)});
  clocks(400);
  for (int q = 0; q < 8; ++q) {
    for (uint32_t i = 0; i < 200; ++i) queues[q].push_back({false, i});
  }
  clocks(2000 + 150 * kPick);
  ASSERT_GT(log.size(), 150u);
  std::map<int, int> count;
  for (size_t i = 0; i < 150; ++i) {
    const bool high = log[i].task == 2 || log[i].task == 5;
    // Seven turns of priority tasks, then one of another.
    EXPECT_EQ(high, i % 8 != 7) << i;
    ++count[log[i].task];
  }
  EXPECT_LE(std::abs(count[2] - count[5]), 1);
  for (int t : {0, 1, 3, 4, 6, 7}) EXPECT_GE(count[t], 2) << t;
}

TEST_F(Tasks, PriorityTaskOvertakesOneThatWasPickedAndNotTaken) {
  // Task 16 runs long. Meanwhile 20 is picked, then 24, which has priority, is activated.
  prepare(0xffffffff, {lui(3, 1u << 12), sw(3, 1, kPriority)});
  bench.halt();
  bench.load_words(kEntries + 16 * 16, {addi(5, 0, 16), div(6, 5, 5), kRet, kEbreak});
  bench.boot(kMain);
  clocks(400);
  event(false, isa::Done::Activate, 16);
  clock();
  no_events();
  cycles(kSerial ? kPick + 30 : kPick);  // it has begun
  event(false, isa::Done::Activate, 20);
  cycles(12);
  event(false, isa::Done::Activate, 24);
  clock();
  no_events();
  clocks(100);
  ASSERT_GE(log.size(), 3u);
  EXPECT_EQ(log[0].task, 16);
  EXPECT_EQ(log[1].task, 24);
  EXPECT_EQ(log[2].task, 20);
}

TEST_F(Tasks, PriorityTaskThatIsBlockedHoldsNobodyUp) {
  prepare(0xffffffff, {addi(3, 0, 4), sw(3, 1, kPriority), sw(3, 1, kBlock)});
  clocks(400);
  queues[2].push_back({false, 1});
  queues[3].push_back({false, 2});
  clocks(40);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].task, 3);
  event(true, isa::Done::Unblock, 2);
  clock();
  no_events();
  clocks(40);
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[1].task, 2);
}

TEST_F(Tasks, NothingIsLostOrReorderedUnderRandomTraffic) {
  const auto seed = static_cast<unsigned>(ow::test_seed(11));
  std::mt19937 random(seed);
  prepare(0xffffffff);
  clocks(400);
  std::array<std::vector<Item>, 8> sent;
  for (int i = 0; i < 5000; ++i) {
    const int q = random() % 8;
    if (random() % 6 == 0) {
      const Item item = {random() % 3 == 0, static_cast<uint32_t>(1 + random())};
      queues[q].push_back(item);
      sent[q].push_back(item);
    }
    if (random() % 50 == 0) bench.top().inq_owned_i = random() & random();
    clock();
  }
  bench.top().inq_owned_i = 0;
  for (int i = 0; i < 50000 * kWait && !bench.top().asleep_o; ++i) clock();
  clocks(5000);
  std::array<size_t, 8> seen{};
  for (const Dispatch& d : log) {
    const int q = d.task & 7;
    ASSERT_LT(seen[q], sent[q].size()) << "OW_SEED=" << seed;
    EXPECT_EQ(d.arg, sent[q][seen[q]].data) << "OW_SEED=" << seed;
    EXPECT_EQ(d.task >= 8, sent[q][seen[q]].ctrl) << "OW_SEED=" << seed;
    ++seen[q];
  }
  for (int q = 0; q < 8; ++q) EXPECT_EQ(seen[q], sent[q].size()) << "OW_SEED=" << seed;
}

}  // namespace
}  // namespace ow
