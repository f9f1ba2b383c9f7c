// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "openwafer/runtime.h"
#include "ow/open/machine.h"
#include "ow/runtime/machine.h"

namespace ow {

Runtime open(const std::string& machine, const std::string& firmware) {
  const MachineSpec spec = parse_machine(machine, fmt::format("machine '{}'", machine));
  MachineOptions options;
  options.firmware = firmware;
  // From the environment, so that a program need not know of it.
  if (const char* record = std::getenv("OPENWAFER_RECORD")) {
    if (spec.kind != MachineKind::Sim && spec.kind != MachineKind::Mono) {
      throw BadInput(fmt::format(
          "OPENWAFER_RECORD: only simulated grids of full tiles are recorded, not '{}'", machine));
    }
    options.sim.record_file = record;
  }
  return make_runtime(Machine(spec, options).device());
}

}  // namespace ow
