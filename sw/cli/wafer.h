// SPDX-License-Identifier: Apache-2.0
// Simulated wafers for the subcommands: brought up, or with a map that was saved.
#ifndef OW_CLI_WAFER_H_
#define OW_CLI_WAFER_H_

#include <memory>
#include <optional>
#include <string>

#include "cli.h"
#include "ow/wafer/bringup.h"
#include "ow/wafer/sim.h"

namespace ow::cli {

// Which part of the wafer a bring-up sets up: all of it, a window, or the largest rectangle that
// works.
struct WaferPart {
  std::optional<wafer::Window> window;
  bool accept_smaller = false;
};
// ROWSxCOLUMNS, or ROWSxCOLUMNS@ROW,COLUMN of its first tile (0,0). BadInput if it is neither.
wafer::Window read_window(const std::string& text);

// What a bring-up needs to know of a good tile, full or `mini`: its size, its self-test, and what
// that gives. `thorough`: all programs of the self-test.
wafer::BringupOptions selftest_options(bool mini, bool thorough);

// A bring-up of a simulated wafer; shows the steps. `thorough`: with all programs of the self-test.
wafer::Bringup bring_up_wafer(wafer::WaferDevice& device, bool mini, bool thorough,
                              const WaferPart& part);

// What was found, to the terminal and as JSON.
void print_bringup(const wafer::Shape& shape, const wafer::Bringup& result);
nlohmann::json bringup_json(const wafer::Shape& shape, const wafer::Bringup& result);

struct WaferSource {
  std::string wafer;    // configuration (YAML)
  std::string defects;  // faults to be put into it; empty: none
  std::string map;      // a saved repair map; empty: bring the wafer up
  std::string svg;      // a picture of what was found; empty: none
  WaferPart part;
};

// A wafer that is ready to run: brought up (DeviceFault if it is refused), or with the map's fuses.
// The device has the logical tiles of its map. `json` gets what bring-up found.
std::unique_ptr<Device> ready_wafer(const WaferSource& source, nlohmann::json* json = nullptr);

// A picture of what a bring-up has found and made.
void write_svg(const std::string& path, const wafer::Shape& shape, const wafer::Bringup& result);

wafer::WaferMap read_map(const std::string& path);

}  // namespace ow::cli

#endif  // OW_CLI_WAFER_H_
