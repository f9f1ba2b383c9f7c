// SPDX-License-Identifier: Apache-2.0
// Directed tests of the core's system instructions for descriptors.
#include <vector>

#include <gtest/gtest.h>

#include "core_run.h"
#include "rv_asm.h"

namespace ow {
namespace {

using namespace rv;  // NOLINT: encodings by mnemonic

constexpr uint32_t kTable = 0x1000;  // descriptors in memory
constexpr uint32_t kWords = isa::kNumDsrWords;

uint32_t word_at(uint32_t addr) { return 0x10000u * addr + addr + 1; }

// Puts words into memory from kTable on, each of which tells its address.
void fill(CoreBench* bench) {
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < 64; ++i) words.push_back(word_at(kTable + 4 * i) & 0xffffffu);
  bench->halt();
  bench->load_words(kTable, words);
}
uint32_t filled(uint32_t addr) { return word_at(addr) & 0xffffffu; }

// A program that does `what` and then reads descriptor 5, whose number is in x2, word by word.
std::vector<uint32_t> then_read(std::vector<uint32_t> what) {
  for (uint32_t i = 0; i < kWords; ++i) what.push_back(dsrr(i, 10 + i, 2));
  what.push_back(kEbreak);
  return what;
}

// The words that such a program has read.
std::vector<uint32_t> read_words(const std::vector<Retire>& log) {
  std::vector<uint32_t> words;
  for (size_t i = log.size() - kWords - 1; i + 1 < log.size(); ++i) words.push_back(log[i].rd_data);
  return words;
}

std::vector<uint32_t> filled_words(uint32_t addr) {
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < kWords; ++i) words.push_back(filled(addr + 4 * i));
  return words;
}

TEST(Core, DescriptorWritesWaitAndReadBack) {
  CoreBench bench;
  bench.top().dsr_ready_i = 0;
  bench.halt();
  bench.load_words(
      0, {addi(1, 0, 5), addi(2, 0, 77), dsrw(3, 1, 2), dsrr(3, 4, 1), add(5, 4, 4), kEbreak});
  bench.boot(0);
  bench.wait(20);
  bench.settle();
  EXPECT_TRUE(bench.top().dsr_we_o);
  EXPECT_EQ(bench.top().dsr_idx_o, 5u);
  EXPECT_EQ(bench.top().dsr_word_o, 3u);
  EXPECT_EQ(bench.top().dsr_wdata_o, 77u);
  EXPECT_TRUE(bench.top().core_idle_o);
  bench.top().dsr_ready_i = 1;
  Retire retire;
  uint64_t cycle = 0;
  ASSERT_TRUE(bench.next(&retire, &cycle));
  ASSERT_TRUE(bench.next(&retire, &cycle));
  EXPECT_EQ(retire.rd_data, 77u);
  ASSERT_TRUE(bench.next(&retire, &cycle));
  EXPECT_EQ(retire.rd_data, 154u);
}

// A write and a read of a descriptor take one cycle each. The next instruction gets the value that
// was read as it would get that of a load.
TEST(Core, DescriptorInstructionsTakeACycle) {
  CoreBench bench;
  const auto cycles = run(&bench, {addi(1, 0, 5), addi(2, 0, 77), kNop, dsrw(3, 1, 2),
                                   dsrw(4, 1, 2), dsrr(1, 4, 1), dsrr(2, 5, 1), kNop, kEbreak});
  ASSERT_EQ(cycles.size(), 9u);
  if (kSerial) {
    for (size_t k = 3; k < 7; ++k) EXPECT_LE(cycles[k] - cycles[k - 1], 13u) << k;
    return;
  }
  for (size_t k = 3; k < 8; ++k) EXPECT_EQ(cycles[k] - cycles[k - 1], 1u) << k;
}

// A descriptor that the tile does not have is an illegal instruction, to write, to read and to
// load.
TEST(Core, ADescriptorThatIsNotThereIsIllegal) {
  constexpr int kThere = OW_CORE_DSRS;
  CoreBench bench;
  for (const int number : {kThere - 1, kThere}) {
    if (number > 31) continue;
    for (const uint32_t insn : {dsrw(1, 1, 2), dsrr(1, 4, 1), dsrl(0, 1)}) {
      run(&bench, {addi(1, 0, number), insn, kEbreak});
      EXPECT_EQ(bench.top().cause_o, number < kThere ? 3u : 2u) << number;
      EXPECT_EQ(bench.top().tval_o, number < kThere ? 8u : insn) << number;
    }
  }
}

