// SPDX-License-Identifier: Apache-2.0
#include "ow/sim/sim.h"

#include <fmt/format.h>

#include "monolithic.h"
#include "ow/base/error.h"
#include "ow/sim/sim_device.h"

namespace ow {

DeviceKind parse_device_kind(const std::string& name) {
  if (name == "replicated") return DeviceKind::Replicated;
  if (name == "monolithic") return DeviceKind::Monolithic;
  throw BadInput(fmt::format("device '{}': must be replicated or monolithic", name));
}

bool has_monolithic() { return make_monolithic != nullptr; }

std::unique_ptr<Device> make_device(DeviceKind kind, GridShape shape, const SimOptions& options) {
  std::unique_ptr<SimDevice> device;
  if (kind == DeviceKind::Replicated) {
    device = make_simulator(shape, options);
  } else if (has_monolithic()) {
    device = make_monolithic(shape, options);
  } else {
    throw BadInput(
        "mono: this program has no grid in one piece; the target ow-large builds an `ow` that has");
  }
  if (!options.record_file.empty()) device->record_run(options.record_file);
  return device;
}

}  // namespace ow
