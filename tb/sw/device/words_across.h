// SPDX-License-Identifier: Apache-2.0
// Random words that cross a grid along its rows and columns, for tests that compare engines.
#ifndef OW_TB_WORDS_ACROSS_H_
#define OW_TB_WORDS_ACROSS_H_

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ow/base/rng.h"
#include "ow/runtime/routes.h"

namespace ow {

constexpr uint64_t kAcrossLimit = 1'000'000;
constexpr int kAcrossWords = 40;

// The sides where words of a colour come in and leave.
struct Way {
  Side from, to;
  Route route;
};
const Way kWays[] = {{Side::West, Side::East, {Port::West, kOutE}},
                     {Side::East, Side::West, {Port::East, kOutW}},
                     {Side::North, Side::South, {Port::North, kOutS}},
                     {Side::South, Side::North, {Port::South, kOutN}}};

inline int ports_of(GridShape grid, Side side) {
  return side == Side::North || side == Side::South ? grid.cols : grid.rows;
}

inline void set_ways(Device* device) {
  const GridShape grid = device->shape();
  ControlPlane control(*device);
  RouteSet routes(grid);
  for (int way = 0; way < 4; ++way) {
    routes.set(whole(grid), way, kWays[way].route);
    for (int k = 0; k < ports_of(grid, kWays[way].to); ++k) routes.listen(kWays[way].to, k, way);
  }
  routes.apply(control);
  control.fence(whole(grid));
  device->run(kAcrossLimit);
}

// Words with random gaps on all rows and columns. What left, with its cycle, and the last cycle.
inline std::vector<std::string> words_across(Device* device, uint64_t seed) {
  const GridShape grid = device->shape();
  set_ways(device);
  Rng rng(seed);
  for (int n = 0; n < kAcrossWords; ++n) {
    for (int way = 0; way < 4; ++way) {
      for (int k = 0; k < ports_of(grid, kWays[way].from); ++k) {
        if (rng.uniform() < 0.5) continue;
        Wavelet wavelet;
        wavelet.colour = static_cast<uint8_t>(way);
        wavelet.data = static_cast<uint32_t>(rng.uniform() * 4294967296.0);
        device->send(kWays[way].from, k, wavelet);
      }
    }
    if (rng.uniform() < 0.3) device->run(kAcrossLimit);
  }
  device->run(kAcrossLimit);
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

}  // namespace ow

#endif  // OW_TB_WORDS_ACROSS_H_
