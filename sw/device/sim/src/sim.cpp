// SPDX-License-Identifier: Apache-2.0
#include "ow/sim/sim.h"

#include <fmt/format.h>

#include "ow/base/error.h"
#include "replicated.h"

namespace ow {

DeviceKind parse_device_kind(const std::string& name) {
  if (name == "replicated") return DeviceKind::Replicated;
  if (name == "monolithic") return DeviceKind::Monolithic;
  throw BadInput(fmt::format("device '{}': must be replicated or monolithic", name));
}

std::unique_ptr<Device> make_device(DeviceKind kind, GridShape shape, const SimOptions& options) {
  if (kind == DeviceKind::Monolithic) {
#ifdef OW_HAVE_GRID
    return make_monolithic(shape, options);
#else
    throw BadInput("the monolithic device is not in this build");
#endif
  }
  return make_replicated(shape, options);
}

}  // namespace ow
