// SPDX-License-Identifier: Apache-2.0
// The machine of a command: the flags that say which, and what is shown while it is set up.
#ifndef OW_CLI_MACHINE_OPTIONS_H_
#define OW_CLI_MACHINE_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"
#include "ow/open/machine.h"

namespace ow::cli {

// --machine.
void add_machine(CLI::App* sub, MachineFlags* flags);
// --wafer, --defects, --accept-smaller: shorthands for a wafer.
void add_wafer_flags(CLI::App* sub, MachineFlags* flags);

// Goes on as the program that has this machine, if `ow` has not got it and the program is built.
// Call it before anything is read.
void find_program(const Context& context, const MachineSpec& spec);
// BadInput with the build command, if this program does not have the machine.
void need_program(const MachineSpec& spec);

// How a command opens its machine. A wafer's bring-up goes to the terminal, to `json`, and as a
// picture to the file `svg` (empty: no picture).
MachineOptions machine_options(const MachineSpec& spec, const SimOptions& sim,
                               const std::string& svg, nlohmann::json* json);

// A bring-up with its progress on the terminal. `thorough`: with all programs of the self-test.
wafer::Bringup bring_up_wafer(wafer::WaferDevice& device, bool mini, bool thorough,
                              const wafer::WaferPart& part);

}  // namespace ow::cli

#endif  // OW_CLI_MACHINE_OPTIONS_H_
