// SPDX-License-Identifier: Apache-2.0
// What the tests of simulated grids share: options, random words, and traffic whose wavelets and
// cycles two implementations must agree on.
#ifndef OW_TB_SW_DEVICE_EDGE_TRAFFIC_H_
#define OW_TB_SW_DEVICE_EDGE_TRAFFIC_H_

#include <gtest/gtest.h>

#include <vector>

#include "ow/base/rng.h"
#include "ow/device/control_plane.h"
#include "ow/device/sim_control.h"
#include "ow/device/tile_map.h"
#include "ow/runtime/routes.h"
#include "ow/sim/sim.h"

namespace ow {

inline SimOptions checked() {
  SimOptions o;
  o.check_idle = true;
  return o;
}

inline std::vector<uint32_t> noise(size_t n, uint32_t seed) {
  Rng rng(seed);
  std::vector<uint32_t> words(n);
  for (uint32_t& w : words) w = static_cast<uint32_t>(rng.next());
  return words;
}

// What the registers of all its tiles say is what sw/isa says of the configuration.
inline void expect_configuration(Device* device, const isa::Configuration& c) {
  using Config = isa::reg::Config;
  ControlPlane control(*device);
  for (int row = 0; row < device->shape().rows; ++row) {
    for (int col = 0; col < device->shape().cols; ++col) {
      const uint32_t word = control.read_tile(row, col, kRegConfig);
      EXPECT_EQ(Config::Lanes::get(word), c.lanes);
      EXPECT_EQ(Config::Threads::get(word) + 1, c.num_threads);
      EXPECT_EQ(Config::Colours::get(word), c.num_colours);
      EXPECT_EQ(1u << Config::Banks::get(word), c.sram_banks);
      EXPECT_EQ(Config::Sram::get(word) * isa::kConfigSramUnit, c.sram_bytes);
      EXPECT_EQ(Config::Limits::get(word), 1u);
      EXPECT_EQ(control.read_tile(row, col, isa::reg::Features::kAddress), c.features);
      EXPECT_EQ(control.read_tile(row, col, isa::reg::Operations::kAddress), c.operations);
    }
  }
}

// Traffic of all kinds at once; the same on both implementations, with and without skipping.
inline std::vector<EdgeEvent> traffic(Device* device) {
  device->sim()->record_edges(true);
  ControlPlane control(*device);
  RouteSet routes(device->shape());
  const int rows = device->shape().rows;
  const int cols = device->shape().cols;
  routes.set(whole(device->shape()), 1, Route{Port::West, kOutE});
  routes.set(whole(device->shape()), 2, Route{Port::North, kOutS});
  routes.set(whole(device->shape()), 3, Route{Port::East, kOutW});
  for (int r = 0; r < rows; ++r) {
    routes.listen(Side::East, r, 1);
    routes.listen(Side::West, r, 3);
  }
  for (int c = 0; c < cols; ++c) routes.listen(Side::South, c, 2);
  routes.apply(control);
  control.fence(whole(device->shape()));
  Rng random(7);
  auto rng = [&] { return static_cast<uint32_t>(random.next()); };
  device->hold(Side::East, 0, 1, true);
  for (int k = 0; k < 300; ++k) {
    const int r = static_cast<int>(rng() % static_cast<uint32_t>(rows));
    const int c = static_cast<int>(rng() % static_cast<uint32_t>(cols));
    switch (rng() % 4) {
      case 0:
        device->send(Side::West, r, Wavelet{1, false, rng()});
        break;
      case 1:
        device->send(Side::North, c, Wavelet{2, true, rng()});
        break;
      case 2:
        device->send(Side::East, r, Wavelet{3, false, rng()});
        break;
      default:
        control.write(Rect{0, c, r + 1, 1}, 0x100 + 4 * (rng() % 64), noise(3, rng()));
        break;
    }
    if (rng() % 3 == 0) device->sim()->step();
    if (k == 200) device->hold(Side::East, 0, 1, false);
  }
  control.read_rect(whole(device->shape()), 0x100, 67);
  EXPECT_EQ(device->run(5000), RunStatus::Quiet);
  return device->sim()->edge_log();
}

}  // namespace ow

#endif  // OW_TB_SW_DEVICE_EDGE_TRAFFIC_H_
