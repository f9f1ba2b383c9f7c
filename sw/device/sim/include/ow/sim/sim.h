// SPDX-License-Identifier: Apache-2.0
// The simulated devices: a grid of tiles, evaluated by one of two engines, and the monolithic top.
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

// What evaluates the tiles of a grid; all give the same results.
enum class Engine {
  Replicated,  // one Verilated model a tile; evaluates only tiles that have something to do
  Wide,        // hundreds of tiles at once (docs/simulation.md)
  Auto         // either one, by block, as it is faster
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

class GridRanks;  // ow/sim/split.h

struct SimOptions {
  Engine engine = Engine::Replicated;  // of DeviceKind::Replicated
  int width = 0;    // tiles that the wide engine has in a vector: 512, 256, 64; 0: as this CPU can
  int threads = 1;  // in each process, 1 to 256
  bool lockstep = false;      // only Engine::Wide: a tile of each block beside a Verilated one
  bool checked = true;        // the assertions of the hardware; one that fails is a DeviceFault
  bool check_idle = false;    // evaluate idle tiles too and fail if any state changes
  bool skip_idle = true;      // do not evaluate idle tiles that get no input
  bool toggle_clock = false;  // drive both edges of every clock: slower, the reference for tests
  std::optional<CreditFault> drop_credit;
  std::string record_file;          // a recording of the run (recording.h); empty: none
  std::string save_file;            // where the run is saved (saved_run.h); empty: nowhere
  uint64_t save_every = 1'000'000;  // cycles
  std::string restore_file;         // a saved run that goes on; empty: none
  // Processes that simulate the grid together, a part of its rows each; null: this one alone.
  std::shared_ptr<GridRanks> ranks;
  int first_row = 0;       // of a part, in the grid that it is a part of: for names of tiles
  int processes_here = 1;  // that simulate the grid on this computer and share its memory
  Waves waves;
  // Called for each word on a link, if it is set. Replicated engine only.
  std::function<void(const TileWord&)> on_word;
};

std::unique_ptr<Device> make_device(DeviceKind kind, GridShape shape,
                                    const SimOptions& options = SimOptions());

// In a rank other than 0: simulates parts of grids until rank 0 ends (GridRanks::serve).
int serve_parts(GridRanks* ranks);
// BadInput, which begins with `who`, if a grid has fewer rows of blocks (for the replicated engine:
// rows of tiles) than `ranks`, or the engine is not built.
void check_ranks(const std::string& who, GridShape shape, const SimOptions& options, int ranks);

// The engine's name, "replicated", "auto", "wide", or "wide-512", -256, -64. BadInput, which begins
// with `who`, for anything else.
void parse_engine(const std::string& who, const std::string& name, SimOptions* options);
// Threads of one process, of either engine, likewise.
void parse_threads(const std::string& who, const std::string& number, SimOptions* options);

// Whether the wide engine is built, for a width as SimOptions has it.
bool has_wide(int width = 0);

// Whether this program has the monolithic device. Without it, make_device() refuses it as bad
// input.
bool has_monolithic();

// "replicated", "monolithic"; BadInput for anything else.
DeviceKind parse_device_kind(const std::string& name);

}  // namespace ow

#endif  // OW_SIM_H_
