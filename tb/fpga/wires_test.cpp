// SPDX-License-Identifier: Apache-2.0
// The board without tiles at its pins: clocks, crossings, bridge and UART are the real ones, and
// what enters the grid leaves at the other end of its row or column.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "Vow_fpga_wires.h"
#include "ow/base/rng.h"
#include "ow/fpga/sim_board.h"
#include "ow/fpga/verilated_model.h"
#include "ow/uart/uart_device.h"

namespace ow::fpga {
namespace {

constexpr std::array<int, 6> kColours = {0, 1, 2, 3, kColourReq, kColourRsp};

Side opposite(Side side) {
  switch (side) {
    case Side::North:
      return Side::South;
    case Side::South:
      return Side::North;
    case Side::East:
      return Side::West;
    default:
      return Side::East;
  }
}

TEST(FpgaWires, CarryWaveletsThroughTheCrossings) {
  constexpr size_t kWavelets = 600;
  auto pins = std::make_unique<SimBoard>(std::make_unique<VerilatedModel<Vow_fpga_wires>>());
  SimBoard& sim = *pins;
  uart::UartDevice device(std::move(pins));
  for (int k = 0; k < 100 && (sim.leds() & 8) == 0; ++k) device.wait_cycles(1000);
  ASSERT_NE(sim.leds() & 8, 0u) << "the crossings do not come up";

  using Port = std::pair<Side, int>;
  std::map<std::pair<Port, int>, std::vector<Wavelet>> expected, came;
  Rng rng(17);
  for (size_t k = 0; k < kWavelets; ++k) {
    const auto side = static_cast<Side>(rng.below(4));
    const int index = static_cast<int>(rng.below(2));
    Wavelet w;
    w.colour = static_cast<uint8_t>(kColours[rng.below(kColours.size())]);
    w.ctrl = rng.below(8) == 0;
    w.data = static_cast<uint32_t>(rng.next());
    device.send(side, index, w);
    expected[{{opposite(side), index}, w.colour}].push_back(w);
  }
  size_t count = 0;
  const RunStatus status = device.run(10'000'000, [&] {
    for (auto& [where, wavelets] : expected) {
      const auto& [port, colour] = where;
      for (const Arrival& a : device.take_arrivals(port.first, port.second, colour)) {
        came[where].push_back(a.wavelet);
        ++count;
      }
    }
    return count == kWavelets;
  });
  EXPECT_EQ(status, RunStatus::Done);
  EXPECT_TRUE(came == expected);
  EXPECT_EQ(device.run(100'000), RunStatus::Quiet);
  EXPECT_EQ(sim.leds() & 32, 0u);  // no rule of the links was broken
}

}  // namespace
}  // namespace ow::fpga
