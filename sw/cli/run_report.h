// SPDX-License-Identifier: Apache-2.0
// What `ow run` shows of a job of either kind: before, while and after it runs.
#ifndef OW_CLI_RUN_REPORT_H_
#define OW_CLI_RUN_REPORT_H_

#include <string>

#include "cli.h"
#include "ow/execute/run_job.h"

namespace ow::cli {

// Says that a checked job is valid: its samples, the memory of a tile, and its plan.
void print_valid(Context& context, const jobs::Job& job, jobs::Compiled& compiled);

// jobs::execute with its progress on the terminal. `speaks`: this process prints.
jobs::Report execute_shown(const jobs::Job& job, const jobs::Compiled& compiled,
                           jobs::RunOptions options, bool speaks);

// A line on standard error.
void print_warning(const std::string& what);

// Prints the report and makes it the command's result. Returns the exit status: 1 if something
// differs from the golden model, else a training's own (training_report.h).
int print_report(Context& context, const jobs::Report& report, jobs::TrainMode mode);

}  // namespace ow::cli

#endif  // OW_CLI_RUN_REPORT_H_
