// SPDX-License-Identifier: Apache-2.0
#include "ow/open/wafer.h"

#include <fmt/format.h>

#include <utility>

#include "ow/base/error.h"
#include "ow/base/json.h"
#include "ow/firmware/selftest.h"
#include "ow/wafer/files.h"

namespace ow::wafer {

BringupOptions selftest_options(bool mini, bool thorough, const std::string& firmware) {
  BringupOptions options;
  options.tile = mini ? isa::kMini : isa::kFull;
  const auto program = [&](const std::string& name) {
    return read_elf(fmt::format("{}/{}.elf", firmware, name), options.tile.sram_bytes);
  };
  const Shape one{1, 1, 1, 1, 0, 0};
  const auto good = mini ? make_mini_wafer_device(one) : make_wafer_device(one);
  options.selftest = good_run(*good, program("selftest"));
  if (!thorough) return options;
  for (const char* name : {OW_SELFTEST_THOROUGH}) {
    options.thorough.push_back(good_run(*good, program(name)));
  }
  options.exchange_colours = options.tile.num_colours & ~1u;
  return options;
}

WaferMap read_map(const std::string& path) { return map_from_json(read_json(path), path); }

ReadyWafer ready_wafer(const WaferSource& source) {
  ReadyWafer ready;
  ready.shape = read_shape(source.wafer);
  const Faults faults =
      source.defects.empty() ? Faults() : read_faults(source.defects, ready.shape);
  auto device = make_wafer_device(ready.shape, faults, source.sim);
  ready.description = device->device().description();
  Window window;
  if (!source.map.empty()) {
    const WaferMap map = read_map(source.map);
    const Shape& s = map.shape;
    const Shape& shape = ready.shape;
    if (s.reticle_rows != shape.reticle_rows || s.reticle_cols != shape.reticle_cols ||
        s.rows != shape.rows || s.cols != shape.cols || s.spare_rows != shape.spare_rows ||
        s.spare_cols != shape.spare_cols) {
      throw BadInput(
          fmt::format("{}: is the map of another wafer than {}", source.map, source.wafer));
    }
    apply_map(*device, map);
    window = map.window;
  } else {
    BringupOptions options = selftest_options(false, false, source.firmware);
    options.window = source.part.window;
    options.accept_smaller = source.part.accept_smaller;
    options.progress = source.progress;
    ready.bringup = bring_up(*device, &device->device(), options);
    ready.cycles = device->device().cycle();
    const Bringup& result = *ready.bringup;
    if (result.map() == nullptr) {
      ready.refusal = fmt::format("the wafer cannot be repaired: {}", result.repair.reason);
      return ready;
    }
    if (!result.succeeded()) {
      ready.refusal =
          fmt::format("the repaired wafer does not work: {}", result.verification.front());
      return ready;
    }
    window = result.map()->window;
  }
  ready.device = window_device(std::move(device), window);
  return ready;
}

}  // namespace ow::wafer
