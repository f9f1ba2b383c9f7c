// SPDX-License-Identifier: Apache-2.0
// Machines of the installed interface over devices: for ow::open, and for whoever brings a device
// of another kind.
#ifndef OW_RUNTIME_MACHINE_H_
#define OW_RUNTIME_MACHINE_H_

#include <memory>

#include "openwafer/runtime.h"
#include "ow/device/device.h"

namespace ow {

// Reads what the machine is from its first tile.
Runtime make_runtime(std::unique_ptr<Device> device);

}  // namespace ow

#endif  // OW_RUNTIME_MACHINE_H_
