// SPDX-License-Identifier: Apache-2.0
// The simulated devices: the replicated engine (one Verilated tile, instantiated for every tile of
// the grid) and the monolithic top.
#ifndef OW_SIM_H_
#define OW_SIM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ow/device/device.h"

namespace ow {

enum class DeviceKind {
  Replicated,  // any shape
  Monolithic   // only the shapes that were built (2x2), in programs that link ow_mono
};

// Loses credits on one link: `count` credits of `colour` that tile (row, col) sends through `side`,
// starting with the nth (from 0). Replicated engine only; for tests of the hang report.
struct CreditFault {
  int row = 0;
  int col = 0;
  Side side = Side::North;
  int colour = 0;
  uint64_t nth = 0;
  uint64_t count = 1;
};

// Waves (FST) of some cycles of a run. Needs a build of the simulator with waves (ow-wave).
struct Waves {
  std::string file;                        // empty: none
  uint64_t from = 0, to = ~uint64_t{0};    // the first and the last cycle
  std::vector<std::pair<int, int>> tiles;  // row and column; empty: all
};

// A word on the link at `side` of a tile in this cycle (ow/device/link_word.h). Each word is
// reported once: where the tile sends it, or (`in`) where it comes from beyond the edge of the
// grid.
struct TileWord {
  uint64_t cycle;
  int row, col;
  Side side;
  bool in;
  uint64_t word;
};

struct SimOptions {
  bool checked = true;        // the assertions of the hardware; one that fails is a DeviceFault
  bool check_idle = false;    // evaluate idle tiles too and fail if any state changes
  bool skip_idle = true;      // do not evaluate idle tiles that get no input
  bool toggle_clock = false;  // drive both edges of every clock: slower, the reference for tests
  std::optional<CreditFault> drop_credit;
  std::string record_file;  // a recording of the run (recording.h); empty: none
  Waves waves;
  // Called for each word on a link, if it is set. Replicated engine only.
  std::function<void(const TileWord&)> on_word;
};

std::unique_ptr<Device> make_device(DeviceKind kind, GridShape shape,
                                    const SimOptions& options = SimOptions());

// Whether this program has the monolithic device. Without it, make_device() refuses it as bad
// input.
bool has_monolithic();

// "replicated", "monolithic"; BadInput for anything else.
DeviceKind parse_device_kind(const std::string& name);

}  // namespace ow

#endif  // OW_SIM_H_
