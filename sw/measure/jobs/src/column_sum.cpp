// SPDX-License-Identifier: Apache-2.0
#include "ow/measure/column_sum.h"

#include <fmt/format.h>

#include <algorithm>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/device/tile_map.h"
#include "ow/diagnose/hang_report.h"
#include "ow/diagnose/tile_error.h"
#include "ow/golden/formats.h"
#include "ow/measure/grid_costs.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/elf.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"

namespace ow::jobs {
namespace {

constexpr int kRows = 8;
constexpr int kColour = 1;  // +1 for odd rows
constexpr uint64_t kLimit = 100000;

uint32_t add(ColumnType type, uint32_t a, uint32_t b) {
  const auto pair = [&](auto&& one) {
    const uint32_t low = one(static_cast<uint16_t>(a), static_cast<uint16_t>(b));
    const uint32_t high = one(static_cast<uint16_t>(a >> 16), static_cast<uint16_t>(b >> 16));
    return high << 16 | low;
  };
  switch (type) {
    case ColumnType::F16:
      return pair([](uint16_t x, uint16_t y) { return golden::f16_add(x, y); });
    case ColumnType::Bf16:
      return pair([](uint16_t x, uint16_t y) { return golden::bf16_add(x, y); });
    default:
      return golden::f32_add(a, b);
  }
}

}  // namespace

double ColumnSumCost::wavelets_per_cycle() const {
  return static_cast<double>(wavelets[1] - wavelets[0]) /
         static_cast<double>(cycles[1] - cycles[0]);
}

ColumnSumCost measure_column_sum(const ElfImage& firmware, ColumnType type,
                                 const SimOptions& options) {
  ColumnSumCost cost;
  cost.rows = kRows;
  const GridShape shape{kRows, 1};
  const Rect grid = whole(shape);
  const auto device = make_device(DeviceKind::Replicated, shape, options);
  ControlPlane control(*device);
  load_program(control, grid, firmware);
  set_identity(control, grid);
  RouteSet routes(shape);
  for (int r = 0; r < kRows; ++r) {
    if (r + 1 < kRows) routes.set(r, 0, kColour + r % 2, {Port::Ramp, kOutS});
    if (r > 0) routes.set(r, 0, kColour + (r - 1) % 2, {Port::North, kOutRamp});
  }
  routes.apply(control);
  for (int r = 0; r < kRows; ++r) {
    if (r + 1 < kRows) bind_outq(control, Rect{r, 0, 1, 1}, OW_CS_OUTQ, kColour + r % 2);
    if (r > 0) bind_inq(control, Rect{r, 0, 1, 1}, OW_CS_INQ, kColour + (r - 1) % 2);
  }
  start_cores(control, grid, firmware.entry);
  device->run(kLimit);

  Rng rng(13);
  const uint32_t x_addr = (firmware.symbol("ow_heap") + 63) / 64 * 64;
  for (int k = 0; k < 2; ++k) {
    const uint32_t words = k == 0 ? 1000 : 5000;
    cost.wavelets[k] = words;
    const uint32_t n = words * (type == ColumnType::F32 ? 1 : 2);
    std::vector<uint32_t> want;
    for (int r = 0; r < kRows; ++r) {
      std::vector<uint32_t> x(words);
      // Any bits: sums that overflow and NaNs are sums, too.
      for (uint32_t& word : x) word = static_cast<uint32_t>(rng.next() >> 32);
      if (r == 0) want = x;
      for (uint32_t i = 0; r > 0 && i < words; ++i) want[i] = add(type, want[i], x[i]);
      control.write_tile(r, 0, x_addr, x);
    }
    control.write(grid, firmware.symbol("ow_cs_params"),
                  std::vector<uint32_t>{kRows, static_cast<uint32_t>(type), n, x_addr});
    control.write(grid, kRegTaskActivate, 1u << OW_CS_TASK_LAUNCH);
    const RunStatus status = device->run(kLimit);
    check_errors(control, grid, &firmware);
    if (status != RunStatus::Quiet) {
      throw DeviceFault(
          fmt::format("column sum: not at rest\n{}", make_hang_report(control, &firmware).text()));
    }
    for (const auto& times : control.read_rect(grid, firmware.symbol("ow_cs_times"), 2)) {
      cost.cycles[k] = std::max<uint64_t>(cost.cycles[k], times[1] - times[0]);
    }
    const std::vector<uint32_t> got = control.read_tile(kRows - 1, 0, x_addr, words);
    for (uint32_t i = 0; i < words; ++i) cost.wrong += got[i] != want[i];
  }
  return cost;
}

}  // namespace ow::jobs
