// SPDX-License-Identifier: Apache-2.0
// A grid of the replicated engine on several threads and in several ranks, which are threads here:
// it does what it does on one.
#include "ow/sim/split.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "fake_grid.h"
#include "ow/base/error.h"
#include "ow/sim/sim_device.h"
#include "ranks_in_threads.h"
#include "seed.h"
#include "temporary_file.h"
#include "words_across.h"

namespace ow {
namespace {

constexpr GridShape kGrid{5, 7};

std::unique_ptr<Device> make(const std::shared_ptr<GridRanks>& ranks, bool checked = false,
                             int threads = 1) {
  SimOptions options;
  options.threads = threads;
  options.checked = checked;
  options.ranks = ranks;
  return make_device(DeviceKind::Replicated, kGrid, options);
}

SimDevice* simulator(const std::unique_ptr<Device>& device) {
  return dynamic_cast<SimDevice*>(device.get());
}

std::vector<TileState> states(const std::unique_ptr<Device>& device) {
  std::vector<TileState> all(kGrid.rows * kGrid.cols);
  for (size_t tile = 0; tile < all.size(); ++tile) simulator(device)->read_tile(tile, &all[tile]);
  return all;
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return fmt::format("{}: {}", e.category(), e.what());
  }
  return "";
}

TEST(Split, WordsLeaveInTheSameCyclesAndTilesEndInTheSameState) {
  const uint64_t seed = test_seed(7);
  const auto whole = make(nullptr);
  const std::vector<std::string> expected = words_across(whole.get(), seed);
  const std::vector<TileState> end = states(whole);
  for (const int count : {1, 2, 4, 5}) {
    RanksInThreads ranks(count);
    const auto split = make(ranks.first(), false, count % 2 + 1);
    EXPECT_EQ(words_across(split.get(), seed), expected)
        << "OW_SEED=" << seed << ", ranks " << count;
    EXPECT_EQ(states(split), end) << "ranks " << count;
    EXPECT_EQ(split->sim()->evaluations(), whole->sim()->evaluations());
    const std::vector<UnitClock> a = split->sim()->unit_clocks(), b = whole->sim()->unit_clocks();
    ASSERT_EQ(a.size(), b.size());
    for (size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k].edges, b[k].edges) << a[k].unit;
  }
}

TEST(Split, TheSameOnSeveralThreads) {
  const uint64_t seed = test_seed(8);
  const auto one = make(nullptr);
  const std::vector<std::string> expected = words_across(one.get(), seed);
  for (const int threads : {2, 3}) {
    const auto several = make(nullptr, false, threads);
    EXPECT_EQ(words_across(several.get(), seed), expected)
        << "OW_SEED=" << seed << ", threads " << threads;
    EXPECT_EQ(states(several), states(one)) << "threads " << threads;
    EXPECT_EQ(several->sim()->evaluations(), one->sim()->evaluations());
  }
}

// Each thread's stack takes some of the address space.
TEST(Split, ThreadsThatCannotBeStartedAreNamed) {
  const auto start_many = [] {
    constexpr rlim_t kBytes = rlim_t{1} << 30;
    const rlimit limit{kBytes, kBytes};
    setrlimit(RLIMIT_AS, &limit);
    const std::string error = error_of([] { make(nullptr, false, 256); });
    std::fprintf(stderr, "%s\n", error.c_str());
    std::exit(0);
  };
  EXPECT_EXIT(start_many(), testing::ExitedWithCode(0),
              "bad input: threads=256: only [1-9][0-9]* could be started");
}

// Credits are coded so that no bit of the second register is set without that of the first.
std::string with_fault(const std::shared_ptr<GridRanks>& ranks, size_t tile, int threads = 1) {
  const auto device = make(ranks, true, threads);
  words_across(device.get(), 1);
  const StateLayout& layout = simulator(device)->state_layout();
  const auto first = [&layout](const std::string& name) {
    size_t s = 0;
    while (layout.signals()[s].name != name) ++s;
    return layout.first(s);
  };
  std::vector<TileState> all = states(device);
  all[tile].words[first("u_router.u_switch.u_credits.cr2_q")] = 1;
  all[tile].words[first("u_router.u_switch.u_credits.cr1_q")] = 0;
  simulator(device)->write_tiles([&all](size_t t, TileState* state) { *state = all[t]; });
  return error_of([&device] { words_across(device.get(), 2); });
}

TEST(Split, AnAssertionThatFailsInAnotherRankIsNamedAsInOne) {
  for (const int row : {0, 4}) {
    const auto tile = static_cast<size_t>(row * kGrid.cols + 1);
    const std::string expected = with_fault(nullptr, tile);
    EXPECT_NE(expected.find(fmt::format("device fault: tile ({}, 1): internal assertion", row)),
              std::string::npos)
        << expected;
    EXPECT_EQ(with_fault(nullptr, tile, 3), expected);
    RanksInThreads ranks(2);
    EXPECT_EQ(with_fault(ranks.first(), tile), expected);
  }
}

