// SPDX-License-Identifier: Apache-2.0
// The 2x2 grid Verilated as one model.
#ifndef OW_SRC_MONOLITHIC_H_
#define OW_SRC_MONOLITHIC_H_

#include <memory>

#include "ow/sim/sim_device.h"

namespace ow {

// Null in a program without ow_mono, for which the model is not built.
[[gnu::weak]] std::unique_ptr<SimDevice> make_monolithic(GridShape shape,
                                                         const SimOptions& options);

}  // namespace ow

#endif  // OW_SRC_MONOLITHIC_H_
