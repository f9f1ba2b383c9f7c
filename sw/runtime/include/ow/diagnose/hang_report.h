// SPDX-License-Identifier: Apache-2.0
// The hang report. When a job is not done and nothing moves any more, or its time is over, it says
// which tiles, colours, threads and cores wait, for what, and why. It reads everything through the
// control plane.
#ifndef OW_HANG_REPORT_H_
#define OW_HANG_REPORT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ow/device/control_plane.h"
#include "ow/diagnose/tile_state.h"
#include "ow/runtime/elf.h"

namespace ow {

enum class HangCause {
  NoConsumer,       // a colour reaches a ramp where no input queue is bound to it
  NoTask,           // an input queue holds wavelets that no thread, reducer or task takes
  NoRoute,          // wavelets wait in a router that has no route for their colour
  RouteCycle,       // the routes of a colour form a ring
  Misroute,         // a wavelet came in at another port than the route's input
  LostCredit,       // credits are missing although the receiver's buffer is empty
  NotSelected,      // wavelets wait for a switch that takes its input from elsewhere
  TornDown,         // wavelets wait for a colour that a command has torn down
  EdgeBlocked,      // the host does not take what leaves the grid
  UnboundInput,     // a thread or the reducer waits on an input queue that is bound to no colour
  UnboundOutput,    // output queue in use that is bound to no colour
  OutputNotRouted,  // output queue bound to a colour whose route does not start at this ramp
  NoUpstream,       // waits for wavelets of a colour that nobody sends any more
  RowNotDrained,    // axpyw waits for an accumulator row that no reducer frees
  RowNotClosed,     // the reducer waits for a row that is never closed
  TaskBlocked,      // an activated or data-ready task is blocked
  TaskNoEntry,      // an activated task has no entry address
  CoreTrapped,      // the core stopped by a trap
  CoreHalted,       // the core is not running
  CoreBreak,        // the core stopped at an ebreak
  CoreComputes,     // the core executes instructions and has not ended
  CoreWaits,        // the core waits at an instruction, and no queue says why
  WaitCycle,        // units wait for each other in a ring
  EngineFault,      // a tensor instruction was refused
  ReducerFault,     // a drain with bad registers or addresses
  QueueMisuse,      // an output queue was overrun, or an input queue read by two
  CoreBusy,         // a task is ready, and the core has not ended what it does
  TensorWait,       // the core waits for a tensor instruction (whose thread has its own line)
  ReductionWait,    // a reduction waits for another one (whose thread has its own line)
  Downstream,       // waits for the next tile on the route, which has its own line
  HostUnsent        // the host has wavelets that the grid does not take
};
const char* hang_cause_name(HangCause cause);

struct Diagnosis {
  HangCause cause;
  int row = -1;
  int col = -1;
  int colour = -1;  // -1: not about a colour
  int queue = -1;
  int thread = -1;
  bool output = false;  // the queue is an output queue
  bool root = false;    // a cause, not a consequence of another line
  std::string text;     // without the tile
};

// What cores without a diagnosis do: one text for several tiles.
struct IdleCores {
  std::vector<std::pair<int, int>> tiles;  // row, column
  std::string text;
};

struct HangReport {
  uint64_t cycle = 0;
  bool moving = false;               // the grid still moves: it was stopped at a limit
  std::vector<TileState> tiles;      // row by row
  std::vector<Diagnosis> diagnoses;  // root causes first
  std::vector<IdleCores> cores;

  bool has(HangCause cause) const;
  // The first diagnosis of the cause at the tile (row, col < 0: anywhere), or null.
  const Diagnosis* find(HangCause cause, int row = -1, int col = -1, int colour = -1) const;
  // One line per diagnosis. Tiles with the same text share a line.
  std::string text() const;
};

// The firmware of a rectangle of tiles.
struct LoadedImage {
  Rect rect;
  const ElfImage* image = nullptr;
};
using LoadedImages = std::vector<LoadedImage>;

// Reads the state of every tile and says why nothing moves. If something moves, it reads the states
// several times within a few thousand cycles, and whatever makes no progress meanwhile counts as
// waiting. The images turn PCs into function names and source lines. The cores are not changed.
HangReport make_hang_report(ControlPlane& control, const LoadedImages& images);
HangReport make_hang_report(ControlPlane& control,
                            const ElfImage* image = nullptr);  // of all tiles

}  // namespace ow

#endif  // OW_HANG_REPORT_H_
