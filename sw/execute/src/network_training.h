// SPDX-License-Identifier: Apache-2.0
// The training that makes the network of a run (network.training).
#ifndef OW_EXECUTE_SRC_NETWORK_TRAINING_H_
#define OW_EXECUTE_SRC_NETWORK_TRAINING_H_

#include "ow/execute/network_run.h"

namespace ow::jobs {

// Checks everything that needs no time. The training must be of this network, must use none of the
// samples to run, and must read a shared file in the same way. Throws BadInput.
void check_network_training(const RunParams& params, const RunOptions& options, Checked* checked);

}  // namespace ow::jobs

#endif  // OW_EXECUTE_SRC_NETWORK_TRAINING_H_
