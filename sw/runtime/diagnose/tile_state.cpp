// SPDX-License-Identifier: Apache-2.0
#include "ow/diagnose/tile_state.h"
#include "ow/device/tile_map.h"
#include "ow/runtime/counters.h"
#include "ow/runtime/routes.h"
#include "ow/runtime/tile_config.h"

#include <algorithm>

#include <fmt/format.h>

namespace ow {
namespace {

namespace reg = isa::reg;

constexpr bool bit(uint32_t word, size_t at) { return (word >> at & 1) != 0; }

using Words = std::vector<uint32_t>;

// Registers read from a tile, in the order of Part. Registers that a build lacks are not read.
enum Part {
  kRoutes,
  kInqs,
  kOutqs,
  kInqLevels,
  kOutqLevels,
  kEntries,
  kPending,
  kBlocked,
  kRunning,
  kActLt,
  kActEq,
  kActGt,
  kReducer,
  kCorePc,
  kCoreStatus,
  kCoreTval,
  kError,
  kThreads,
  kOccupied,
  kMisrouted,
  kCredits,
  kSwitches,
  kCounts,
  kParts
};
struct Range {
  uint32_t addr;
  size_t n;
};
std::vector<Range> ranges_of(const TileSize& config) {
  const size_t threads = static_cast<size_t>(std::clamp(config.threads, 1, isa::kMaxThreads));
  const size_t colours = static_cast<size_t>(std::clamp(config.colours, 1, kMaxDataColours));
  std::vector<Range> ranges(kParts);
  ranges[kRoutes] = {reg::Route::kAddress, colours};
  ranges[kInqs] = {reg::Inq::kAddress, kNumQueues};
  ranges[kOutqs] = {reg::Outq::kAddress, kNumQueues};
  ranges[kInqLevels] = {reg::InqLevel::kAddress, 1};
  ranges[kOutqLevels] = {reg::OutqLevel::kAddress, 1};
  ranges[kEntries] = {reg::TaskEntry::kAddress, kNumTasks};
  ranges[kPending] = {reg::TaskActivate::kAddress, 1};
  ranges[kBlocked] = {reg::TaskBlock::kAddress, 1};
  ranges[kRunning] = {reg::TaskRunning::kAddress, 1};
  ranges[kActLt] = {reg::RedActLt::kAddress, 1};
  ranges[kActEq] = {reg::RedActEq::kAddress, 1};
  ranges[kActGt] = {reg::RedActGt::kAddress, 1};
  ranges[kReducer] = {reg::RedStatus::kAddress, 1};
  ranges[kCorePc] = {reg::CorePc::kAddress, 1};
  ranges[kCoreStatus] = {reg::CoreStatus::kAddress, 1};
  ranges[kCoreTval] = {reg::CoreTval::kAddress, 1};
  ranges[kError] = {reg::Error::kAddress, 3};  // ERROR_ADDR and ERROR_PC follow it
  ranges[kThreads] = {reg::Thread::kAddress, threads};
  ranges[kOccupied] = {reg::RtOccupied::kAddress, 1};
  ranges[kMisrouted] = {reg::RtMisroute::kAddress, 1};
  ranges[kCredits] = {reg::RtCredits::kAddress, reg::RtCredits::kCount};
  ranges[kSwitches] = {reg::Switch::kAddress, colours};
  ranges[kCounts] = {reg::Counter::kAddress, 2 * kNumCounters};  // low and high word in turn
  return ranges;
}

// ROUTE, SWITCH, RT_OCCUPIED, RT_MISROUTE and RT_CREDITS.
void decode_router(const Words* w, TileState* t) {
  const uint32_t occupied = w[kOccupied][0], misrouted = w[kMisrouted][0];
  for (size_t c = 0; c < w[kRoutes].size(); ++c) {
    ColourState& s = t->colour[c];
    Route route;
    if (parse_route(w[kRoutes][c], &route)) s.route = route;
    s.last_position = static_cast<int>(reg::Switch::Last::get(w[kSwitches][c]));
    s.position = static_cast<int>(reg::Switch::Current::get(w[kSwitches][c]));
    s.torn = reg::Switch::Torn::get(w[kSwitches][c]);
    s.occupied = bit(occupied, c);
    s.misrouted = bit(misrouted, c);
    for (size_t p = 0; p < 4; ++p) {
      s.credits[p] =
          static_cast<int>(reg::RtCredits::Credits::get(w[kCredits][4 * p + c / 8], c % 8));
    }
  }
}

// INQ, OUTQ and their levels.
void decode_queues(const Words* w, TileState* t) {
  for (size_t q = 0; q < kNumQueues; ++q) {
    const uint32_t in = w[kInqs][q], out = w[kOutqs][q];
    if (reg::Inq::Enable::get(in)) t->inq[q].colour = static_cast<int>(reg::Inq::Colour::get(in));
    if (reg::Outq::Enable::get(out)) {
      t->outq[q].colour = static_cast<int>(reg::Outq::Colour::get(out));
    }
    t->inq[q].level = static_cast<int>(reg::InqLevel::Level::get(w[kInqLevels][0], q));
    t->outq[q].level = static_cast<int>(reg::OutqLevel::Level::get(w[kOutqLevels][0], q));
  }
}

// TASK_ENTRY, ACTIVATE, BLOCK, TASK_RUNNING.
void decode_tasks(const Words* w, TileState* t) {
  const uint32_t running = w[kRunning][0];
  for (size_t k = 0; k < kNumTasks; ++k) {
    t->task[k].entry = w[kEntries][k];
    t->task[k].pending = bit(w[kPending][0], k);
    t->task[k].blocked = bit(w[kBlocked][0], k);
  }
  if (reg::TaskRunning::Running::get(running)) {
    t->task_running = static_cast<int>(reg::TaskRunning::Task::get(running));
  }
}

// RED_STATUS, and the queues of the three actions.
void decode_reducer(const Words* w, ReducerState* r) {
  const uint32_t status = w[kReducer][0];
  using Action = isa::RedAction;
  r->running = reg::RedStatus::Running::get(status);
  r->waits = static_cast<ReducerWait>(reg::RedStatus::Waits::get(status));
  r->done = static_cast<int>(reg::RedStatus::Rows::get(status));
  for (const Part part : {kActLt, kActEq, kActGt}) {
    const uint32_t a = w[part][0];
    if (!Action::Enable::get(a)) continue;
    if (Action::In0::get(a)) r->in0.insert(static_cast<int>(Action::In0Q::get(a)));
    if (Action::In1::get(a)) r->in1.insert(static_cast<int>(Action::In1Q::get(a)));
    if (!Action::Memory::get(a)) r->out.insert(static_cast<int>(Action::OutQ::get(a)));
  }
}

ThreadState decode_thread(uint32_t word) {
  ThreadState s;
  s.active = reg::Thread::Active::get(word);
  s.waits = static_cast<ThreadWait>(reg::Thread::Waits::get(word));
  s.queue = static_cast<int>(reg::Thread::Queue::get(word)) % kNumQueues;
  s.operation = static_cast<int>(reg::Thread::Operation::get(word));
  return s;
}

void decode(const Words* w, TileState* t) {
  decode_router(w, t);
  decode_queues(w, t);
  decode_tasks(w, t);
  decode_reducer(w, &t->reducer);
  t->core = parse_core_state(w[kCorePc][0], w[kCoreStatus][0], w[kCoreTval][0]);
  t->error = parse_error(w[kError][0], w[kError][1], w[kError][2]);
  for (uint32_t word : w[kThreads]) t->thread.push_back(decode_thread(word));
  constexpr Counter kMoves[] = {kCtrBeats, kCtrReducerElements, kCtrInstructions, kCtrWaveletsIn,
                                kCtrWaveletsOut};
  const Counters counters = parse_counters(w[kCounts]);
  for (size_t k = 0; k < t->progress.size(); ++k) t->progress[k] = counters[kMoves[k]];
}

}  // namespace

std::string operation_name(int operation) {
  if (const char* name = isa::name_of(static_cast<isa::TensorOp>(operation))) return name;
  return fmt::format("operation {}", operation);
}

bool is_reduction(int operation) {
  switch (static_cast<isa::TensorOp>(operation)) {
    case isa::TensorOp::Dot:
    case isa::TensorOp::Sum:
    case isa::TensorOp::RMax:
    case isa::TensorOp::RMin:
    case isa::TensorOp::Dotw:
      return true;
    default:
      return false;
  }
}

bool TileState::any_thread() const {
  return std::any_of(thread.begin(), thread.end(), [](const ThreadState& s) { return s.active; });
}

namespace {
std::optional<int> bound_to(const std::array<QueueState, kNumQueues>& queues, int c) {
  for (int q = 0; q < kNumQueues; ++q) {
    if (queues[static_cast<size_t>(q)].colour == c) return q;
  }
  return std::nullopt;
}
}  // namespace

std::optional<int> TileState::inq_of(int c) const { return bound_to(inq, c); }
std::optional<int> TileState::outq_of(int c) const { return bound_to(outq, c); }

std::vector<TileState> read_tile_states(ControlPlane& control, const Rect& rect) {
  const std::vector<Range> ranges = ranges_of(read_tile_size(control, rect.row, rect.col));
  std::vector<ControlPlane::ReadRequest> requests;
  // Column by column, so that answers leave at all grid rows at once.
  for (int c = 0; c < rect.cols; ++c) {
    for (int r = 0; r < rect.rows; ++r) {
      for (const Range& range : ranges) {
        requests.push_back({rect.row + r, rect.col + c, range.addr, range.n});
      }
    }
  }
  const std::vector<Words> words = control.read_many(requests);
  std::vector<TileState> tiles(static_cast<size_t>(rect.rows * rect.cols));
  size_t k = 0;
  for (int c = 0; c < rect.cols; ++c) {
    for (int r = 0; r < rect.rows; ++r, k += ranges.size()) {
      TileState& t = tiles[static_cast<size_t>(r * rect.cols + c)];
      t.row = rect.row + r;
      t.col = rect.col + c;
      decode(&words[k], &t);
    }
  }
  return tiles;
}

}  // namespace ow
