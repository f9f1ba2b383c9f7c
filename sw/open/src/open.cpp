// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "openwafer/runtime.h"
#include "ow/open/machine.h"
#include "ow/open/ranks.h"
#include "ow/runtime/machine.h"

namespace ow {

Runtime open(const std::string& machine, const std::string& firmware) {
  const MachineSpec spec = parse_machine(machine, fmt::format("machine '{}'", machine));
  MachineOptions options;
  options.firmware = firmware;
  options.sim.record_file = spec.record_file;
  if (spec.split > 1) {
    int status = 0;
    options.sim.ranks = join_ranks(spec.split, spec.name, &status);
    if (!options.sim.ranks) std::exit(status);  // the program goes on in rank 0 alone
  }
  return make_runtime(Machine(spec, options).device());
}

}  // namespace ow
