// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <regex>

#include "openwafer/runtime.h"
#include "ow/open/board.h"
#include "ow/open/wafer.h"
#include "ow/runtime/machine.h"
#include "ow/sim/sim.h"

namespace ow {

Runtime open(const std::string& machine, const std::string& firmware) {
  static const std::regex grid("(sim|mono):(\\d{1,4})x(\\d{1,4})");
  std::smatch part;
  if (std::regex_match(machine, part, grid)) {
    const GridShape shape{std::stoi(part[2]), std::stoi(part[3])};
    SimOptions options;
    // From the environment, so that a program need not know of it.
    if (const char* file = std::getenv("OPENWAFER_RECORD")) options.record_file = file;
    return make_runtime(make_device(
        part[1] == "sim" ? DeviceKind::Replicated : DeviceKind::Monolithic, shape, options));
  }
  const std::string wafer = "wafer:";
  if (machine.compare(0, wafer.size(), wafer) == 0 && machine.size() > wafer.size()) {
    wafer::WaferSource source;
    source.wafer = machine.substr(wafer.size());
    source.firmware = firmware;
    wafer::ReadyWafer ready = wafer::ready_wafer(source);
    if (!ready.device) throw DeviceFault(ready.refusal);
    return make_runtime(std::move(ready.device));
  }
  if (uart::is_board(machine)) return make_runtime(uart::open_board(machine));
  throw BadInput(fmt::format(
      "machine '{}': must be sim:ROWSxCOLUMNS, mono:ROWSxCOLUMNS, wafer:FILE or uart:PATH[:BAUD]",
      machine));
}

}  // namespace ow
