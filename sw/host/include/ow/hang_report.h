// SPDX-License-Identifier: Apache-2.0
// When nothing moves any more and the job is not done: which tiles, colours, threads and PCs wait,
// for what, and why. Everything is read through the control plane.
#ifndef OW_HANG_REPORT_H_
#define OW_HANG_REPORT_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ow/control_plane.h"
#include "ow/elf.h"
#include "ow/program.h"
#include "ow/tile_error.h"

namespace ow {

// Everything that the report knows of a tile, as read.
struct TileState {
  int row = 0;
  int col = 0;
  std::array<uint32_t, kMaxDataColours> route{};     // ROUTE: what is in effect
  std::array<uint32_t, kMaxDataColours> switched{};  // SWITCH
  std::array<uint32_t, kNumQueues> inq{};
  std::array<uint32_t, kNumQueues> outq{};
  std::array<int, kNumQueues> inq_level{};
  std::array<int, kNumQueues> outq_level{};
  std::array<uint32_t, kNumTasks> task_entry{};
  uint32_t task_pending = 0;
  uint32_t task_blocked = 0;
  uint32_t task_running = 0;
  std::array<uint32_t, 3> red_action{};  // LT, EQ, GT
  uint32_t red_status = 0;
  CoreState core;
  TileError error;
  std::array<uint32_t, 16> thread{};
  uint32_t occupied = 0;
  uint32_t misroute = 0;
  std::array<std::array<uint8_t, kMaxColours>, 4> credits{};  // [port][colour]
};

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
  EngineFault,      // a tensor instruction was refused
  ReducerFault,     // a drain with bad registers or addresses
  QueueMisuse,      // an output queue was overrun, or an input queue read by two
  TensorWait,       // the core waits for a tensor instruction (whose thread has its own line)
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
  bool root = false;  // a cause, not a consequence of another line
  std::string text;   // one line
};

struct HangReport {
  uint64_t cycle = 0;
  std::vector<TileState> tiles;      // row by row
  std::vector<Diagnosis> diagnoses;  // root causes first

  bool has(HangCause cause) const;
  // First diagnosis of the cause at the tile (row, col < 0: anywhere), or null.
  const Diagnosis* find(HangCause cause, int row = -1, int col = -1, int colour = -1) const;
  std::string text() const;
};

// Reads the state of every tile and says why nothing moves. `image`, if given, turns PCs into
// function names. The cores are left as they are.
HangReport make_hang_report(ControlPlane& control, const ElfImage* image = nullptr);

// The states alone.
std::vector<TileState> read_tile_states(ControlPlane& control, const Rect& rect);

}  // namespace ow

#endif  // OW_HANG_REPORT_H_
