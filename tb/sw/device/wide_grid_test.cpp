// SPDX-License-Identifier: Apache-2.0
// Grids of several blocks of the wide engine, in both directions: words cross the grid along rows
// and columns, and leave it in the cycles in which they leave the replicated engine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/runtime/routes.h"
#include "ow/sim/sim.h"
#include "seed.h"

namespace ow {
namespace {

constexpr uint64_t kLimit = 1'000'000;
constexpr int kWords = 40;

// The sides where words of a colour come in and leave.
struct Way {
  Side from, to;
  Route route;
};
const Way kWays[] = {{Side::West, Side::East, {Port::West, kOutE}},
                     {Side::East, Side::West, {Port::East, kOutW}},
                     {Side::North, Side::South, {Port::North, kOutS}},
                     {Side::South, Side::North, {Port::South, kOutN}}};

int ports_of(GridShape grid, Side side) {
  return side == Side::North || side == Side::South ? grid.cols : grid.rows;
}

std::unique_ptr<Device> make(GridShape grid, const std::string& engine, int threads) {
  SimOptions options;
  options.checked = false;
  options.threads = threads;
  parse_engine("test", engine, &options);
  return make_device(DeviceKind::Replicated, grid, options);
}

// Words with random gaps on all rows and columns. What left, with its cycle, and the last cycle.
std::vector<std::string> run(Device* device, uint64_t seed) {
  const GridShape grid = device->shape();
  ControlPlane control(*device);
  RouteSet routes(grid);
  for (int way = 0; way < 4; ++way) {
    routes.set(whole(grid), way, kWays[way].route);
    for (int k = 0; k < ports_of(grid, kWays[way].to); ++k) routes.listen(kWays[way].to, k, way);
  }
  routes.apply(control);
  control.fence(whole(grid));
  device->run(kLimit);
  Rng rng(seed);
  for (int n = 0; n < kWords; ++n) {
    for (int way = 0; way < 4; ++way) {
      for (int k = 0; k < ports_of(grid, kWays[way].from); ++k) {
        if (rng.uniform() < 0.5) continue;
        Wavelet wavelet;
        wavelet.colour = static_cast<uint8_t>(way);
        wavelet.data = static_cast<uint32_t>(rng.uniform() * 4294967296.0);
        device->send(kWays[way].from, k, wavelet);
      }
    }
    if (rng.uniform() < 0.3) device->run(kLimit);
  }
  device->run(kLimit);
  std::vector<std::string> left = {fmt::format("end {}", device->cycle())};
  for (int way = 0; way < 4; ++way) {
    for (int k = 0; k < ports_of(grid, kWays[way].to); ++k) {
      for (const Arrival& a : device->take_arrivals(kWays[way].to, k, way)) {
        left.push_back(fmt::format("{} {} {:08x} {}", way, k, a.wavelet.data, a.cycle));
      }
    }
  }
  return left;
}

TEST(WideGrid, WordsLeaveInTheSameCyclesAsInTheReplicatedEngine) {
  const uint64_t seed = test_seed(5);
  for (const GridShape grid : {GridShape{3, 70}, GridShape{20, 9}, GridShape{2, 130}}) {
    const std::vector<std::string> expected = run(make(grid, "replicated", 1).get(), seed);
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
        EXPECT_EQ(run(device.get(), seed), expected)
            << "OW_SEED=" << seed << ", " << grid.rows << " x " << grid.cols << ", " << engine
            << ", threads " << threads;
      }
    }
  }
}

}  // namespace
}  // namespace ow
