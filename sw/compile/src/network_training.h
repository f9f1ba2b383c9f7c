// SPDX-License-Identifier: Apache-2.0
// The training that makes the network of a run (network.training).
#ifndef OW_COMPILE_SRC_NETWORK_TRAINING_H_
#define OW_COMPILE_SRC_NETWORK_TRAINING_H_

#include "ow/compile/network_run.h"

namespace ow::jobs {

// Checks everything of it that needs no time: it must be of this very network, with none of the
// samples that are to be run, and read what is in the same file alike. Throws BadInput.
void check_network_training(const RunParams& params, const RunOptions& options, Checked* checked);

}  // namespace ow::jobs

#endif  // OW_COMPILE_SRC_NETWORK_TRAINING_H_
