// SPDX-License-Identifier: Apache-2.0
// Random programs: the RTL core against the ISS. OW_SEED sets the first program's seed.
#include <cstdio>

#include <gtest/gtest.h>

#include "core_bench.h"
#include "options.h"

namespace ow {
namespace {

// The wafer's cycle count begins at `cycle`.
void run(unsigned refuse, uint64_t instructions, uint64_t cycle = 0) {
  const uint64_t seed = test_option("OW_SEED", 1);
  CoreBench bench(seed, refuse);
  bench.set_cycle(cycle);
  const LockstepResult result = run_lockstep(seed, instructions, &bench);
  std::printf("seed %llu: %llu instructions in %llu programs, %.3f cycles each\n",
              static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(result.instructions),
              static_cast<unsigned long long>(result.programs),
              static_cast<double>(result.cycles) / static_cast<double>(result.instructions));
  ASSERT_TRUE(result.ok) << result.message << "\nset OW_SEED to repeat";
  // The generator must reach the cases that it was written for.
  for (unsigned cause : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 11u}) {
    EXPECT_GT(result.traps[cause], 5u) << "trap cause " << cause;
  }
  EXPECT_GT(result.loads, instructions / 50);
  EXPECT_GT(result.stores, instructions / 50);
  EXPECT_GT(result.jumps_taken, instructions / 50);
  EXPECT_GT(result.mul_div, instructions / 50);
  EXPECT_GT(result.csr, instructions / 50);
  EXPECT_GT(result.descriptors, instructions / 100);
}

TEST(CoreLockstep, RandomProgramsMatchTheIss) { run(0, 50000); }
TEST(CoreLockstep, RandomProgramsMatchTheIssWhileMemoryRefuses) { run(90, 60000); }
TEST(CoreLockstep, RandomProgramsMatchTheIssWhereTheCountCarries) {
  run(0, 50000, (uint64_t{1} << 32) - 20000);
}

// The comparison must be able to fail: each side is broken once.
class Broken : public LockstepModel {
 public:
  Broken(CoreBench* bench, int what) : bench_(bench), what_(what) {}
  uint32_t memory_bytes() const override { return bench_->memory_bytes(); }
  unsigned descriptors() const override { return bench_->descriptors(); }
  void start(const std::vector<uint8_t>& image, uint32_t pc) override { bench_->start(image, pc); }
  std::vector<uint32_t> read_words(uint32_t addr, size_t count) override {
    std::vector<uint32_t> words = bench_->read_words(addr, count);
    if (what_ == 2) words.at(16) ^= 1;
    return words;
  }
  bool next(Retire* retire, uint64_t* cycle) override {
    if (!bench_->next(retire, cycle)) return false;
    if (++count_ == 500 && what_ == 3) return false;
    if (count_ > 500 && what_ == 0 && retire->rd_we) retire->rd_data ^= 0x100;
    if (count_ > 500 && what_ == 1 && retire->mem_we) retire->mem_addr ^= 4;
    return true;
  }

 private:
  CoreBench* bench_;
  int what_;
  int count_ = 0;
};

TEST(CoreLockstep, ADifferenceIsFoundAndNamed) {
  static const char* const words[] = {"expected: pc", "expected: pc", "memory at 00008040",
                                      "no instruction retires"};
  for (int what = 0; what < 4; ++what) {
    CoreBench bench;
    Broken broken(&bench, what);
    const LockstepResult result = run_lockstep(7, 20000, &broken);
    EXPECT_FALSE(result.ok) << what;
    EXPECT_NE(result.message.find(words[what]), std::string::npos) << result.message;
    EXPECT_NE(result.message.find("program seed 7"), std::string::npos) << result.message;
  }
}

}  // namespace
}  // namespace ow

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
