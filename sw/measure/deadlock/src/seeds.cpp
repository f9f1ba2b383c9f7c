// SPDX-License-Identifier: Apache-2.0
#include "seeds.h"

namespace ow::deadlock {
namespace {

constexpr uint32_t kRowEnd = isa::Control::RowEnd::kMask;
constexpr uint32_t kStreamEnd = isa::Control::StreamEnd::kMask;
// Actions of a reducer.
constexpr uint32_t kStore = isa::RedAction::Enable::put(1) | isa::RedAction::Memory::put(1);
constexpr uint32_t kAddQueue4 = isa::RedAction::In0::put(1) | isa::RedAction::In0Q::put(4);

// Wavelets that no one takes, and wavelets that never arrive.
void add_input_seeds(std::vector<Seed>* s) {
  s->push_back({"a colour that reaches a ramp where no queue is bound to it", HangCause::NoConsumer,
                0, 1, kColour, [](Bench& b) { b.path_to_second_tile(); },
                [](Bench& b) { b.stream(Side::West, 0, 40); }});
  s->push_back({"an input queue that no thread and no task takes from", HangCause::NoTask, 0, 1,
                kColour,
                [](Bench& b) {
                  b.path_to_second_tile();
                  b.in_queue(0, 1, kQueue, kColour);
                },
                [](Bench& b) { b.stream(Side::West, 0, 40); }});
  s->push_back({"routes that form a cycle", HangCause::RouteCycle, -1, -1, kColour, [](Bench& b) {
                  b.routes().set(0, 0, kColour, Route{Port::South, kOutE});
                  b.routes().set(0, 1, kColour, Route{Port::West, kOutS});
                  b.routes().set(1, 1, kColour, Route{Port::North, kOutW});
                  b.routes().set(1, 0, kColour, Route{Port::East, kOutN | kOutRamp});
                  b.out_queue(0, 0, kQueue, kColour);
                  b.in_queue(1, 0, kQueue, kColour);
                  b.command(0, 0, OW_DL_SEND, 1, kQueue, 20);
                  b.command(1, 0, OW_DL_RECEIVE, 1, kQueue, 20);
                }});
  s->push_back(
      {"credits lost on a link between tiles", HangCause::LostCredit, 0, 0, kColour,
       [](Bench& b) {
         b.path_to_second_tile();
         b.in_queue(0, 1, kQueue, kColour);
         b.command(0, 1, OW_DL_RECEIVE, 1, kQueue, 60);
       },
       [](Bench& b) { b.stream(Side::West, 0, 60); },
       [](SimOptions& o) { o.drop_credit = CreditFault{0, 1, Side::West, kColour, 7, 4}; }});
  s->push_back(
      {"credits lost between a tile and the host", HangCause::LostCredit, 0, 0, kColour,
       [](Bench& b) {
         b.path_to_second_tile();
         b.in_queue(0, 1, kQueue, kColour);
         b.command(0, 1, OW_DL_RECEIVE, 1, kQueue, 60);
       },
       [](Bench& b) { b.stream(Side::West, 0, 60); },
       [](SimOptions& o) { o.drop_credit = CreditFault{0, 0, Side::West, kColour, 3, 4}; }});
  s->push_back({"a thread on an input queue that is bound to no colour", HangCause::UnboundInput, 1,
                0, -1, [](Bench& b) { b.command(1, 0, OW_DL_RECEIVE, 3, kQueue, 8); }});
  s->push_back(
      {"a thread on a colour without a route", HangCause::NoRoute, 1, 1, kColour, [](Bench& b) {
         b.in_queue(1, 1, kQueue, kColour);
         b.command(1, 1, OW_DL_RECEIVE, 2, kQueue, 8);
       }});
  s->push_back({"the host sends less than a thread waits for", HangCause::NoUpstream, 0, 1, kColour,
                [](Bench& b) {
                  b.path_to_second_tile();
                  b.in_queue(0, 1, kQueue, kColour);
                  b.command(0, 1, OW_DL_RECEIVE, 1, kQueue, 60);
                },
                [](Bench& b) { b.stream(Side::West, 0, 50); }});
  s->push_back({"a tile sends less than its neighbour waits for", HangCause::NoUpstream, 0, 1,
                kColour, [](Bench& b) {
                  b.routes().set(0, 0, kColour, Route{Port::Ramp, kOutE});
                  b.routes().set(0, 1, kColour, Route{Port::West, kOutRamp});
                  b.out_queue(0, 0, kQueue, kColour);
                  b.in_queue(0, 1, kQueue, kColour);
                  b.command(0, 0, OW_DL_SEND, 1, kQueue, 10);
                  b.command(0, 1, OW_DL_RECEIVE, 0, kQueue, 20);
                }});
}

// What cannot leave a tile or the grid.
void add_output_seeds(std::vector<Seed>* s) {
  s->push_back({"a thread on an output queue that is bound to no colour", HangCause::UnboundOutput,
                1, 0, -1, [](Bench& b) { b.command(1, 0, OW_DL_SEND, 1, kQueue, 40); }});
  s->push_back({"an output queue whose colour has no route", HangCause::OutputNotRouted, 1, 0,
                kColour, [](Bench& b) {
                  b.out_queue(1, 0, kQueue, kColour);
                  b.command(1, 0, OW_DL_SEND, 1, kQueue, 40);
                }});
  s->push_back({"an output queue whose colour's route starts elsewhere", HangCause::OutputNotRouted,
                1, 0, kColour, [](Bench& b) {
                  b.routes().set(1, 0, kColour, Route{Port::West, kOutE});
                  b.routes().set(1, 1, kColour, Route{Port::West, kOutE});
                  b.out_queue(1, 0, kQueue, kColour);
                  b.command(1, 0, OW_DL_SEND, 1, kQueue, 40);
                }});
  s->push_back({"a route whose input is another port than the one that wavelets come in at",
                HangCause::Misroute, 0, 1, kColour,
                [](Bench& b) {
                  b.path_to_second_tile();
                  b.routes().set(0, 1, kColour, Route{Port::South, kOutRamp});
                  b.in_queue(0, 1, kQueue, kColour);
                },
                [](Bench& b) { b.stream(Side::West, 0, 40); }});
  s->push_back({"a route that leads into a tile without one", HangCause::NoRoute, 0, 1, kColour,
                [](Bench& b) {
                  b.routes().set(0, 0, kColour, Route{Port::West, kOutE});
                },
                [](Bench& b) { b.stream(Side::West, 0, 40); }});
  s->push_back({"an edge that does not take what leaves the grid", HangCause::EdgeBlocked, 0, 1,
                kColour,
                [](Bench& b) {
                  b.routes().set(0, 0, kColour, Route{Port::West, kOutE});
                  b.routes().set(0, 1, kColour, Route{Port::West, kOutE});
                  b.device().hold(Side::East, 0, kColour, true);
                },
                [](Bench& b) { b.stream(Side::West, 0, 40); }});
}

// Reducers, tasks, and what stops a tile.
void add_unit_seeds(std::vector<Seed>* s) {
  s->push_back({"a reducer whose neighbour never sends its sums", HangCause::NoUpstream, 0, 1, 9,
                [](Bench& b) {
                  b.path_to_second_tile();
                  b.routes().set(0, 1, 9, Route{Port::South, kOutRamp});
                  b.routes().set(1, 1, 9, Route{Port::Ramp, kOutN});
                  b.in_queue(0, 1, 0, kColour);
                  b.in_queue(0, 1, 4, 9);
                  // enabled, in0 from queue 4, to memory
                  b.command(0, 1, OW_DL_DRAIN, 2, 2, kStore | kAddQueue4);
                  b.command(0, 1, OW_DL_AXPYW, 1, 0, 4);
                },
                [](Bench& b) {
                  b.stream(Side::West, 0, 3);
                  b.device().send(Side::West, 0, Wavelet{kColour, true, kRowEnd});
                  b.stream(Side::West, 0, 3);
                  b.device().send(Side::West, 0, Wavelet{kColour, true, kRowEnd | kStreamEnd});
                }});
  s->push_back({"accumulator rows that nobody drains", HangCause::RowNotDrained, 0, 1, -1,
                [](Bench& b) {
                  b.path_to_second_tile();
                  b.in_queue(0, 1, 0, kColour);
                  b.command(0, 1, OW_DL_AXPYW, 1, 0, 2);
                },
                [](Bench& b) {
                  for (int k = 0; k < 6; ++k) {
                    b.stream(Side::West, 0, 3);
                    b.device().send(Side::West, 0, Wavelet{kColour, true, kRowEnd});
                  }
                }});
  s->push_back({"a reducer without an axpyw that closes rows", HangCause::RowNotClosed, 1, 1, -1,
                [](Bench& b) { b.command(1, 1, OW_DL_DRAIN, 2, 2, kStore); }});
  s->push_back({"an activated task that is blocked", HangCause::TaskBlocked, 1, 0, -1,
                [](Bench& b) { b.command(1, 0, OW_DL_ACTIVATE, 20, 1, 1); }});
  s->push_back({"an activated task without an entry address", HangCause::TaskNoEntry, 0, 1, -1,
                [](Bench& b) { b.command(0, 1, OW_DL_ACTIVATE, 21, 0, 0); }});
  s->push_back({"a blocked data task whose wavelets are there", HangCause::TaskBlocked, 0, 1,
                kColour,
                [](Bench& b) {
                  b.path_to_second_tile();
                  b.in_queue(0, 1, kQueue, kColour);
                  b.command(0, 1, OW_DL_LISTEN, kQueue, 1);
                },
                [](Bench& b) { b.stream(Side::West, 0, 40); }});
  s->push_back({"a core stopped by a trap", HangCause::CoreTrapped, 1, 1, -1,
                [](Bench& b) { b.command(1, 1, OW_DL_LOAD, 0x40000000); }});
  s->push_back({"a tensor instruction that does not exist", HangCause::EngineFault, 1, 1, -1,
                [](Bench& b) { b.command(1, 1, OW_DL_ILLEGAL, 4); }});
  s->push_back({"a core that pushes into a queue whose colour has no route",
                HangCause::OutputNotRouted, 0, 0, kColour, [](Bench& b) {
                  b.out_queue(0, 0, kQueue, kColour);
                  b.command(0, 0, OW_DL_PUSH, kQueue, 20);
                }});
}

// Forks and switches.
void add_switch_seeds(std::vector<Seed>* s) {
  s->push_back({"a fork of which one branch has no consumer", HangCause::NoConsumer, 0, 0, kColour,
                [](Bench& b) {
                  b.path_to_second_tile();
                  b.routes().set(0, 0, kColour, Route{Port::West, kOutE | kOutRamp});
                  b.in_queue(0, 1, kQueue, kColour);
                  b.command(0, 1, OW_DL_RECEIVE, 1, kQueue, 60);
                },
                [](Bench& b) { b.stream(Side::West, 0, 60); }});
  s->push_back(
      {"a colour that a command has torn down too early", HangCause::TornDown, 0, 1, kColour,
       [](Bench& b) {
         b.path_to_second_tile();
         b.routes().set(0, 1, kColour, Switch{{Route{Port::West, kOutRamp}}});
         b.in_queue(0, 1, kQueue, kColour);
         b.command(0, 1, OW_DL_RECEIVE, 1, kQueue, 60);
       },
       [](Bench& b) {
         b.stream(Side::West, 0, 20);
         b.device().send(Side::West, 0,
                         {Wavelet{kColour, true, switch_command(0, Command::Teardown, true)}});
         b.stream(Side::West, 0, 40);
       }});
  s->push_back(
      {"a switch that nobody moves on", HangCause::NotSelected, 0, 1, kColour,
       [](Bench& b) {
         b.path_to_second_tile();
         b.routes().set(1, 1, kColour, Route{Port::Ramp, kOutN});
         b.routes().set(0, 1, kColour,
                        Switch{{Route{Port::West, kOutRamp}, Route{Port::South, kOutRamp}}});
         b.in_queue(0, 1, kQueue, kColour);
       },
       [](Bench& b) {
         b.device().send(Side::West, 0,
                         {Wavelet{kColour, true, switch_command(0, Command::Advance, true)}});
         b.stream(Side::West, 0, 10);
       }});
}

// Both tiles of row 0, each with a colour to the other one: 5 to the east, 6 to the west.
void join_pair(Bench& b) {
  b.routes().set(0, 0, 5, Route{Port::Ramp, kOutE});
  b.routes().set(0, 1, 5, Route{Port::West, kOutRamp});
  b.routes().set(0, 1, 6, Route{Port::Ramp, kOutW});
  b.routes().set(0, 0, 6, Route{Port::East, kOutRamp});
  b.out_queue(0, 0, 1, 5);
  b.in_queue(0, 0, 2, 6);
  b.out_queue(0, 1, 1, 6);
  b.in_queue(0, 1, 2, 5);
}

// Waits that lead back to themselves.
void add_cycle_seeds(std::vector<Seed>* s) {
  s->push_back(
      {"two tiles that each wait for the other's wavelets",
       HangCause::WaitCycle,
       -1,
       -1,
       -1,
       [](Bench& b) {
         join_pair(b);
         for (int col = 0; col < 2; ++col) {
           b.command(0, col, OW_DL_RECEIVE, 0, 2, 8);
           b.command(0, col, OW_DL_SEND, 0, 1, 8);
         }
       },
       nullptr,
       nullptr,
       {"tile (0, 0)", "tile (0, 1)", "input queue 2 (colour 5)", "input queue 2 (colour 6)"}});
  s->push_back({"four tiles in a ring, each of which waits for the one before",
                HangCause::WaitCycle,
                -1,
                -1,
                -1,
                [](Bench& b) {
                  const int row[] = {0, 0, 1, 1}, col[] = {0, 1, 1, 0};
                  const Port in[] = {Port::South, Port::West, Port::North, Port::East};
                  const uint32_t out[] = {kOutE, kOutS, kOutW, kOutN};
                  for (int k = 0; k < 4; ++k) {  // colour k from tile k to the next one
                    const int next = (k + 1) % 4, before = (k + 3) % 4;
                    b.routes().set(row[k], col[k], k, Route{Port::Ramp, out[k]});
                    b.routes().set(row[next], col[next], k, Route{in[next], kOutRamp});
                    b.out_queue(row[k], col[k], 1, k);
                    b.in_queue(row[k], col[k], 2, before);
                    b.command(row[k], col[k], OW_DL_RECEIVE, 3, 2, 8);
                    b.command(row[k], col[k], OW_DL_SEND, 3, 1, 8);
                  }
                },
                nullptr,
                nullptr,
                {"tile (0, 0): ", "tile (0, 1): ", "tile (1, 1): ", "tile (1, 0): ", "thread 3"}});
  s->push_back({"two cores that push to each other's tasks, which they keep from running",
                HangCause::WaitCycle,
                -1,
                -1,
                -1,
                [](Bench& b) {
                  join_pair(b);
                  for (int col = 0; col < 2; ++col) {
                    b.command(0, col, OW_DL_LISTEN, 2, 0);
                    b.command(0, col, OW_DL_PUSH, 1, 60);
                  }
                },
                nullptr,
                nullptr,
                {"tile (0, 0): the core", "tile (0, 1): the core", "push into output queue 1",
                 "in ow_main"}});
}

// Cores that push, stop and never end.
void add_core_seeds(std::vector<Seed>* s) {
  s->push_back({"a core that pushes to a tile where nothing takes from the queue",
                HangCause::NoTask,
                0,
                1,
                5,
                [](Bench& b) {
                  join_pair(b);
                  b.command(0, 0, OW_DL_PUSH, 1, 60);
                },
                nullptr,
                nullptr,
                {"input queue 2", "no thread, reducer or task"}});
  s->push_back({"a core that pushes into a queue that is bound to no colour",
                HangCause::UnboundOutput,
                1,
                1,
                -1,
                [](Bench& b) { b.command(1, 1, OW_DL_PUSH, 3, 20); },
                nullptr,
                nullptr,
                {"the core", "output queue 3"}});
  s->push_back({"a core at ebreak, for which its neighbour waits",
                HangCause::CoreBreak,
                0,
                0,
                -1,
                [](Bench& b) {
                  join_pair(b);
                  b.command(0, 0, OW_DL_BREAK);
                  b.command(0, 0, OW_DL_SEND, 1, 1, 8);
                  b.command(0, 1, OW_DL_RECEIVE, 1, 2, 8);
                },
                nullptr,
                nullptr,
                {"in stop_here", "deadlock.c:"}});
  s->push_back({"a core in an endless loop, for which its neighbour waits",
                HangCause::CoreComputes,
                0,
                0,
                -1,
                [](Bench& b) {
                  join_pair(b);
                  b.command(0, 0, OW_DL_SPIN);
                  b.command(0, 0, OW_DL_SEND, 1, 1, 8);
                  b.command(0, 1, OW_DL_RECEIVE, 1, 2, 8);
                },
                nullptr,
                nullptr,
                {"in spin_for_ever", "deadlock.c:"},
                false});
}

}  // namespace

std::vector<Seed> seeds() {
  std::vector<Seed> s;
  add_input_seeds(&s);
  add_output_seeds(&s);
  add_unit_seeds(&s);
  add_switch_seeds(&s);
  add_cycle_seeds(&s);
  add_core_seeds(&s);
  return s;
}

}  // namespace ow::deadlock
