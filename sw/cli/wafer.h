// SPDX-License-Identifier: Apache-2.0
// Simulated wafers for the subcommands: options, what is shown of a bring-up, files.
#ifndef OW_CLI_WAFER_H_
#define OW_CLI_WAFER_H_

#include <memory>
#include <string>

#include "cli.h"
#include "ow/open/wafer.h"

namespace ow::cli {

// A bring-up of a simulated wafer; shows the steps. `thorough`: with all programs of the self-test.
wafer::Bringup bring_up_wafer(wafer::WaferDevice& device, bool mini, bool thorough,
                              const wafer::WaferPart& part);

// What was found, to the terminal and as JSON.
void print_bringup(const wafer::Shape& shape, const wafer::Bringup& result);
nlohmann::json bringup_json(const wafer::Shape& shape, const wafer::Bringup& result);

// A wafer that is ready to run: brought up, with the steps and what was found on the terminal and
// in `json`, and a picture in `svg` (empty: none); or with a saved map. DeviceFault if it is
// refused.
std::unique_ptr<Device> open_wafer(wafer::WaferSource source, const std::string& svg = "",
                                   nlohmann::json* json = nullptr);

// A picture of what a bring-up has found and made.
void write_svg(const std::string& path, const wafer::Shape& shape, const wafer::Bringup& result);

}  // namespace ow::cli

#endif  // OW_CLI_WAFER_H_
