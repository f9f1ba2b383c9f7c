// SPDX-License-Identifier: Apache-2.0
// A whole host program: load, route, launch, stream, collect, and the report when it hangs.
#include <gtest/gtest.h>

#include <cstring>

#include "ow/base/error.h"
#include "ow/device/control_plane.h"
#include "ow/device/sim_control.h"
#include "ow/device/tile_map.h"
#include "ow/diagnose/hang_report.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"
#include "ow/runtime/tile_config.h"
#include "ow/sim/sim.h"

namespace ow {
namespace {

uint32_t bits(float value) {
  uint32_t b;
  std::memcpy(&b, &value, sizeof(b));
  return b;
}

// Streams `values` through tile (0, 1) of a 1 x 3 grid, which adds `addend` to each.
std::vector<uint32_t> add_stream(Device& device, const std::string& elf,
                                 const std::vector<float>& values, float addend) {
  constexpr int kIn = 1;
  constexpr int kOut = 2;
  ControlPlane control(device);
  const Rect tile{0, 1, 1, 1};

  // Program and parameters.
  const ElfImage image = read_elf(elf, read_tile_size(control, 0, 1).sram_bytes);
  load_program(control, tile, image);
  control.write(tile, image.symbol("ow_count"), static_cast<uint32_t>(values.size()));
  control.write(tile, image.symbol("ow_addend"), bits(addend));

  // Routes: west edge -> tile 1, tile 1 -> east edge; and the queues of the kernel.
  RouteSet routes(device.shape());
  routes.set(0, 0, kIn, Route{Port::West, kOutE});
  routes.set(0, 1, kIn, Route{Port::West, kOutRamp});
  routes.set(0, 1, kOut, Route{Port::Ramp, kOutE});
  routes.set(0, 2, kOut, Route{Port::West, kOutE});
  routes.listen(Side::East, 0, kOut);
  routes.apply(control);
  bind_inq(control, tile, 0, kIn);
  bind_outq(control, tile, 0, kOut);

  // Start the core, wait until it sleeps, launch the task.
  start_cores(control, tile, image.entry);
  control.fence(tile);
  device.run(10000);
  control.write(tile, kRegTaskActivate, 1u << 16);

  // Stream.
  std::vector<Wavelet> stream;
  for (float v : values) stream.push_back(Wavelet{kIn, false, bits(v)});
  device.send(Side::West, 0, stream);
  const auto all = [&] { return device.available(Side::East, 0, kOut) == values.size() + 1; };
  if (device.run(100000, all) != RunStatus::Done) {
    throw DeviceFault(make_hang_report(control, &image).text());
  }
  std::vector<uint32_t> results;
  for (const Arrival& a : device.take_arrivals(Side::East, 0, kOut)) {
    if (!a.wavelet.ctrl) results.push_back(a.wavelet.data);
  }
  return results;
}

const char* const kElf = OW_FIRMWARE_DIR "/add_stream.elf";

TEST(HostProgram, StreamsThroughATileAndBack) {
  SimOptions options;
  options.check_idle = true;
  auto device = make_device(DeviceKind::Replicated, GridShape{1, 3}, options);
  std::vector<float> values;
  for (int k = 0; k < 100; ++k) values.push_back(0.5f * static_cast<float>(k) - 7);
  const uint64_t start = device->cycle();
  const std::vector<uint32_t> results = add_stream(*device, kElf, values, 2.25f);
  ASSERT_EQ(results.size(), values.size());
  for (size_t k = 0; k < values.size(); ++k) EXPECT_EQ(results[k], bits(values[k] + 2.25f)) << k;
  RecordProperty("cycles", static_cast<int>(device->cycle() - start));
  ControlPlane control(*device);
  EXPECT_EQ(control.read_tile(0, 1, read_elf(kElf, 49152).symbol("ow_runs")), 1u);
}

TEST(HostProgram, AnEdgeThatTakesNothingIsReported) {
  auto device = make_device(DeviceKind::Replicated, GridShape{1, 3});
  device->hold(Side::East, 0, 2, true);
  try {
    add_stream(*device, kElf, std::vector<float>(50, 1.0f), 1.0f);
    FAIL();
  } catch (const DeviceFault& e) {
    EXPECT_NE(std::string(e.what()).find("[edge blocked] tile (0, 2)"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace ow
