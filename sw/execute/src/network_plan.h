// SPDX-License-Identifier: Apache-2.0
// The plans of a run of a network: newly made, or taken from a kept file.
#ifndef OW_EXECUTE_NETWORK_PLAN_H_
#define OW_EXECUTE_NETWORK_PLAN_H_

#include "ow/execute/network_run.h"

namespace ow::jobs {

// Needs samples, job and program in `checked`. BadInput as make_forward_plan and PlanFile.
void take_plans(const RunParams& params, const RunOptions& options, Checked* checked);

// Writes the plans unless the file has them, and reports it.
void keep_plan(const RunParams& params, const RunOptions& options, const Checked& checked,
               RunReport* report);

// The plans for the device's tiles: the checked ones, or new ones if the tiles differ. BadInput if
// the plans came from a file.
Plans plans_for(const RunParams& params, const Checked& checked, const TileConfig& tile);

}  // namespace ow::jobs

#endif  // OW_EXECUTE_NETWORK_PLAN_H_
