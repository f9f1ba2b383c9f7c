// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "openwafer/runtime.h"
#include "ow/open/machine.h"
#include "ow/runtime/machine.h"

namespace ow {

Runtime open(const std::string& machine, const std::string& firmware) {
  const MachineSpec spec = parse_machine(machine, fmt::format("machine '{}'", machine));
  MachineOptions options;
  options.firmware = firmware;
  options.sim.record_file = spec.record_file;
  return make_runtime(Machine(spec, options).device());
}

}  // namespace ow