// What one device leaves behind does not disturb the next one.
TEST(Split, DevicesComeOneAfterAnother) {
  RanksInThreads ranks(3);
  const std::vector<std::string> expected = words_across(make(nullptr).get(), 2);
  for (int n = 0; n < 2; ++n) EXPECT_EQ(words_across(make(ranks.first()).get(), 2), expected);
  const auto first = make(ranks.first());
  EXPECT_EQ(error_of([&ranks] { make(ranks.first()); }),
            "bad input: a grid that is split has no other grid beside it");
}

// A run that is saved goes on in grids that evaluate idle tiles, too. In the cycle in which a tile
// begins it is not clocked.
TEST(Split, GoesOnWithASavedRunWhereIdleTilesAreEvaluated) {
  const uint64_t seed = test_seed(9);
  SimOptions options;
  options.save_file = temporary_path("split.ows");
  options.save_every = 120;  // the last time in mid-flight
  const auto run = [seed](const SimOptions& with) {
    return words_across(make_device(DeviceKind::Replicated, kGrid, with).get(), seed);
  };
  const std::vector<std::string> expected = run(options);
  for (const int count : {1, 3}) {
    for (const bool checks : {false, true}) {
      RanksInThreads ranks(count);
      SimOptions restored;
      if (count > 1) restored.ranks = ranks.first();
      restored.restore_file = options.save_file;
      restored.check_idle = checks;
      restored.skip_idle = checks;
      EXPECT_EQ(run(restored), expected)
          << "OW_SEED=" << seed << ", ranks " << count << (checks ? ", checked" : "");
    }
  }
}

// States are on their way when a rank or rank 0 fails: no one takes them for something else.
TEST(Split, AStateThatIsNotTakenEndsInItsError) {
  const GridShape grid{3, 2};
  const EngineMaker good = [](GridShape shape, const SimOptions&) {
    return std::make_unique<FakeGrid>(shape);
  };
  const std::vector<std::string> expected = run_across(std::make_unique<FakeGrid>(grid).get());
  for (const size_t fails_at : {size_t{0}, size_t{1}, FakeGrid::kNever}) {
    RanksInThreads ranks(3, [fails_at](GridShape shape, const SimOptions& options) {
      return std::make_unique<FakeGrid>(shape, 7,
                                        options.first_row == 1 ? fails_at : FakeGrid::kNever);
    });
    SimOptions options;
    options.ranks = ranks.first();
    const auto device = make_split(grid, options, 1, good);
    TileState state;
    device->read_tile(5, &state);
    const auto write = [&](size_t refused) {
      return error_of([&] {
        device->write_tiles([&](size_t tile, TileState* to) {
          if (tile == refused) throw BadInput("no more");
          *to = state;
        });
      });
    };
    const std::string of_rank = "internal error: rank 1: the fake grid fails";
    EXPECT_EQ(write(6), fails_at == FakeGrid::kNever ? "" : of_rank);
    for (const size_t refused : {0, 1, 2, 3, 4, 5}) {
      const bool before = refused < 4 || fails_at == FakeGrid::kNever;
      EXPECT_EQ(write(refused), before ? "bad input: no more" : of_rank) << refused;
    }
    EXPECT_EQ(run_across(device.get()), expected);
  }
}

TEST(Split, RefusesARankWhoseTilesHaveOtherRegisters) {
  RanksInThreads ranks(
      2, [](GridShape shape, const SimOptions&) { return std::make_unique<FakeGrid>(shape, 8); });
  SimOptions options;
  options.ranks = ranks.first();
  const EngineMaker make = [](GridShape shape, const SimOptions&) {
    return std::make_unique<FakeGrid>(shape);
  };
  EXPECT_EQ(error_of([&] {
              make_split({2, 2}, options, 1, make);
            }),
            "bad input: rank 1: its tiles have other registers than those of rank 0: is it another "
            "program?");
}

TEST(Split, AnEngineMayUseItsShareOfTheComputersMemory) {
  SimOptions options;
  options.processes_here = 1'000'000'000;
  const std::string refusal =
      error_of([&] { make_device(DeviceKind::Replicated, kGrid, options); });
  EXPECT_EQ(refusal.rfind("bad input: grid of 5 x 7 tiles: 35 tiles need about ", 0), 0u)
      << refusal;
  EXPECT_NE(refusal.find(" GB for each of 1000000000 processes"), std::string::npos) << refusal;
}

TEST(Split, RanksOnOneComputerShareItsMemory) {
  std::atomic<int> made{0};
  const EngineMaker make = [&made](GridShape shape, const SimOptions& options) {
    EXPECT_EQ(options.processes_here, 3);
    ++made;
    return std::make_unique<FakeGrid>(shape);
  };
  RanksInThreads ranks(3, make);
  SimOptions options;
  options.ranks = ranks.first();
  make_split(kGrid, options, 1, make);
  EXPECT_EQ(made, 3);
}

TEST(Split, RefusesMoreRanksThanRows) {
  RanksInThreads ranks(6);
  EXPECT_EQ(error_of([&ranks] { make(ranks.first()); }),
            "bad input: sim: split=6: a grid of 5 x 7 tiles has 5 rows");
}

}  // namespace
}  // namespace ow
