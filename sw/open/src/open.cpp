// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <regex>

#include "openwafer/runtime.h"
#include "ow/open/board.h"
#include "ow/open/mini.h"
#include "ow/open/wafer.h"
#include "ow/runtime/machine.h"
#include "ow/sim/sim.h"

namespace ow {
namespace {

const char kWafer[] = "wafer:";

// Where the run is to be recorded, or null: from the environment, so that a program need not know
// of it.
const char* record_file() { return std::getenv("OPENWAFER_RECORD"); }

void refuse_record(const std::string& machine) {
  if (record_file() == nullptr) return;
  throw BadInput(fmt::format(
      "OPENWAFER_RECORD: only simulated grids of full tiles are recorded, not '{}'", machine));
}

std::unique_ptr<Device> make_grid(const std::string& kind, GridShape shape) {
  if (kind == "sim-mini") return make_mini_grid(shape);
  SimOptions options;
  if (record_file() != nullptr) options.record_file = record_file();
  return make_device(kind == "sim" ? DeviceKind::Replicated : DeviceKind::Monolithic, shape,
                     options);
}

}  // namespace

Runtime open(const std::string& machine, const std::string& firmware) {
  static const std::regex grid("(sim|sim-mini|mono):(\\d{1,4})x(\\d{1,4})");
  std::smatch part;
  const bool is_grid = std::regex_match(machine, part, grid);
  if (!is_grid || part[1] == "sim-mini") refuse_record(machine);
  if (is_grid) {
    return make_runtime(make_grid(part[1], {std::stoi(part[2]), std::stoi(part[3])}));
  }
  if (machine.rfind(kWafer, 0) == 0) {
    wafer::WaferSource source = wafer::parse_source(machine.substr(sizeof(kWafer) - 1));
    source.firmware = firmware;
    wafer::ReadyWafer ready = wafer::ready_wafer(source);
    if (!ready.device) throw DeviceFault(ready.refusal);
    return make_runtime(std::move(ready.device));
  }
  if (uart::is_board(machine)) return make_runtime(uart::open_board(machine));
  throw BadInput(fmt::format(
      "machine '{}': must be sim:ROWSxCOLUMNS, sim-mini:ROWSxCOLUMNS, mono:ROWSxCOLUMNS, "
      "wafer:FILE[,OPTION]... or uart:PATH[:BAUD]",
      machine));
}

}  // namespace ow
