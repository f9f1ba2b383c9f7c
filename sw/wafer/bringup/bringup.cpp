// SPDX-License-Identifier: Apache-2.0
#include "ow/wafer/bringup.h"

#include <fmt/format.h>

#include "ow/base/error.h"
#include "steps.h"

namespace ow::wafer {
namespace {

// Makes a map of the wanted window, or of the largest rectangle, from what has been found so far.
void plan(Probe& probe, const Window& wanted) {
  collect(probe);
  Bringup& result = probe.result;
  result.largest = Window();
  result.smaller.reset();
  result.repair = repair(probe, wanted);
  if (result.repair.map) return;
  result.largest = largest_rectangle(probe.shape, result.defects);
  if (probe.options.accept_smaller && result.largest.rows > 0) {
    result.smaller = repair(probe, result.largest).map;
  }
}

}  // namespace

Bringup bring_up(ChainAccess& chain, Device* device, const BringupOptions& options) {
  const Shape& shape = chain.wafer_shape();
  const Window all{0, 0, shape.logical_rows(), shape.logical_cols()};
  const Window wanted = options.window.value_or(all);
  if (wanted.row < 0 || wanted.col < 0 || wanted.rows < 1 || wanted.cols < 1 ||
      wanted.rows > all.rows - wanted.row || wanted.cols > all.cols - wanted.col) {
    throw BadInput(fmt::format("window of {} x {} tiles at ({}, {}): the wafer has {} x {}",
                               wanted.rows, wanted.cols, wanted.row, wanted.col, all.rows,
                               all.cols));
  }
  Probe probe(chain, options);
  discover(probe);
  const bool scan = stations_scan(probe);
  if (scan) scan_wires(probe);
  read_links(probe);
  if (scan) scan_edges(probe);
  if (scan) listen_for_noise(probe);
  test_memories(probe);
  test_cores(probe);
  test_routers(probe);
  plan(probe, wanted);
  Bringup& result = probe.result;
  const auto whole = [&] { return result.map()->window == all; };
  // What the scans could not reach is tested with words between the tiles. The verification of a
  // part of the wafer needs such words anyway, as its sides may be far from the wafer's edges. A
  // connection that is given up is not used again, so this loop ends.
  while (result.map() != nullptr && (!whole() || uses_untested(probe, *result.map()))) {
    probe.begin("logical mesh");
    if (!give_up_untested(probe, *result.map())) break;
    plan(probe, wanted);
  }
  if (result.map() == nullptr) return std::move(probe.result);
  probe.begin("fuses");
  set_fuses(probe, *result.map());
  if (whole() && device != nullptr && result.verification.empty()) {
    probe.begin("logical mesh");
    result.verification = verify_mesh(*device, &result.wavelets_verified);
  }
  return std::move(probe.result);
}

void apply_map(ChainAccess& chain, const WaferMap& map) {
  const BringupOptions options;
  Probe probe(chain, options);
  discover(probe);
  read_links(probe);
  set_fuses(probe, map);
}

SelftestProgram good_run(ChainAccess& chain, const ElfImage& image) {
  const BringupOptions options;
  Probe probe(chain, options);
  discover(probe);
  // A look would disturb the program, so it starts again with twice the time. The longest programs
  // take about five million cycles on a core for area.
  constexpr uint64_t kFirst = 24000, kLimit = 64000000;
  for (uint64_t cycles = kFirst; cycles < kLimit; cycles *= 2) {
    probe.restart_all();
    probe.load(image);
    const auto all = probe.signatures(image, cycles);
    if (all.size() == 1 && all[0]) return {image, *all[0], cycles + cycles / 8};
  }
  throw DeviceFault(image.path + ": does not end in a tile without defects");
}

}  // namespace ow::wafer
