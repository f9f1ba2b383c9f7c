// SPDX-License-Identifier: Apache-2.0
// The parameters of a plan that stay in the tiles.
#ifndef OW_EXECUTE_RESIDENT_H_
#define OW_EXECUTE_RESIDENT_H_

#include <cstdint>
#include <vector>

#include "ow/compile/plan.h"
#include "ow/execute/executor.h"
#include "ow/memoryx/wafer_side.h"

namespace ow::jobs {

// Their words for each grid row's tiles, by vector of the plan and grid row.
using Resident = std::vector<std::vector<std::vector<uint32_t>>>;

Resident resident_of(const Plan& plan, const memoryx::WaferSide& memory);
// Neighbours in one copy, because each copy waits for the tiles.
void write_resident(const Plan& plan, const Resident& resident, Executor* executor);

}  // namespace ow::jobs

#endif  // OW_EXECUTE_RESIDENT_H_
