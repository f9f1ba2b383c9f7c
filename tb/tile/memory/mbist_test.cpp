// SPDX-License-Identifier: Apache-2.0
// The memory self-test finds every simple static fault primitive of one and of two cells.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "Vow_mbist_tb.h"

namespace {

constexpr int kRows = 16;

// <S / F / R>, see ow_mbist_tb.sv.
struct Primitive {
  std::string name;
  bool pair = false;
  int kind = 0, op = 0, v = 0, a = 0, use_a = 0, f = 0, r = 0;
};

std::vector<Primitive> primitives() {
  std::vector<Primitive> all;
  // Faults of the victim alone, and with an aggressor in state 0 or 1.
  for (int pair = 0; pair < 2; ++pair) {
    for (int a = 0; a <= pair; ++a) {
      const std::string with = pair != 0 ? "a" + std::to_string(a) + " " : "";
      for (int v = 0; v < 2; ++v) {
        const auto add = [&](const char* name, int kind, int op, int f, int r) {
          all.push_back(
              {with + name + " " + std::to_string(v), pair != 0, kind, op, v, a, pair, f, r});
        };
        const int same = v != 0 ? 2 : 1, other = v != 0 ? 1 : 2;
        add(pair != 0 ? "CFst" : "SF", 1, 0, 1 - v, 0);
        add(pair != 0 ? "CFtr" : "TF", 2, other, v, 0);
        add(pair != 0 ? "CFwd" : "WDF", 2, same, 1 - v, 0);
        add(pair != 0 ? "CFrd" : "RDF", 2, 0, 1 - v, 1 - v);
        add(pair != 0 ? "CFdrd" : "DRDF", 2, 0, 1 - v, v);
        add(pair != 0 ? "CFir" : "IRF", 2, 0, v, 1 - v);
      }
    }
  }
  // Disturb faults: an operation of the aggressor flips the victim.
  for (int a = 0; a < 2; ++a) {
    for (int op = 0; op < 3; ++op) {
      for (int v = 0; v < 2; ++v) {
        all.push_back(
            {"CFds a" + std::to_string(a) + " op" + std::to_string(op) + " v" + std::to_string(v),
             true, 3, op, v, a, 1, 1 - v, 0});
      }
    }
  }
  return all;
}

class Mbist {
 public:
  Mbist() { reset(); }

  void reset() {
    top_.rst_i = 1;
    clock();
    top_.rst_i = 0;
  }

  // Runs the test; returns the cycles that it was busy.
  int run() {
    top_.start_i = 1;
    clock();
    top_.start_i = 0;
    int cycles = 0;
    for (; top_.busy_o != 0 && cycles < 22 * 7 * kRows + 100; ++cycles) clock();
    EXPECT_TRUE(top_.done_o);
    return cycles;
  }

  void inject(const Primitive& p, int bank, int v_row, int v_bit, int a_row, int a_bit) {
    top_.fault_kind_i = static_cast<uint8_t>(p.kind);
    top_.fault_bank_i = static_cast<uint8_t>(bank);
    top_.v_row_i = static_cast<uint8_t>(v_row);
    top_.v_bit_i = static_cast<uint8_t>(v_bit);
    top_.a_row_i = static_cast<uint8_t>(a_row);
    top_.a_bit_i = static_cast<uint8_t>(a_bit);
    top_.use_a_i = static_cast<uint8_t>(p.use_a);
    top_.op_i = static_cast<uint8_t>(p.op);
    top_.v_i = static_cast<uint8_t>(p.v);
    top_.a_i = static_cast<uint8_t>(p.a);
    top_.f_i = static_cast<uint8_t>(p.f);
    top_.r_i = static_cast<uint8_t>(p.r);
  }

  Vow_mbist_tb& top() { return top_; }

 private:
  void clock() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }
  Vow_mbist_tb top_;
};

TEST(Mbist, AGoodMemoryPassesInTheStatedTime) {
  Mbist mbist;
  EXPECT_EQ(mbist.run(), 22 * 7 * kRows + 1);
  EXPECT_EQ(mbist.top().fail_o, 0);
}

TEST(Mbist, AResetForgetsWhatWasFound) {
  Mbist mbist;
  mbist.inject(primitives().front(), 1, 5, 17, 0, 0);
  mbist.run();
  EXPECT_EQ(mbist.top().fail_o, 2);
  EXPECT_EQ(mbist.top().fail_bits_o, uint64_t{1} << 17);
  mbist.reset();
  EXPECT_FALSE(mbist.top().busy_o);
  EXPECT_FALSE(mbist.top().done_o);
  EXPECT_EQ(mbist.top().fail_o, 0);
  EXPECT_EQ(mbist.top().fail_row_o, 0);
  EXPECT_EQ(mbist.top().fail_bits_o, 0u);
}

TEST(Mbist, FindsAll48PrimitivesInCellsOfDifferentWords) {
  const std::vector<Primitive> all = primitives();
  ASSERT_EQ(all.size(), 48u);
  std::mt19937 random(1);
  Mbist mbist;
  int found = 0;
  for (const Primitive& p : all) {
    bool every = true;
    for (int trial = 0; trial < 6; ++trial) {
      const int bank = static_cast<int>(random() % 8);
      const int v_row = static_cast<int>(random() % kRows);
      const int a_row = (v_row + 1 + static_cast<int>(random() % (kRows - 1))) % kRows;
      const int v_bit = static_cast<int>(random() % 64);
      // The same bit of another word, and another bit.
      const int a_bit = trial % 2 == 0 ? v_bit : static_cast<int>(random() % 64);
      mbist.inject(p, bank, v_row, v_bit, a_row, a_bit);
      mbist.run();
      if (mbist.top().fail_o != 1 << bank) every = false;
      EXPECT_EQ(mbist.top().fail_o, 1 << bank) << p.name << " victim " << v_row << "." << v_bit
                                               << " aggressor " << a_row << "." << a_bit;
      EXPECT_EQ(mbist.top().fail_row_o, v_row) << p.name;
      EXPECT_EQ(mbist.top().fail_bits_o, uint64_t{1} << v_bit) << p.name;
    }
    if (every) ++found;
  }
  std::printf("fault primitives found: %d of %zu\n", found, all.size());
}

// Two cells of one word are written together. A primitive whose operation always writes the victim,
// too, may hide. Every primitive that can be seen must be found.
TEST(Mbist, FindsStateAndReadFaultsWithinAWord) {
  std::mt19937 random(2);
  Mbist mbist;
  int pairs = 0, found = 0;
  for (const Primitive& p : primitives()) {
    if (!p.pair) continue;
    for (int trial = 0; trial < 3; ++trial) {
      const int row = static_cast<int>(random() % kRows);
      const int v_bit = static_cast<int>(random() % 64);
      const int a_bit = (v_bit + 1 + static_cast<int>(random() % 63)) % 64;
      mbist.inject(p, 3, row, v_bit, row, a_bit);
      mbist.run();
      const bool hit = mbist.top().fail_o == 8;
      ++pairs;
      if (hit) ++found;
      const bool write = p.kind == 3 ? p.op != 0 : p.kind == 2 && p.op != 0;
      if (!write) {
        EXPECT_TRUE(hit) << p.name << " bits " << v_bit << " " << a_bit;
      }
    }
  }
  std::printf("within a word: %d of %d\n", found, pairs);
}

}  // namespace
