// SPDX-License-Identifier: Apache-2.0
// What `ow run` prints of a plan and its file.
#ifndef OW_CLI_PLAN_REPORT_H_
#define OW_CLI_PLAN_REPORT_H_

#include <string>

#include "cli.h"
#include "ow/compile/plan_file.h"

namespace ow::cli {

// Prints the document of a file that is used or was kept, and makes it the command's result.
void show_plan(Context& context, const jobs::PlanFile& file);

// A line, if there is a file: that it is used, or is `made`, and why.
void print_plan(const jobs::PlanFile& file, const std::string& made = "made");

}  // namespace ow::cli

#endif  // OW_CLI_PLAN_REPORT_H_
