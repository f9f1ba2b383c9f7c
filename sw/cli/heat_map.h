// SPDX-License-Identifier: Apache-2.0
// The picture of a grid's tiles that `ow run --heat-map` writes.
#ifndef OW_CLI_HEAT_MAP_H_
#define OW_CLI_HEAT_MAP_H_

#include <string>

#include "ow/execute/tile_counts.h"

namespace ow::cli {

// Three maps: beats of the engine, words through the ramp, and cycles of stalls, each in percent of
// the cycles. BadInput if nothing was counted.
void write_heat_map(const std::string& file, const std::string& job,
                    const jobs::TileCounts& counts);

}  // namespace ow::cli

#endif  // OW_CLI_HEAT_MAP_H_
