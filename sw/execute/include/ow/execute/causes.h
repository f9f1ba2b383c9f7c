// SPDX-License-Identifier: Apache-2.0
// Where time went, by cause, for metrics and reports: in the tiles (stalls) and outside the wafer
// (waits).
#ifndef OW_EXECUTE_CAUSES_H_
#define OW_EXECUTE_CAUSES_H_

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ow/device/edge_link.h"
#include "ow/device/tile_map.h"
#include "ow/runtime/counters.h"

namespace ow::jobs {

// A stall counter of a tile. Its JSON key is the counter's name in the description of the machine.
struct StallCause {
  Counter counter;
  const char* name;
};
// In each cycle an engine either does a beat or counts one of the first five. The reducer counts
// its waits independently.
constexpr std::array<StallCause, 6> kStallCauses = {{{kCtrStallInput, "input queue"},
                                                     {kCtrStallOutput, "output queue"},
                                                     {kCtrStallRow, "accumulator row"},
                                                     {kCtrStallMemory, "memory"},
                                                     {kCtrNoWork, "no work"},
                                                     {kCtrReducerWait, "reducer waits"}}};

nlohmann::json stalls_json(const Counters& counters);
nlohmann::json waits_json(const EdgeWaits& waits);
// "120 input queue, 0 output queue, ...", each divided by `times`.
std::string stalls_text(const Counters& counters, uint64_t times = 1);
// "120 edge, 0 store, ...", each divided by `times`.
std::string waits_text(const EdgeWaits& waits, uint64_t times = 1);

// Adds what was counted since `before` to `sum`: by a tile, or by all tiles of a grid together.
void add_counters(const Counters& before, const Counters& after, Counters* sum);
void add_counters(const std::vector<Counters>& before, const std::vector<Counters>& after,
                  Counters* sum);

}  // namespace ow::jobs

#endif  // OW_EXECUTE_CAUSES_H_