// A load takes eight cycles before an instruction that needs the descriptors, six before others.
TEST(Core, ADescriptorIsLoadedInEightCycles) {
  CoreBench bench;
  fill(&bench);
  const auto cycles = run(&bench, {lui(1, kTable >> 12), addi(2, 0, 5), kNop, dsrl(1, 2), kNop,
                                   kNop, dsrl(1, 2), dsrl(1, 2), dsrr(0, 3, 2), kNop, kEbreak});
  ASSERT_EQ(cycles.size(), 11u);
  // A load retires with its last word.
  if (kSerial) {
    EXPECT_EQ(cycles[3] - cycles[2], 41u);
    return;
  }
  EXPECT_EQ(cycles[3] - cycles[2], 6u);
  EXPECT_EQ(cycles[4] - cycles[3], 1u);
  EXPECT_EQ(cycles[6] - cycles[5], 6u);
  EXPECT_EQ(cycles[7] - cycles[6], 8u);
  EXPECT_EQ(cycles[8] - cycles[7], 3u);
  EXPECT_EQ(cycles[9] - cycles[8], 1u);
}

TEST(Core, ADescriptorIsLoadedFromAnyAddressOfAWord) {
  CoreBench bench;
  for (uint32_t addr = kTable; addr < kTable + 32; addr += 4) {
    fill(&bench);
    std::vector<Retire> log;
    run(&bench,
        then_read({lui(1, kTable >> 12), addi(1, 1, static_cast<int32_t>(addr - kTable)),
                   addi(2, 0, 5), dsrl(1, 2)}),
        &log);
    EXPECT_EQ(read_words(log), filled_words(addr)) << addr;
    EXPECT_FALSE(log[3].rd_we || log[3].mem_we || log[3].trap);
  }
}

// While the descriptor is in use the core waits, asks for no word, and is idle. A stop takes the
// instruction back.
TEST(Core, ALoadOfADescriptorInUseWaits) {
  CoreBench bench;
  fill(&bench);
  bench.top().dsr_ready_i = 0;
  bench.load_words(0, then_read({lui(1, kTable >> 12), addi(2, 0, 5), dsrl(1, 2)}));
  bench.boot(0);
  bench.wait(20);
  for (int i = 0; i < 30; ++i) {
    bench.settle();
    EXPECT_TRUE(bench.top().dsr_we_o);
    EXPECT_EQ(bench.top().dsr_idx_o, 5u);
    EXPECT_TRUE(bench.top().core_idle_o);
    EXPECT_TRUE(bench.top().wait_tensor_o);
    EXPECT_EQ(bench.top().pc_o, 8u);
    bench.clock();
  }
  bench.top().run_i = 0;
  bench.wait(10);
  EXPECT_EQ(bench.top().pc_o, 8u);
  EXPECT_FALSE(bench.top().dsr_we_o);
  bench.top().run_i = 1;
  bench.top().dsr_ready_i = 1;
  std::vector<Retire> log;
  Retire retire;
  uint64_t cycle = 0;
  while (bench.next(&retire, &cycle)) log.push_back(retire);
  ASSERT_EQ(log.size(), 1 + kWords + 1);
  EXPECT_EQ(read_words(log), filled_words(kTable));
}

// Another descriptor's address may be saved at any time, and goes first. Nothing else is refused
// after the question whether the descriptor is free.
TEST(Core, AWordThatIsRefusedIsLoadedAgain) {
  for (int refused = 0; refused < 24; ++refused) {
    CoreBench bench;
    fill(&bench);
    bench.load_words(0, then_read({lui(1, kTable >> 12), addi(2, 0, 5), dsrl(1, 2)}));
    bench.boot(0);
    std::vector<Retire> log;
    int wait = refused;
    for (int i = 0; i < 120 * kWait; ++i) {
      bench.settle();
      // From when the address is first offered.
      const bool address = bench.top().dsr_we_o != 0 &&
                           bench.top().dsr_word_o == static_cast<uint32_t>(isa::DsrWord::Address);
      bench.top().stall_i = address && wait > 0 ? 8 : 0;
      if (address) --wait;
      bench.clock();
      if (bench.top().ret_valid_o) log.push_back(bench.retired());
    }
    ASSERT_EQ(log.size(), 3 + kWords + 1) << refused;
    EXPECT_EQ(read_words(log), filled_words(kTable)) << refused;
  }
}

// Whenever the core stops, a load has not begun, or it is complete. It is executed exactly once.
TEST(Core, StoppingBesideALoadOfADescriptorLosesAndRepeatsNothing) {
  for (int when = 1; when < (kSerial ? 130 : 40); ++when) {
    CoreBench bench;
    fill(&bench);
    bench.load_words(0, then_read({lui(1, kTable >> 12), addi(2, 0, 5), dsrl(1, 2), addi(1, 1, 8),
                                   dsrl(1, 2), addi(3, 3, 1)}));
    bench.boot(0);
    std::vector<Retire> log;
    for (int i = 0; i < (kSerial ? 600 : 100); ++i) {
      bench.top().run_i = i < when || i >= when + 20 * kWait;
      bench.clock();
      if (bench.top().ret_valid_o) log.push_back(bench.retired());
    }
    ASSERT_EQ(log.size(), 6 + kWords + 1) << when;
    EXPECT_EQ(read_words(log), filled_words(kTable + 8)) << when;
  }
}

