// SPDX-License-Identifier: Apache-2.0
// Host program of the axpy kernel: y = a * x + y on two tiles, one above the other, each with its
// own a, x and y. docs/programming.md walks through it. Exit status 0 if every element is right.

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "ow/axpy.h"
#include "ow/control_plane.h"
#include "ow/error.h"
#include "ow/golden/formats.h"
#include "ow/hang_report.h"
#include "ow/program.h"
#include "ow/sim.h"
#include "ow/tile_error.h"

namespace {

constexpr int kRows = 2;
constexpr int kElements = 512;
constexpr int kColourX = 0;
constexpr int kColourY = 1;

// Two binary16 numbers as a wavelet or a memory word has them: the first in the low half.
uint32_t pair(uint16_t first, uint16_t second) { return first | uint32_t{second} << 16; }

int run() {
  const ow::GridShape shape{kRows, 1};
  auto device = ow::make_device(ow::DeviceKind::Replicated, shape);
  ow::ControlPlane control(*device);
  const ow::Rect grid = ow::whole(shape);

  // 1. Routes: x enters at the west edge and goes to the ramp; y leaves at the east edge.
  ow::RouteSet routes(shape);
  routes.set(grid, kColourX, {ow::Port::West, ow::kOutRamp});
  routes.set(grid, kColourY, {ow::Port::Ramp, ow::kOutE});
  for (int row = 0; row < kRows; ++row) routes.listen(ow::Side::East, row, kColourY);
  routes.apply(control);
  ow::bind_inq(control, grid, OW_AXPY_INQ_X, kColourX);
  ow::bind_outq(control, grid, OW_AXPY_OUTQ_Y, kColourY);

  // 2. The program, into all tiles at once.
  const uint32_t sram_bytes = ow::read_config(control, 0, 0).sram_bytes;
  const ow::ElfImage image = ow::read_elf(std::string(OW_FIRMWARE_DIR) + "/axpy.elf", sram_bytes);
  ow::load_program(control, grid, image);

  // 3. Parameters and y of each tile; then the cores run.
  std::vector<std::vector<uint16_t>> x(kRows), y(kRows), want(kRows);
  for (int row = 0; row < kRows; ++row) {
    const uint16_t a = ow::golden::round_to_f16(1.5 + row);
    for (int i = 0; i < kElements; ++i) {
      x[row].push_back(ow::golden::round_to_f16((i - 200) / 7.0));
      y[row].push_back(ow::golden::round_to_f16(i / 16.0 + row));
      want[row].push_back(ow::golden::f16_fma(a, x[row][i], y[row][i]));
    }
    std::vector<uint32_t> words;
    for (int i = 0; i < kElements; i += 2) words.push_back(pair(y[row][i], y[row][i + 1]));
    control.write_tile(row, 0, image.symbol("ow_axpy_params"), {uint32_t{kElements}, a});
    control.write_tile(row, 0, image.symbol("ow_axpy_y"), words);
  }
  ow::start_cores(control, grid, image.entry);

  // 4. Launch: the task runs once the firmware has registered it.
  control.write(grid, ow::kRegTaskActivate, 1u << OW_AXPY_TASK_LAUNCH);
  control.fence(grid);
  const uint64_t start = device->cycle();
  for (int row = 0; row < kRows; ++row) {
    std::vector<ow::Wavelet> stream;
    for (int i = 0; i < kElements; i += 2) {
      stream.push_back({kColourX, false, pair(x[row][i], x[row][i + 1])});
    }
    device->send(ow::Side::West, row, stream);
  }

  // 5. Run until each row has sent its closing control wavelet.
  constexpr size_t kWords = kElements / 2 + 1;
  const ow::RunStatus status = device->run(100000, [&] {
    for (int row = 0; row < kRows; ++row) {
      if (device->available(ow::Side::East, row, kColourY) < kWords) return false;
    }
    return true;
  });
  if (status != ow::RunStatus::Done) {
    ow::check_errors(control, grid, &image);  // a tile that stopped says why in one line
    throw ow::DeviceFault("axpy did not finish:\n" + ow::make_hang_report(control, &image).text());
  }

  int wrong = 0;
  uint64_t last = start;
  for (int row = 0; row < kRows; ++row) {
    const std::vector<ow::Arrival> out = device->take(ow::Side::East, row, kColourY);
    for (int i = 0; i < kElements; i += 2) {
      if (out[i / 2].wavelet.data != pair(want[row][i], want[row][i + 1])) ++wrong;
    }
    if (!out.back().wavelet.ctrl) ++wrong;
    last = std::max(last, out.back().cycle);
  }
  fmt::print("axpy: {} elements on each of {} tiles in {} cycles, {} wrong\n", kElements, kRows,
             last - start, wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
}
