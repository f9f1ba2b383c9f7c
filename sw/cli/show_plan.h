// SPDX-License-Identifier: Apache-2.0
// What `ow run --compile-only` prints of a plan.
#ifndef OW_CLI_SHOW_PLAN_H_
#define OW_CLI_SHOW_PLAN_H_

#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace ow::cli {

// Prints a document of plan_file.h, makes it the command's result, and writes it to `path` unless
// that is empty.
void show_plan(Context& context, const nlohmann::json& plan, const std::string& path);

}  // namespace ow::cli

#endif  // OW_CLI_SHOW_PLAN_H_
