// SPDX-License-Identifier: Apache-2.0
// The processes that mpirun has started, as ranks of one simulated grid.
#ifndef OW_OPEN_RANKS_H_
#define OW_OPEN_RANKS_H_

#include <memory>
#include <string>

#include "ow/sim/split.h"

namespace ow {

// In rank 0: the connection to `parts` - 1 others, for SimOptions::ranks. The other ranks simulate
// until rank 0 ends; then `*status` is their exit status, and null is returned. `parts` 0: as many
// as there are. BadInput in rank 0, which begins with `who`, if there are more or fewer; the others
// then return with status 0, as rank 0's is that of the run. A process joins once.
std::shared_ptr<GridRanks> join_ranks(int parts, const std::string& who, int* status);

}  // namespace ow

#endif  // OW_OPEN_RANKS_H_
