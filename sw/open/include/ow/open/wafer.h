// SPDX-License-Identifier: Apache-2.0
// Simulated wafers that are ready to run: brought up and repaired, or set up by a map that was
// saved.
#ifndef OW_OPEN_WAFER_H_
#define OW_OPEN_WAFER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ow/sim/wafer.h"
#include "ow/wafer/bringup.h"

namespace ow::wafer {

// Which part of the wafer a bring-up sets up: all of it, a window, or the largest rectangle that
// works.
struct WaferPart {
  std::optional<Window> window;
  bool accept_smaller = false;
};

// What a bring-up needs to know of a good tile, full or `mini`: its size, its self-test, and what
// that gives. `thorough`: all programs of the self-test. `firmware`: the directory of its ELF
// files.
BringupOptions selftest_options(bool mini, bool thorough, const std::string& firmware);

struct WaferSource {
  std::string wafer;    // configuration (YAML)
  std::string defects;  // faults to be put into it; empty: none
  std::string map;      // a saved repair map; empty: bring the wafer up
  WaferPart part;
  SimOptions sim;                                    // the engine, its width and threads
  std::string firmware;                              // directory of the self-test's ELF files
  std::function<void(const std::string&)> progress;  // called when a step of bring-up begins
};

struct ReadyWafer {
  std::string description;         // of the whole wafer
  std::unique_ptr<Device> device;  // with the logical tiles of its map; null if it was refused
  std::string refusal;             // why: one line
  Shape shape;
  std::optional<Bringup> bringup;  // none with a saved map
  uint64_t cycles = 0;             // that bring-up took
};

// What stands behind "wafer:" in a machine's name: FILE[,OPTION]..., where an option is
// defects=FILE, map=FILE, window=ROWSxCOLUMNS[@ROW,COLUMN], accept-smaller, engine=NAME or
// threads=N, each at most once; a map excludes a window and accept-smaller. A comma ends a file's
// name, unless a backslash stands before it. `firmware` is left empty. BadInput for anything else,
// beginning with `name`, or the whole string.
WaferSource parse_source(const std::string& spec, const std::string& name = "");

// ROWSxCOLUMNS, or ROWSxCOLUMNS@ROW,COLUMN of its first tile (0,0); nothing if it is neither.
std::optional<Window> parse_window(const std::string& text);

// BadInput for files that are wrong, or a map of another wafer.
ReadyWafer ready_wafer(const WaferSource& source);

WaferMap read_map(const std::string& path);

// A rectangle of a simulated wafer's logical tiles as a device of its own. Its ports are those of
// the wafer that lie before it; a side of the window that is not a side of the wafer has none.
std::unique_ptr<Device> window_device(std::unique_ptr<WaferDevice> wafer, const Window& window);

}  // namespace ow::wafer

#endif  // OW_OPEN_WAFER_H_
