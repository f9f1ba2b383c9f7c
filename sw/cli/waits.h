// SPDX-License-Identifier: Apache-2.0
// What a grid waited for outside the wafer, as text and as JSON.
#ifndef OW_CLI_WAITS_H_
#define OW_CLI_WAITS_H_

#include <nlohmann/json.hpp>
#include <string>

#include "ow/device/edge_link.h"

namespace ow::cli {

nlohmann::json waits_json(const EdgeWaits& waits);
// "120 edge, 0 store, ...", each divided by `times`.
std::string waits_text(const EdgeWaits& waits, uint64_t times = 1);

}  // namespace ow::cli

#endif  // OW_CLI_WAITS_H_
