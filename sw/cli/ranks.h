// SPDX-License-Identifier: Apache-2.0
// The processes of a job: one of a network, one or more (mpirun) of a training.
#ifndef OW_CLI_RANKS_H_
#define OW_CLI_RANKS_H_

#include <functional>

#include "ow/compile/job.h"
#include "ow/ranks/transport.h"

namespace ow::cli {

// Calls `body` and returns its exit status. A training's body gets the connection to the other
// processes, a network's body null. An error in one process ends the others too, and is printed
// once. BadInput for a network in several processes. `split`: the others have a part of the grid
// (ow/open/ranks.h), and this one runs any job alone.
int in_ranks(const jobs::Job& job, bool split,
             const std::function<int(ranks::Transport* ranks)>& body);

}  // namespace ow::cli

#endif  // OW_CLI_RANKS_H_
