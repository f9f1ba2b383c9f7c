// SPDX-License-Identifier: Apache-2.0
// Makes machines of the installed interface from devices: for ow::open, and for code with its own
// kind of device.
#ifndef OW_RUNTIME_MACHINE_H_
#define OW_RUNTIME_MACHINE_H_

#include <memory>

#include "openwafer/runtime.h"
#include "ow/device/device.h"

namespace ow {

// Reads the machine's properties from its first tile.
Runtime make_runtime(std::unique_ptr<Device> device);

}  // namespace ow

#endif  // OW_RUNTIME_MACHINE_H_
