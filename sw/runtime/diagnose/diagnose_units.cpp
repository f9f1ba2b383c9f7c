// SPDX-License-Identifier: Apache-2.0
// Cores, queues, threads, reducers and tasks.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "diagnoser.h"
#include "ow/device/tile_map.h"
#include "ow/runtime/routes.h"

namespace ow {
namespace {

HangCause cause_of(const TileError& error) {
  switch (error.source) {
    case ErrorSource::Core:
      return HangCause::CoreTrapped;
    case ErrorSource::Engine:
      return HangCause::EngineFault;
    case ErrorSource::Reducer:
      return HangCause::ReducerFault;
    case ErrorSource::Ramp:
    case ErrorSource::Regs:
      break;
  }
  return error.cause == kRampNoConsumer ? HangCause::NoConsumer : HangCause::QueueMisuse;
}

// The position that a switch is in, if it is not the first.
std::string position(const ColourState& s) {
  return s.position == 0 ? "" : fmt::format(" (switch position {})", s.position);
}

std::string thread_name(const TileState& t, int id) {
  return fmt::format("thread {} ({})", id,
                     operation_name(t.thread[static_cast<size_t>(id)].operation));
}

// The tasks that wavelets of an input queue start: data and control.
bool has_task(const TileState& t, int q) {
  return t.task[static_cast<size_t>(q)].entry != 0 || t.task[static_cast<size_t>(q + 8)].entry != 0;
}

}  // namespace

std::string Diagnoser::task_name(const TileState& t, int task) const {
  const uint32_t entry = t.task[static_cast<size_t>(task)].entry;
  const ElfImage* image = image_of(t);
  return fmt::format("task {} ({})", task,
                     image != nullptr ? image->locate(entry) : fmt::format("0x{:x}", entry));
}

std::string Diagnoser::core_place(const TileState& t) const {
  return fmt::format("{}, {}", t.task_running ? task_name(t, *t.task_running) : "no task",
                     describe_pc(image_of(t), t.core.pc));
}

void Diagnoser::stopped(const TileState& t) {
  const HangCause cause = cause_of(t.error);
  Diagnosis& d = add_diagnosis(cause, &t, true, "stopped: " + t.error.describe(image_of(t)));
  if (cause == HangCause::NoConsumer) d.colour = t.error.unit;
  if (cause == HangCause::QueueMisuse) d.queue = t.error.unit;
  if (cause == HangCause::EngineFault) d.thread = t.error.unit;
  graph_.explain(unit(t, Kind::Tile));
  graph_.explain(unit(t, Kind::Core));
}

void Diagnoser::core(const TileState& t) {
  const WaitUnit self = unit(t, Kind::Core);
  if (t.core.stopped_ebreak) {
    add_diagnosis(HangCause::CoreBreak, &t, true,
                  fmt::format("the core has stopped at ebreak ({})", core_place(t)));
    graph_.explain(self);
    graph_.explain(unit(t, Kind::Tile));
    return;
  }
  if (t.computes) {
    const ElfImage* image = image_of(t);
    std::string places;
    for (uint32_t pc : t.pcs) {
      if (pc == t.core.pc) continue;
      const std::string line = image != nullptr ? image->source_line(pc) : "";
      const std::string place = line.empty() ? fmt::format("0x{:x}", pc) : line;
      if (places.find(place) == std::string::npos) places += ", " + place;
    }
    add_diagnosis(HangCause::CoreComputes, &t, true,
                  fmt::format("the core executes instructions and has not ended ({}){}",
                              core_place(t), places.empty() ? "" : "; seen at" + places.substr(1)));
    graph_.explain(self);
    graph_.explain(unit(t, Kind::Tile));
    return;
  }
  if (t.core.running && t.core.waits_tensor) {
    add_diagnosis(HangCause::TensorWait, &t, false,
                  fmt::format("the core waits for a tensor instruction ({})", core_place(t)));
    graph_.describe(self, fmt::format("the core for a tensor instruction ({})", core_place(t)));
    for (size_t i = 0; i < t.thread.size(); ++i) {
      if (t.thread[i].active) graph_.wait(self, unit(t, Kind::Thread, static_cast<int>(i)));
    }
  } else if (t.core_busy()) {
    const std::vector<int> queues = pushed_queues(t);
    const std::string who = fmt::format("the core ({})", core_place(t));
    for (int q : queues) {
      output_queue(t, q, fmt::format("{} waits to push into output queue {}", who, q), self);
    }
    if (queues.empty()) {
      add_diagnosis(HangCause::CoreWaits, &t, true,
                    who + " stands at this instruction, and no queue says why");
    }
  }
}

// The output queues into which a stalled core may want to push: the queue that the instruction
// names, or all queues that hold wavelets.
std::vector<int> Diagnoser::pushed_queues(const TileState& t) const {
  std::vector<int> queues;
  for (int q = 0; q < kNumQueues; ++q) {
    if (t.outq[static_cast<size_t>(q)].level > 0) queues.push_back(q);
  }
  const ElfImage* image = image_of(t);
  if (image == nullptr) return queues;
  // A store whose 12-bit offset is the register's.
  const uint32_t insn = image->loaded_word(t.core.pc & ~3u);
  const uint32_t offset = (insn >> 25) << 5 | (insn >> 7 & 31);
  for (int q = 0; q < kNumQueues && (insn & 0x7F) == 0x23; ++q) {
    const bool named = offset == (isa::reg::Push::address(q) & 0xFFF) ||
                       offset == (isa::reg::PushCtrl::address(q) & 0xFFF);
    if (named && t.outq[static_cast<size_t>(q)].level > 0) return {q};
  }
  return queues;
}

void Diagnoser::input_queues(const TileState& t) {
  for (int q = 0; q < kNumQueues; ++q) {
    const QueueState& s = t.inq[static_cast<size_t>(q)];
    if (s.level == 0) continue;
    const WaitUnit self = unit(t, Kind::InputQueue, q);
    const int colour = s.colour.value_or(-1);
    if (!has_task(t, q)) {
      if (t.any_thread() || t.reducer.running) {  // one of them may be the consumer
        graph_.wait(self, unit(t, Kind::Tile));
        continue;
      }
      add_diagnosis(
          HangCause::NoTask, &t, colour, true,
          fmt::format("{} wavelets of colour {} wait in input queue {}, and no thread, reducer or "
                      "task takes them",
                      s.level, colour, q))
          .queue = q;
      graph_.explain(self);
      continue;
    }
    const bool data_blocked = t.task[static_cast<size_t>(q)].blocked;
    if (data_blocked || t.task[static_cast<size_t>(q + 8)].blocked) {
      if (t.any_thread()) continue;
      add_diagnosis(HangCause::TaskBlocked, &t, colour, true,
                    fmt::format("{} wavelets wait in input queue {} for task {}, which is blocked",
                                s.level, q, data_blocked ? q : q + 8))
          .queue = q;
      graph_.explain(self);
    } else if (t.core.running && !t.core.asleep) {
      add_diagnosis(
          HangCause::CoreBusy, &t, colour, false,
          fmt::format("{} wavelets wait in input queue {} for a task, while the core is at {}",
                      s.level, q, core_place(t)))
          .queue = q;
      graph_.wait(self, unit(t, Kind::Core));
    }
  }
}

void Diagnoser::output_queues(const TileState& t) {
  for (int q = 0; q < kNumQueues; ++q) {
    const QueueState& s = t.outq[static_cast<size_t>(q)];
    if (s.level == 0) continue;
    const WaitUnit self = unit(t, Kind::OutputQueue, q);
    const bool told = std::any_of(list_.begin(), list_.end(), [&](const Diagnosis& d) {
      return d.row == t.row && d.col == t.col && d.queue == q && d.output;
    });
    if (!told) {
      output_queue(t, q, fmt::format("{} wavelets wait in output queue {}", s.level, q), self);
    }
  }
}

// `who` (node `from`) waits for output queue q to take or send a wavelet.
void Diagnoser::output_queue(const TileState& t, int q, const std::string& who,
                             const WaitUnit& from) {
  const std::optional<int> c = t.outq[static_cast<size_t>(q)].colour;
  const WaitUnit self = unit(t, Kind::OutputQueue, q);
  if (!(from == self)) graph_.wait(from, self);
  graph_.describe(from, who);
  Diagnosis* d = nullptr;
  bool explained = true;
  if (!c) {
    d = &add_diagnosis(HangCause::UnboundOutput, &t, true, who + ", which is bound to no colour");
  } else {
    const ColourState none;
    const ColourState& s = *c < kMaxDataColours ? t.of(*c) : none;
    if (!s.route) {
      d = &add_diagnosis(
          HangCause::OutputNotRouted, &t, *c, true,
          who + fmt::format(", bound to colour {}, of which the tile has no route", *c));
    } else if (s.torn) {
      d = &add_diagnosis(
          HangCause::TornDown, &t, *c, true,
          who + fmt::format(", bound to colour {}, which the router has torn down", *c));
    } else if (s.route->in != Port::Ramp) {
      d = &add_diagnosis(
          HangCause::OutputNotRouted, &t, *c, !on_cycle(*c),
          who + fmt::format(", bound to colour {}, whose route{} takes its input from {}, not "
                            "from the ramp",
                            *c, position(s), port_name(s.route->in)));
    } else {
      d = &add_diagnosis(HangCause::Downstream, &t, *c, false,
                         who + fmt::format(" (colour {}): the fabric does not take them", *c));
      graph_.wait(self, unit(t, Kind::Router, *c));
      explained = false;
    }
  }
  if (explained) graph_.explain(self);
  d->queue = q;
  d->output = true;
  if (from.kind == Kind::Thread) d->thread = from.n;
}

// `who` waits for wavelets in input queue q, which is empty.
void Diagnoser::input_wait(const TileState& t, int q, const std::string& who,
                           const WaitUnit& from) {
  const std::optional<int> c = t.inq[static_cast<size_t>(q)].colour;
  const std::string text = fmt::format("{} waits on input queue {}", who, q);
  Diagnosis* d = nullptr;
  if (!c) {
    d = &add_diagnosis(HangCause::UnboundInput, &t, true, text + ", which is bound to no colour");
  } else {
    const std::string coloured = fmt::format("{} (colour {})", text, *c);
    graph_.describe(from, coloured);
    d = &upstream(t, *c, coloured, from);
  }
  if (d->root) graph_.explain(from);
  d->queue = q;
  if (from.kind == Kind::Thread) d->thread = from.n;
}

// Follows the route of colour c backwards from the ramp of t to the source of its wavelets.
Diagnosis& Diagnoser::upstream(const TileState& t, int c, const std::string& who,
                               const WaitUnit& from) {
  const TileState* at = &t;
  uint32_t into = kOutRamp;
  std::set<const TileState*> seen;
  for (;;) {
    const std::string here = fmt::format("tile ({}, {})", at->row, at->col);
    if (c >= kMaxDataColours || !at->of(c).route) {
      return add_diagnosis(HangCause::NoRoute, &t, c, true,
                           fmt::format("{}, but {} has no route of that colour", who, here));
    }
    const ColourState& s = at->of(c);
    if (s.torn) {
      return add_diagnosis(HangCause::TornDown, &t, c, true,
                           fmt::format("{}, which {} has torn down", who, here));
    }
    if ((s.route->out_mask & into) == 0) {
      return add_diagnosis(HangCause::NoRoute, &t, c, !on_cycle(c),
                           fmt::format("{}, but the route of {}{} does not send that colour here",
                                       who, here, position(s)));
    }
    if (!seen.insert(at).second) {
      return add_diagnosis(HangCause::NoUpstream, &t, c, false,
                           who + ", whose routes form a cycle");
    }
    if (s.occupied || s.misrouted) {
      graph_.wait(from, unit(*at, Kind::Router, c));
      return add_diagnosis(HangCause::NoUpstream, &t, c, false,
                           fmt::format("{}, whose wavelets are held in {}", who, here));
    }
    if (s.route->in == Port::Ramp) return source(t, c, who, from, *at);
    const int p = static_cast<int>(s.route->in);
    const TileState* next = neighbour(*at, p);
    if (next == nullptr) {
      const Side side = static_cast<Side>(p);
      const int index = p == 0 || p == 2 ? at->col : at->row;
      const bool waits_here = device_.pending_sends(side, index, c) != 0;
      return add_diagnosis(
          HangCause::NoUpstream, &t, c, !waits_here,
          fmt::format("{}, and the host {} (edge {}, port {})", who,
                      waits_here ? "cannot send what it has" : "has no more to send",
                      side_name(side), index));
    }
    into = 1u << ((p + 2) % 4);
    at = next;
  }
}

// `who` waits for wavelets of colour c, which tile `at` sends.
Diagnosis& Diagnoser::source(const TileState& t, int c, const std::string& who,
                             const WaitUnit& from, const TileState& at) {
  const bool itself = &at == &t;
  const bool holds = holds_output(at, c);
  const bool works = at.any_thread() || at.reducer.running || at.error.stopped || at.computes ||
                     at.core.stopped_ebreak || at.core_busy() || at.core.waits_tensor;
  // A thread that waits for its own tile waits for nobody, unless another unit there does
  // something.
  const bool others = itself && (at.computes || (at.core_busy() && !(from.kind == Kind::Core)));
  const bool produces = holds || (itself ? others : works);
  if (produces) {
    const std::optional<int> q = at.outq_of(c);
    graph_.wait(from, holds && q ? unit(at, Kind::OutputQueue, *q) : unit(at, Kind::Tile));
  }
  return add_diagnosis(HangCause::NoUpstream, &t, c, !produces,
                       fmt::format("{}, and tile ({}, {}) {}", who, at.row, at.col,
                                   produces ? "has not sent them yet" : "sends no more of them"));
}

bool Diagnoser::holds_output(const TileState& t, int c) const {
  return std::any_of(t.outq.begin(), t.outq.end(),
                     [&](const QueueState& s) { return s.level != 0 && s.colour == c; });
}

// The registers do not say which reduction is in the middle of a vector: it is one that waits for
// operands.
void Diagnoser::reduction_wait(const TileState& t, const std::string& who, const WaitUnit& self) {
  const std::string text = who + " waits for a reduction that is in the middle of a vector";
  for (int id = 0; id < static_cast<int>(t.thread.size()); ++id) {
    const ThreadState& other = t.thread[static_cast<size_t>(id)];
    if (other.active && other.waits != ThreadWait::Reduction && is_reduction(other.operation)) {
      graph_.wait(self, unit(t, Kind::Thread, id));
    }
  }
  graph_.describe(self, text);
  add_diagnosis(HangCause::ReductionWait, &t, false, text);
}

void Diagnoser::threads(const TileState& t) {
  for (int id = 0; id < static_cast<int>(t.thread.size()); ++id) {
    const ThreadState& s = t.thread[static_cast<size_t>(id)];
    if (!s.active) continue;
    const WaitUnit self = unit(t, Kind::Thread, id);
    const std::string who = thread_name(t, id);
    switch (s.waits) {
      case ThreadWait::Input:
        if (t.inq[static_cast<size_t>(s.queue)].level == 0) input_wait(t, s.queue, who, self);
        break;
      case ThreadWait::Output:
        output_queue(t, s.queue, fmt::format("{} waits for output queue {}", who, s.queue), self);
        break;
      case ThreadWait::Row:
        add_diagnosis(
            HangCause::RowNotDrained, &t, !t.reducer.running,
            who + (t.reducer.running
                       ? " waits for an accumulator row, which the reducer still holds"
                       : " waits for an accumulator row, and no drain runs that would free one"))
            .thread = id;
        graph_.describe(self, who + " waits for an accumulator row");
        if (t.reducer.running) {
          graph_.wait(self, unit(t, Kind::Reducer));
        } else {
          graph_.explain(self);
        }
        break;
      case ThreadWait::Reduction:
        reduction_wait(t, who, self);
        break;
      case ThreadWait::Nothing:
      case ThreadWait::Memory:
        break;
    }
  }
}

void Diagnoser::reducer(const TileState& t) {
  const ReducerState& r = t.reducer;
  if (!r.running) return;
  const WaitUnit self = unit(t, Kind::Reducer);
  const std::string who = fmt::format("the reducer ({} outputs done)", r.done);
  switch (r.waits) {
    case ReducerWait::Row: {
      bool feeder = false;
      for (int id = 0; id < static_cast<int>(t.thread.size()); ++id) {
        const ThreadState& s = t.thread[static_cast<size_t>(id)];
        if (!s.active || s.operation != kOperationAxpyw) continue;
        feeder = true;
        graph_.wait(self, unit(t, Kind::Thread, id));
      }
      add_diagnosis(
          HangCause::RowNotClosed, &t, !feeder,
          who + (feeder ? " waits for the next accumulator row"
                        : " waits for an accumulator row, and no axpyw runs that would close one"));
      graph_.describe(self, who + " waits for an accumulator row");
      if (!feeder) graph_.explain(self);
      break;
    }
    case ReducerWait::In0:
    case ReducerWait::In1: {
      const bool first = r.waits == ReducerWait::In0;
      for (int q : first ? r.in0 : r.in1) {
        if (t.inq[static_cast<size_t>(q)].level == 0) {
          input_wait(t, q, who + (first ? " (in0)" : " (in1)"), self);
        }
      }
      break;
    }
    case ReducerWait::Output:
      for (int q : r.out) {
        const QueueState& s = t.outq[static_cast<size_t>(q)];
        if (s.level == 0 && s.colour) continue;
        output_queue(t, q, fmt::format("{} waits for output queue {}", who, q), self);
      }
      break;
    case ReducerWait::Nothing:
    case ReducerWait::Memory:
      break;
  }
}

void Diagnoser::tasks(const TileState& t) {
  for (int k = 0; k < kNumTasks; ++k) {
    const TaskState& s = t.task[static_cast<size_t>(k)];
    if (!s.pending) continue;
    if (s.entry == 0) {
      // A teardown that no task waits for blocks nobody.
      add_diagnosis(HangCause::TaskNoEntry, &t, k != kTeardownTask,
                    fmt::format("task {} is activated but has no entry address", k));
    } else if (s.blocked) {
      add_diagnosis(HangCause::TaskBlocked, &t, true,
                    task_name(t, k) + " is activated but blocked");
    } else if (!t.core.running && !t.core.trapped && !t.core.stopped_ebreak) {
      add_diagnosis(HangCause::CoreHalted, &t, true,
                    fmt::format("task {} is ready but the core is halted", k));
    } else if (t.core.running && !t.core.asleep && !t.computes) {
      add_diagnosis(
          HangCause::CoreBusy, &t, false,
          fmt::format("{} is activated, while the core is at {}", task_name(t, k), core_place(t)));
    }
  }
}

// The units of a tile that might send. It waits for all of them at once.
void Diagnoser::producers(const TileState& t) {
  const WaitUnit self = unit(t, Kind::Tile);
  if (t.core.running && !t.core.asleep) graph_.wait(self, unit(t, Kind::Core));
  if (t.reducer.running) graph_.wait(self, unit(t, Kind::Reducer));
  for (size_t i = 0; i < t.thread.size(); ++i) {
    if (t.thread[i].active) graph_.wait(self, unit(t, Kind::Thread, static_cast<int>(i)));
  }
}

void Diagnoser::cycles() {
  constexpr size_t kNamed = 8;
  for (const std::vector<WaitUnit>& cycle : graph_.cycles()) {
    std::string text;
    size_t units = 0;
    const TileState* first = nullptr;
    for (const WaitUnit& u : cycle) {
      const std::string& what = graph_.text(u);
      if (what.empty()) continue;
      const TileState& t = tiles_[static_cast<size_t>(u.tile)];
      if (first == nullptr) first = &t;
      if (++units <= kNamed) {
        text += fmt::format("{}tile ({}, {}): {}", units == 1 ? "" : "; ", t.row, t.col, what);
      }
    }
    if (first == nullptr) continue;
    if (units > kNamed) text += fmt::format("; and {} more", units - kNamed);
    add_diagnosis(HangCause::WaitCycle, first, true, "waits, through others, for itself: " + text);
  }
}

}  // namespace ow