// An address that is misaligned, or from which not all words can be loaded, traps like a load, and
// no word is loaded. Tile registers are no descriptors.
TEST(Core, ALoadOfADescriptorFromABadAddressTraps) {
  constexpr uint32_t kEnd = CoreBench::kBytes;
  struct Case {
    uint32_t addr;
    isa::Trap cause;
  };
  for (const Case& c : std::vector<Case>{{kTable + 1, isa::Trap::LoadMisaligned},
                                         {kTable + 2, isa::Trap::LoadMisaligned},
                                         {kEnd - 22, isa::Trap::LoadMisaligned},
                                         {kEnd - 20, isa::Trap::LoadFault},
                                         {kEnd - 4, isa::Trap::LoadFault},
                                         {kEnd, isa::Trap::LoadFault},
                                         {0x80000000u, isa::Trap::LoadFault},
                                         {0xfffffffcu, isa::Trap::LoadFault},
                                         {isa::reg::kBase, isa::Trap::LoadFault}}) {
    CoreBench bench;
    fill(&bench);
    std::vector<Retire> log;
    // The handler, at 0x100, reads the descriptor, which was loaded before.
    bench.load_words(0x100, then_read({}));
    const uint32_t low = (c.addr & 0xfff) ^ 0x800;
    bench.load_words(
        0, {lui(1, kTable >> 12), addi(2, 0, 5), dsrl(1, 2), addi(3, 0, 0x100),
            csrrw(0, static_cast<uint32_t>(isa::Csr::Mtvec), 3), lui(1, (c.addr + 0x800) >> 12),
            addi(1, 1, static_cast<int32_t>(low) - 0x800), dsrl(1, 2)});
    bench.boot(0);
    Retire retire;
    uint64_t cycle = 0;
    while (log.size() < 8 + kWords + 1 && bench.next(&retire, &cycle)) log.push_back(retire);
    ASSERT_EQ(log.size(), 8 + kWords + 1) << c.addr;
    EXPECT_TRUE(log[7].trap) << c.addr;
    EXPECT_EQ(read_words(log), filled_words(kTable)) << c.addr;
    // Without a handler it stops the core and says why.
    run(&bench, {lui(1, (c.addr + 0x800) >> 12), addi(1, 1, static_cast<int32_t>(low) - 0x800),
                 dsrl(1, 2)});
    EXPECT_EQ(bench.top().cause_o, static_cast<uint32_t>(c.cause)) << c.addr;
    EXPECT_EQ(bench.top().tval_o, c.addr);
    EXPECT_EQ(bench.top().pc_o, 8u);
  }
}

// The last words of the memory are a descriptor, too.
TEST(Core, ADescriptorIsLoadedFromTheEndOfTheMemory) {
  constexpr uint32_t kLast = CoreBench::kBytes - 4 * kWords;
  CoreBench bench;
  bench.halt();
  std::vector<uint32_t> words;
  for (uint32_t i = 0; i < kWords; ++i) words.push_back(1000 + i);
  bench.load_words(kLast, words);
  std::vector<Retire> log;
  run(&bench,
      then_read({lui(1, (kLast + 0x800) >> 12), addi(1, 1, static_cast<int32_t>(kLast) - 0xc000),
                 addi(2, 0, 5), dsrl(1, 2)}),
      &log);
  EXPECT_EQ(read_words(log), words);
}

// An instruction for the engine right after a load finds the whole descriptor.
TEST(Core, ATensorInstructionAfterALoadComesLast) {
  CoreBench bench;
  fill(&bench);
  bench.load_words(0, {lui(1, kTable >> 12), addi(2, 0, 5), lui(3, 0x40), dsrl(1, 2),
                       tensor(4, 3, 3, 0), kEbreak});
  bench.boot(0);
  uint32_t written = 0;
  int offers = 0;
  for (int i = 0; i < 30 * kWait; ++i) {
    bench.settle();
    if (bench.top().dsr_we_o != 0 && bench.top().dsr_word_o < kWords) ++written;
    if (bench.top().tensor_valid_o != 0) {
      ++offers;
      EXPECT_EQ(written, kWords);
    }
    bench.clock();
  }
  EXPECT_GT(offers, 0);
}

}  // namespace
}  // namespace ow
