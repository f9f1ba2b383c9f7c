// SPDX-License-Identifier: Apache-2.0
// The registers of a tile (docs/memory-map.md), decoded: router, queues, threads, tasks and core.
// Everything is read through the control plane; the cores are not changed.
#ifndef OW_TILE_STATE_H_
#define OW_TILE_STATE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "openwafer/route.h"
#include "ow/device/control_plane.h"
#include "ow/device/tile_map.h"
#include "ow/diagnose/tile_error.h"
#include "ow/runtime/cores.h"

namespace ow {

// A colour in a router.
struct ColourState {
  std::optional<Route> route;  // the route in effect
  int position = 0;            // of its switch
  int last_position = 0;       // 0: it is not switched
  bool torn = false;           // torn down by a command
  bool occupied = false;       // wavelets of it wait here
  bool misrouted = false;      // one arrived at a port that is not the route's input
  std::array<int, 4> credits{kLinkCredits, kLinkCredits, kLinkCredits, kLinkCredits};  // N E S W
};

struct QueueState {
  std::optional<int> colour;  // bound to it
  int level = 0;              // wavelets in it
};

using isa::ThreadWait;
struct ThreadState {
  bool active = false;
  ThreadWait waits = ThreadWait::Nothing;
  int queue = 0;      // that it waits for
  int operation = 0;  // docs/isa.md
};
constexpr int kOperationAxpyw = static_cast<int>(isa::TensorOp::Axpyw);
// Whether an operation works on one inner vector at a time, which others wait for.
bool is_reduction(int operation);
// The mnemonic of an operation, or "operation 100".
std::string operation_name(int operation);

using isa::ReducerWait;
struct ReducerState {
  bool running = false;
  ReducerWait waits = ReducerWait::Nothing;
  int done = 0;                 // rows
  std::set<int> in0, in1, out;  // queues that its actions name
};

struct TaskState {
  uint32_t entry = 0;
  bool pending = false;  // activated
  bool blocked = false;
};

struct TileState {
  int row = 0;
  int col = 0;
  std::array<ColourState, kMaxDataColours> colour{};
  std::array<QueueState, kNumQueues> inq{};
  std::array<QueueState, kNumQueues> outq{};
  std::array<TaskState, kNumTasks> task{};
  std::optional<int> task_running;
  ReducerState reducer;
  CoreState core;
  TileError error;
  std::vector<ThreadState> thread;
  // Counts of everything that moves in a tile: beats, sums of the reducer, instructions, wavelets.
  std::array<uint64_t, 5> progress{};

  // Between readings of a grid that still moves: whether any count grew or the core moved, whether
  // the core executed instructions, and where it was.
  bool moved = false;
  bool computes = false;
  std::set<uint32_t> pcs;

  const ColourState& of(int c) const { return colour[static_cast<size_t>(c)]; }
  bool any_thread() const;
  // The queue bound to a colour.
  std::optional<int> inq_of(int c) const;
  std::optional<int> outq_of(int c) const;
  // A core that runs and is neither asleep nor at a tensor instruction. It executes, or it waits to
  // put something into an output queue.
  bool core_busy() const { return core.running && !core.asleep && !core.waits_tensor; }
};

// The tiles of a rectangle, row by row. DeviceFault if a tile does not answer.
std::vector<TileState> read_tile_states(ControlPlane& control, const Rect& rect);

}  // namespace ow

#endif  // OW_TILE_STATE_H_
