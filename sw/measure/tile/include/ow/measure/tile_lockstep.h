// SPDX-License-Identifier: Apache-2.0
// The whole RTL tile as a model for run_lockstep. Programs go in through the control plane, and the
// retire port shows each executed instruction.
#ifndef OW_TILE_LOCKSTEP_H_
#define OW_TILE_LOCKSTEP_H_

#include <memory>

#include "ow/iss/lockstep.h"

namespace ow {

std::unique_ptr<LockstepModel> make_tile_lockstep_model();

// `instructions` of random programs on the RTL tile against the instruction-set model.
LockstepResult run_tile_lockstep(uint64_t seed, uint64_t instructions);

}  // namespace ow

#endif  // OW_TILE_LOCKSTEP_H_
