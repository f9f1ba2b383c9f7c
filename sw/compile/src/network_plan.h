// SPDX-License-Identifier: Apache-2.0
// The plans of a run of a network: made, or of the file that is kept.
#ifndef OW_COMPILE_NETWORK_PLAN_H_
#define OW_COMPILE_NETWORK_PLAN_H_

#include <optional>

#include "ow/compile/network_run.h"

namespace ow::jobs {

// For the samples, weights and program that are there already. BadInput as make_plan and PlanFile.
void take_plans(const RunParams& params, const RunOptions& options, Checked* checked);

// Writes them if the file has not got them; tells of it.
void keep_plan(const RunParams& params, const RunOptions& options, const Checked& checked,
               RunReport* report);

struct Plans {
  StreamPlan network;
  std::optional<StreamPlan> large;
};
// For the tiles that a device turned out to have: those that were checked, or, if these are others,
// new ones. BadInput if a file was to have them.
Plans plans_for(const RunParams& params, size_t samples, const Checked& checked,
                const TileConfig& tile);

}  // namespace ow::jobs

#endif  // OW_COMPILE_NETWORK_PLAN_H_
