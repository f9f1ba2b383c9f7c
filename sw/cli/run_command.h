// SPDX-License-Identifier: Apache-2.0
// The options of `ow run`, and which of them suit which job.
#ifndef OW_CLI_RUN_COMMAND_H_
#define OW_CLI_RUN_COMMAND_H_

#include <string>

#include "cli.h"
#include "ow/execute/run_job.h"
#include "ow/open/machine.h"

namespace ow::cli {

struct RunCommand {
  RunCommand() { sim.checked = false; }

  std::string job;  // its file
  MachineFlags machine;
  SimOptions sim;  // of a simulated grid
  std::string svg;
  std::string heat_map;  // file of the picture; empty: none
  std::string mode = "eval";
  std::string resume;  // empty: no; "true"; "auto": if there is something to resume
  int wafers = 0;      // 0: as the job says
  bool validate_only = false;
  bool compile_only = false;
  jobs::RunOptions run;  // what the job is compiled and executed with
};

void add_run_options(CLI::App* sub, RunCommand* c);

// The recording that the machine's name asks for; BadInput if --record is given too.
void take_recording(const MachineSpec& machine, RunCommand* c);

// Refuses options that do not suit the job or the machine.
void check_options(const RunCommand& c, const MachineSpec& machine, const jobs::Job& job);

// Refuses files that cannot be written or would be replaced, before anything takes time.
void check_files(Context* context, const RunCommand& c, const MachineSpec& machine,
                 const jobs::Job& job);

// Fills in what the options leave open: tiles, program, models.
void complete(const MachineSpec& machine, const jobs::Job& job, RunCommand* c);

}  // namespace ow::cli

#endif  // OW_CLI_RUN_COMMAND_H_
