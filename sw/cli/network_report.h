// SPDX-License-Identifier: Apache-2.0
// What `ow run` says of a network that was run: for people, and as JSON (docs/commands.md).
#ifndef OW_CLI_NETWORK_REPORT_H_
#define OW_CLI_NETWORK_REPORT_H_

#include <nlohmann/json.hpp>

#include "ow/execute/network_run.h"

namespace ow::cli {

nlohmann::json report_json(const jobs::RunReport& report);
void print_report(const jobs::RunReport& report);

}  // namespace ow::cli

#endif  // OW_CLI_NETWORK_REPORT_H_
