// SPDX-License-Identifier: Apache-2.0
// The files that the string of a machine names.
#ifndef OW_CLI_MACHINE_FILES_H_
#define OW_CLI_MACHINE_FILES_H_

#include <vector>

#include "cli.h"
#include "ow/open/machine.h"

namespace ow::cli {

// For Context::check_files, by the flag that the string, or the file, was given with. A saved run
// that is read may be replaced by that of the run that goes on.
struct MachineFiles {
  std::vector<File> read, written;
};
MachineFiles files_of(const MachineSpec& spec);

}  // namespace ow::cli

#endif  // OW_CLI_MACHINE_FILES_H_
