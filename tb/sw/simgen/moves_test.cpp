// SPDX-License-Identifier: Apache-2.0
// Vectors that move from lane to lane between instances, in all widths that this machine has, bit
// by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "library.h"
#include "ow/base/rng.h"
#include "ow/base/temporary_directory.h"
#include "ow/simgen/emit.h"
#include "random_netlist.h"
#include "seed.h"

namespace ow::simgen {
namespace {

bool bit_of(const uint64_t* vector, size_t lane) {
  return (vector[lane / 64] >> lane % 64 & 1) != 0;
}

// Two lists move, by `by` lanes and by as many less a whole vector, or more. Then what came is
// copied.
void move_lists(const ow_wide_code& code, int by, size_t move_count, Rng* rng) {
  constexpr size_t kCount = 5, kList = 8;
  const size_t places[kCount] = {6, 0, 3, 7, 2};
  const auto width = static_cast<size_t>(code.width), words = width / 64;
  std::vector<uint64_t> from[2], wanted[2];
  ow_wide_move moves[2];
  for (size_t m = 0; m < 2; ++m) {
    const int step = m == 0 ? by : by <= 0 ? by + code.width : by - code.width;
    for (size_t k = 0; k < (kCount + 4) * words; ++k) from[m].push_back(rng->next());
    for (size_t k = 0; k < words; ++k) wanted[m].push_back(rng->next());
    moves[m] = {from[m].data() + 2 * words, step, wanted[m].data()};
  }
  const auto comes = [&](size_t m, size_t vector, size_t lane) {
    const int source = static_cast<int>(lane) - moves[m].by;
    return source >= 0 && source < code.width && bit_of(wanted[m].data(), lane) &&
           bit_of(from[m].data() + (2 + vector) * words, static_cast<size_t>(source));
  };
  for (size_t m = 0; m < 2; ++m) {
    for (size_t lane = 0; lane < width; ++lane) {
      const int source = static_cast<int>(lane) - moves[m].by;
      if (source < 0 || source >= code.width) wanted[m][lane / 64] &= ~(uint64_t{1} << lane % 64);
    }
  }
  alignas(64) uint64_t list[kList * 8];
  for (uint64_t& word : list) word = rng->next();
  std::vector<uint64_t> left(list, list + kList * words), copied(kCount * words + 1);
  bool any = false;
  const int told = code.move(moves, move_count, kCount, list, places);
  code.copy(list, places, kCount, copied.data() + 1);
  for (size_t k = 0; k < kCount; ++k) {
    for (size_t lane = 0; lane < width; ++lane) {
      bool expected = false;
      for (size_t m = 0; m < move_count; ++m) expected = expected || comes(m, k, lane);
      any = any || expected;
      ASSERT_EQ(bit_of(list + places[k] * words, lane), expected)
          << "by " << by << ", lane " << lane;
      ASSERT_EQ(bit_of(copied.data() + 1 + k * words, lane), expected);
    }
  }
  EXPECT_EQ(told != 0, any);
  for (const size_t other : {1, 4, 5}) {
    EXPECT_TRUE(std::equal(list + other * words, list + (other + 1) * words,
                           left.begin() + static_cast<std::ptrdiff_t>(other * words)));
  }
}

TEST(Moves, VectorsMoveFromLaneToLane) {
  Builder builder(test_seed(1));
  builder.registers("$dff", 1, false).ports["D"] = builder.input("a_i", 1);
  const Netlist netlist = builder.finish(0);
  Design design = blast(netlist);
  const Plan order = plan(&design);
  const TemporaryDirectory directory;
  emit(design, order, {"model", directory.path(), 1, 50});
  for (const int width : widths()) {
    const Library library(directory.path(), width, 1);
    ASSERT_NE(library.code, nullptr);
    Rng rng(test_seed(2));
    for (int by = -width; by <= width; ++by) {
      for (size_t moves = 0; moves <= 2; ++moves) move_lists(*library.code, by, moves, &rng);
    }
  }
}

}  // namespace
}  // namespace ow::simgen
