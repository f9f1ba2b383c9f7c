// SPDX-License-Identifier: Apache-2.0
// Data tasks of compiled firmware on a whole tile: cycles from a wavelet at the ramp to the first
// instruction of its task, and from one wavelet to the next.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "faults_kernel.h"
#include "ow/device/control_plane.h"
#include "ow/device/sim_control.h"
#include "ow/diagnose/tile_error.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"
#include "ow/sim/single_tile.h"

namespace ow {
namespace {

constexpr int kColour = 5;

// One tile with the firmware's data task, which adds each wavelet to a word in SRAM.
class DataTask : public testing::Test {
 protected:
  DataTask()
      : image(read_elf(OW_FIRMWARE_DIR "/faults.elf", kTileSramBytes)),
        tile(make_observed_tile(false)),
        control(tile->device()) {
    load_program(control, one, image);
    RouteSet routes(tile->device().shape());
    routes.set(0, 0, kColour, Route{Port::West, kOutRamp});
    routes.apply(control);
    bind_inq(control, one, OW_FAULTS_QUEUE, kColour);
    control.write(one, image.symbol("ow_fault"), uint32_t{OW_FAULT_DATA_TASK});
    start_cores(control, one, image.entry);
    control.fence(one);
    EXPECT_EQ(tile->device().run(20000), RunStatus::Quiet);
  }

  // Sends n wavelets; returns the cycles in which the task's first instruction was executed, and
  // in `sent` those in which the wavelets were on the link.
  std::vector<uint64_t> stream(int n, std::vector<uint64_t>* sent) {
    Device& device = tile->device();
    std::vector<uint64_t> executed;
    const uint32_t entry = image.symbol("add");
    device.sim()->record_edges(true);
    tile->observe([&](const Retire& retire, uint64_t cycle) {
      if (retire.pc == entry) executed.push_back(cycle);
    });
    for (int k = 0; k < n; ++k) device.send(Side::West, 0, Wavelet{kColour, false, 3});
    EXPECT_EQ(device.run(100000), RunStatus::Quiet);
    tile->observe(nullptr);
    for (const EdgeEvent& event : device.sim()->edge_log()) {
      if (event.in && event.wavelet.colour == kColour) sent->push_back(event.cycle);
    }
    return executed;
  }

  const Rect one{0, 0, 1, 1};
  const ElfImage image;
  std::unique_ptr<ObservedTile> tile;
  ControlPlane control;
};

TEST_F(DataTask, StartsFiveCyclesAfterItsWaveletIsAtTheRamp) {
  std::vector<uint64_t> sent;
  const std::vector<uint64_t> executed = stream(1, &sent);
  ASSERT_EQ(executed.size(), 1u);
  ASSERT_EQ(sent.size(), 1u);
  // A wavelet that is on the link in cycle t is at the ramp in cycle t + 1.
  const uint64_t latency = executed[0] - (sent[0] + 1);
  RecordProperty("cycles", static_cast<int>(latency));
  EXPECT_LE(latency, 5u);
  EXPECT_EQ(control.read_tile(0, 0, image.symbol("ow_faults_sum")), 3u);
}

TEST_F(DataTask, AddsAWaveletToAWordInSramEveryTenCycles) {
  constexpr int kN = 500;
  std::vector<uint64_t> sent;
  const std::vector<uint64_t> executed = stream(kN, &sent);
  ASSERT_EQ(executed.size(), size_t{kN});
  const double each = static_cast<double>(executed.back() - executed.front()) / (kN - 1);
  fmt::print("{:.2f} cycles a wavelet\n", each);
  RecordProperty("cycles_a_wavelet", fmt::format("{:.2f}", each));
  EXPECT_LE(each, 10.05);
  EXPECT_EQ(control.read_tile(0, 0, image.symbol("ow_faults_sum")), 3u * kN);
}

}  // namespace
}  // namespace ow
