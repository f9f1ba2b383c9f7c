// SPDX-License-Identifier: Apache-2.0
// Grids of several blocks of the wide engine, in both directions: words cross the grid along rows
// and columns, and leave it in the cycles in which they leave the replicated engine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "messages.h"
#include "ow/base/error.h"
#include "ow/runtime/ramp.h"
#include "ow/sim/one_tile.h"
#include "ow/sim/sim.h"
#include "ow/sim/sim_device.h"
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
          fmt::print("{}\n", what);
          continue;
        }
        EXPECT_EQ(words_across(device.get(), seed), expected)
            << "OW_SEED=" << seed << ", " << grid.rows << " x " << grid.cols << ", " << engine
            << ", threads " << threads;
      }
    }
  }
}

// The cycle in which a grid rests after a filter has dropped a word. The last word that moves is
// its credit, which leaves the grid.
uint64_t rests_after_a_drop(Device* device) {
  const GridShape grid = device->shape();
  ControlPlane control(*device);
  Filter filter;
  filter.low = filter.high = 1;
  RouteSet routes(grid);
  routes.set({0, 0, 1, 1}, filter.colour, {Port::West, kOutRamp});
  routes.apply(control);
  set_filter(control, {0, 0, 1, 1}, 0, filter);
  control.fence(whole(grid));
  device->run(kAcrossLimit);
  Wavelet wavelet;
  wavelet.colour = static_cast<uint8_t>(filter.colour);
  device->send(Side::West, 0, wavelet);
  device->run(kAcrossLimit);
  return device->cycle();
}

TEST(WideGrid, RestsWhenTheReplicatedEngineDoesAlsoIfAWordLeavesLast) {
  for (const GridShape grid : {GridShape{1, 1}, GridShape{2, 130}}) {
    const uint64_t expected = rests_after_a_drop(make(grid, "replicated", 1).get());
    for (const char* engine : {"wide-64", "auto"}) {
      EXPECT_EQ(rests_after_a_drop(make(grid, engine, 1).get()), expected)
          << grid.rows << " x " << grid.cols << ", " << engine;
    }
  }
}

// A block is a row, and tiles (1, 37) and (2, 10) are compared. Their credits break an assertion
// when a word comes: to both after two hops.
std::string failure_of_two(int threads) {
  constexpr GridShape kGrid{4, 64};
  constexpr size_t kTiles[] = {64 + 37, 2 * 64 + 10};
  SimOptions options;
  options.threads = threads;
  options.lockstep = true;
  parse_engine("test", "wide-64", &options);
  const auto device = make_device(DeviceKind::Replicated, kGrid, options);
  set_ways(device.get());
  auto& grid = dynamic_cast<SimDevice&>(*device);
  const StateLayout& layout = grid.state_layout();
  const auto first = [&layout](const std::string& name) {
    size_t s = 0;
    while (layout.signals()[s].name != name) ++s;
    return layout.first(s);
  };
  std::vector<TileState> tiles(kGrid.rows * kGrid.cols);
  for (size_t t = 0; t < tiles.size(); ++t) grid.read_tile(t, &tiles[t]);
  for (const size_t t : kTiles) {
    tiles[t].words[first("u_router.u_switch.u_credits.cr2_q")] = 1;
    tiles[t].words[first("u_router.u_switch.u_credits.cr1_q")] = 0;
  }
  grid.write_tiles([&tiles](size_t t, TileState* state) { *state = tiles[t]; });
  Wavelet word;
  word.colour = 3;
  device->send(kWays[word.colour].from, 37, word);
  word.colour = 2;
  device->send(kWays[word.colour].from, 10, word);
  try {
    device->run(kAcrossLimit);
  } catch (const DeviceFault& e) {
    return e.what();
  }
  return "";
}

TEST(WideGrid, OfBlocksThatFailInACycleTheFirstIsNamed) {
  for (const int threads : {1, 2, 3, 4, 2, 3, 4}) {
    const std::string failure = failure_of_two(threads);
    EXPECT_EQ(failure.rfind("tile (1, 37): internal assertion", 0), 0u)
        << failure << ", threads " << threads;
  }
}

