// SPDX-License-Identifier: Apache-2.0
// Grids of several blocks of the wide engine, in both directions: words cross the grid along rows
// and columns, and leave it in the cycles in which they leave the replicated engine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/sim/sim.h"
#include "ranks_in_threads.h"
#include "seed.h"
#include "words_across.h"

namespace ow {
namespace {

std::unique_ptr<Device> make(GridShape grid, const std::string& engine, int threads,
                             const std::shared_ptr<GridRanks>& ranks = nullptr) {
  SimOptions options;
  options.checked = false;
  options.threads = threads;
  options.ranks = ranks;
  parse_engine("test", engine, &options);
  return make_device(DeviceKind::Replicated, grid, options);
}

TEST(WideGrid, WordsLeaveInTheSameCyclesAsInTheReplicatedEngine) {
  const uint64_t seed = test_seed(5);
  for (const GridShape grid : {GridShape{3, 70}, GridShape{20, 9}, GridShape{2, 130}}) {
    const std::vector<std::string> expected = words_across(make(grid, "replicated", 1).get(), seed);
    ASSERT_GT(expected.size(), 100u);
    for (const char* engine : {"wide-512", "wide-256", "wide-64", "auto"}) {
      for (const int threads : {1, 3}) {
        std::unique_ptr<Device> device;
        try {
          device = make(grid, engine, threads);
        } catch (const BadInput& e) {
          const std::string what = e.what();
          ASSERT_NE(what.find("lacks the instructions"), std::string::npos) << what;
          continue;
        }
        EXPECT_EQ(words_across(device.get(), seed), expected)
            << "OW_SEED=" << seed << ", " << grid.rows << " x " << grid.cols << ", " << engine
            << ", threads " << threads;
      }
    }
  }
}

// Blocks have 8 rows, 4 or 1: parts of two or of many blocks.
TEST(WideGrid, TheSameInSeveralRanks) {
  const uint64_t seed = test_seed(6);
  const GridShape grid{20, 70};
  const std::vector<std::string> expected = words_across(make(grid, "replicated", 1).get(), seed);
  for (const char* engine : {"wide-512", "wide-256", "wide-64", "auto"}) {
    for (const int count : {2, 3}) {
      RanksInThreads ranks(count);
      std::unique_ptr<Device> device;
      try {
        device = make(grid, engine, 2, ranks.first());
      } catch (const BadInput& e) {
        const std::string what = e.what();
        ASSERT_NE(what.find("lacks the instructions"), std::string::npos) << what;
        continue;
      }
      EXPECT_EQ(words_across(device.get(), seed), expected)
          << "OW_SEED=" << seed << ", " << engine << ", ranks " << count;
    }
  }
}

}  // namespace
}  // namespace ow
