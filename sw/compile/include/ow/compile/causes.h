// SPDX-License-Identifier: Apache-2.0
// What time went by for, by cause, as metrics and reports have it: in the tiles (stalls), and
// outside the wafer (waits).
#ifndef OW_COMPILE_CAUSES_H_
#define OW_COMPILE_CAUSES_H_

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "ow/device/edge_link.h"
#include "ow/runtime/program.h"

namespace ow::jobs {

// A stall counter of a tile; its key in JSON is the counter's name in the description of the
// machine.
struct StallCause {
  Counter counter;
  const char* name;
};
// A cycle of an engine is a beat or one of the first five; the reducer waits beside them.
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
// "120 edge, 0 store, ...", likewise.
std::string waits_text(const EdgeWaits& waits, uint64_t times = 1);

// What has been counted since `before` is added to `sum`.
void add_counters(const Counters& before, const Counters& after, Counters* sum);
// Of all tiles together.
Counters sum_counters(ControlPlane& control);

}  // namespace ow::jobs

#endif  // OW_COMPILE_CAUSES_H_