TEST(WideGrid, RefusesWhatOnlyTheOtherEngineHas) {
  const auto refused = [](const std::string& engine, const std::function<void(SimOptions*)>& set) {
    SimOptions options;
    parse_engine("test", engine, &options);
    set(&options);
    return refusal_of([&] { make_device(DeviceKind::Replicated, {1, 1}, options); });
  };
  const std::string end = ": engine=replicated";
  EXPECT_EQ(refused("wide-64", [](SimOptions* o) { o->skip_idle = false; }),
            "the wide engine has no evaluation of idle tiles" + end);
  EXPECT_EQ(refused("wide-64", [](SimOptions* o) { o->toggle_clock = true; }),
            "the wide engine has no clock with both edges" + end);
  EXPECT_EQ(refused("wide-64", [](SimOptions* o) { o->check_idle = true; }),
            "the wide engine has no checks of idle tiles" + end);
  for (const char* engine : {"auto", "replicated"}) {
    EXPECT_EQ(refused(engine, [](SimOptions* o) { o->lockstep = true; }),
              "lockstep is only for engine=wide");
  }
}

// What of a Verilated tile differs from that of the block, from a cycle on.
enum class Lie { None, Word, Register, RegisterAtRest, Idle };
constexpr uint64_t kLieFrom = 20;

class LyingTile : public OneTile {
 public:
  LyingTile(std::unique_ptr<OneTile> tile, Lie lie) : tile_(std::move(tile)), lie_(lie) {}
  void begin(const uint64_t* words, uint64_t cycle, const uint64_t* in) override {
    cycle_ = cycle;
    tile_->begin(words, cycle, in);
  }
  void clock(uint64_t cycle, const uint64_t* in) override {
    cycle_ = cycle;
    tile_->clock(cycle, in);
  }
  uint64_t sent(int side) const override { return tile_->sent(side) ^ lies(Lie::Word); }
  bool idle() const override { return lies(Lie::Idle) == 0 && tile_->idle(); }
  void read(uint64_t* words) const override {
    tile_->read(words);
    words[kWord] ^= lies(Lie::Register);
  }
  void read_next(uint64_t* words) override {
    tile_->read_next(words);
    words[kWord] ^= lies(Lie::RegisterAtRest);
  }

 private:
  static constexpr size_t kWord = 0;
  uint64_t lies(Lie what) const { return lie_ == what && cycle_ >= kLieFrom ? 1 : 0; }

  std::unique_ptr<OneTile> tile_;
  Lie lie_;
  uint64_t cycle_ = 0;
};

class LyingMaker : public TileMaker {
 public:
  explicit LyingMaker(Lie lie) : maker_(make_tile_maker(true)), lie_(lie) {}
  const StateLayout& layout() const override { return maker_->layout(); }
  size_t tile_bytes() const override { return maker_->tile_bytes(); }
  std::unique_ptr<OneTile> make(const std::string& name) override {
    return std::make_unique<LyingTile>(maker_->make(name), lie_);
  }

 private:
  std::unique_ptr<TileMaker> maker_;
  Lie lie_;
};

// The routes of a grid are set and nothing else is done: then it rests.
std::string failure_of(Lie lie) {
  SimOptions options;
  options.lockstep = true;
  parse_engine("test", "wide-64", &options);
  const auto device = make_wide({1, 3}, options, std::make_unique<LyingMaker>(lie));
  try {
    set_ways(device.get());
  } catch (const DeviceFault& e) {
    return e.what();
  }
  EXPECT_GT(device->cycle(), 2 * kLieFrom);
  return "";
}

TEST(WideGrid, LockstepFindsADifferenceInEachThingThatItCompares) {
  EXPECT_EQ(failure_of(Lie::None), "");
  const std::pair<Lie, const char*> lies[] = {
      {Lie::Word, "what it sends to the north is "},
      {Lie::Register, ", word 0 is "},
      {Lie::RegisterAtRest, ", word 0 is "},
      {Lie::Idle, "whether it is idle is 1 in the wide engine, 0 in"}};
  for (const auto& [lie, what] : lies) {
    const std::string failure = failure_of(lie);
    EXPECT_EQ(failure.rfind("tile (0, 0): lockstep: ", 0), 0u) << what << ": " << failure;
    EXPECT_NE(failure.find(what), std::string::npos) << failure;
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
