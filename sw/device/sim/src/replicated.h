// SPDX-License-Identifier: Apache-2.0
// The replicated engine: one Verilated tile for every tile of the grid, one sweep a cycle.
#ifndef OW_SRC_REPLICATED_H_
#define OW_SRC_REPLICATED_H_

#include <memory>

#include "ow/sim/sim_device.h"

namespace ow {

std::unique_ptr<SimDevice> make_replicated(GridShape shape, const SimOptions& options);
std::unique_ptr<SimDevice> make_monolithic(GridShape shape, const SimOptions& options);

}  // namespace ow

#endif  // OW_SRC_REPLICATED_H_
