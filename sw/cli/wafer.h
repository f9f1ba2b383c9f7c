// SPDX-License-Identifier: Apache-2.0
// Simulated wafers for the subcommands: brought up, or with a map that was saved.
#ifndef OW_CLI_WAFER_H_
#define OW_CLI_WAFER_H_

#include <memory>
#include <string>

#include "cli.h"
#include "ow/wafer/bringup.h"
#include "ow/wafer/sim.h"

namespace ow::cli {

// A bring-up of the simulated wafer of `shape` with these faults in it; prints the steps.
wafer::Bringup bring_up_wafer(wafer::WaferDevice& device, const std::string& selftest, bool mini);

// What was found, to the terminal and as JSON.
void print_bringup(const wafer::Shape& shape, const wafer::Bringup& result);
nlohmann::json bringup_json(const wafer::Shape& shape, const wafer::Bringup& result);

struct WaferSource {
  std::string wafer;    // configuration (YAML)
  std::string defects;  // faults to be put into it; empty: none
  std::string map;      // a saved repair map; empty: bring the wafer up
};

// A wafer that is ready to run: brought up (DeviceFault if it is refused), or with the map's fuses.
std::unique_ptr<wafer::WaferDevice> ready_wafer(const WaferSource& source, wafer::Shape* shape);

wafer::WaferMap read_map(const std::string& path);

}  // namespace ow::cli

#endif  // OW_CLI_WAFER_H_
