// SPDX-License-Identifier: Apache-2.0
#include "ow/deadlocks.h"

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "ow/deadlock.h"
#include "ow/error.h"
#include "ow/sim.h"

namespace ow {
namespace {

constexpr int kColour = 5;
constexpr int kQueue = 2;

// A grid with the firmware loaded, and what the seeds need to set it up.
class Bench {
 public:
  Bench(GridShape shape, const SimOptions& options, const ElfImage& image)
      : device_(make_device(DeviceKind::Replicated, shape, options)),
        control_(*device_),
        routes_(shape),
        image_(image) {
    load_program(control_, whole(shape), image);
    const std::vector<uint32_t> none(4 * OW_DL_COMMANDS, 0);
    control_.write(whole(shape), image.symbol("ow_commands"), none);
  }

  Device& device() { return *device_; }
  ControlPlane& control() { return control_; }
  RouteSet& routes() { return routes_; }

  // The next command of a tile.
  void command(int row, int col, uint32_t op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    uint32_t& n = commands_[{row, col}];
    control_.write_tile(row, col, image_.symbol("ow_commands") + 16 * n++, {op, a, b, c});
  }
  void in_queue(int row, int col, int queue, int colour) {
    bind_inq(control_, Rect{row, col, 1, 1}, queue, colour);
  }
  void out_queue(int row, int col, int queue, int colour) {
    bind_outq(control_, Rect{row, col, 1, 1}, queue, colour);
  }
  void stream(Side side, int index, size_t n, int colour = kColour) {
    device_->send(side, index,
                  std::vector<Wavelet>(n, Wavelet{static_cast<uint8_t>(colour), false, 0}));
  }
  // A path along row 0 from the west edge into the ramp of tile (0, 1).
  void path_to_second_tile(int colour = kColour) {
    routes_.set(0, 0, colour, Route{Port::West, kOutE});
    routes_.set(0, 1, colour, Route{Port::West, kOutRamp});
  }
  void start() {
    routes_.apply(control_, false);
    start_cores(control_, whole(device_->shape()), image_.entry);
    control_.fence(whole(device_->shape()));
  }
  RunStatus run() { return device_->run(100000); }

 private:
  std::unique_ptr<Device> device_;
  ControlPlane control_;
  RouteSet routes_;
  const ElfImage& image_;
  std::map<std::pair<int, int>, uint32_t> commands_;
};

struct Seed {
  std::string name;
  // The causes that the report must give, and no others.
  HangCause cause;
  int row;
  int col;
  int colour;                                   // -1: any
  std::function<void(Bench&)> before;           // routes, queues, commands
  std::function<void(Bench&)> after = nullptr;  // once the cores run: streams
  std::function<void(SimOptions&)> options = nullptr;
};

std::vector<Seed> seeds() {
  std::vector<Seed> s;
  s.push_back({"a colour that reaches a ramp where no queue is bound to it", HangCause::NoConsumer,
               0, 1, kColour, [](Bench& b) { b.path_to_second_tile(); },
               [](Bench& b) { b.stream(Side::West, 0, 40); }});
  s.push_back({"an input queue that no thread and no task takes from", HangCause::NoTask, 0, 1,
               kColour,
               [](Bench& b) {
                 b.path_to_second_tile();
                 b.in_queue(0, 1, kQueue, kColour);
               },
               [](Bench& b) { b.stream(Side::West, 0, 40); }});
  s.push_back({"routes that form a cycle", HangCause::RouteCycle, -1, -1, kColour, [](Bench& b) {
                 b.routes().set(0, 0, kColour, Route{Port::South, kOutE});
                 b.routes().set(0, 1, kColour, Route{Port::West, kOutS});
                 b.routes().set(1, 1, kColour, Route{Port::North, kOutW});
                 b.routes().set(1, 0, kColour, Route{Port::East, kOutN | kOutRamp});
                 b.out_queue(0, 0, kQueue, kColour);
                 b.in_queue(1, 0, kQueue, kColour);
                 b.command(0, 0, OW_DL_SEND, 1, kQueue, 20);
                 b.command(1, 0, OW_DL_RECEIVE, 1, kQueue, 20);
               }});
  s.push_back(
      {"credits lost on a link between tiles", HangCause::LostCredit, 0, 0, kColour,
       [](Bench& b) {
         b.path_to_second_tile();
         b.in_queue(0, 1, kQueue, kColour);
         b.command(0, 1, OW_DL_RECEIVE, 1, kQueue, 60);
       },
       [](Bench& b) { b.stream(Side::West, 0, 60); },
       [](SimOptions& o) { o.drop_credit = CreditFault{0, 1, Side::West, kColour, 7, 4}; }});
  s.push_back(
      {"credits lost between a tile and the host", HangCause::LostCredit, 0, 0, kColour,
       [](Bench& b) {
         b.path_to_second_tile();
         b.in_queue(0, 1, kQueue, kColour);
         b.command(0, 1, OW_DL_RECEIVE, 1, kQueue, 60);
       },
       [](Bench& b) { b.stream(Side::West, 0, 60); },
       [](SimOptions& o) { o.drop_credit = CreditFault{0, 0, Side::West, kColour, 3, 4}; }});
  s.push_back({"a thread on an input queue that is bound to no colour", HangCause::UnboundInput, 1,
               0, -1, [](Bench& b) { b.command(1, 0, OW_DL_RECEIVE, 3, kQueue, 8); }});
  s.push_back(
      {"a thread on a colour without a route", HangCause::NoRoute, 1, 1, kColour, [](Bench& b) {
         b.in_queue(1, 1, kQueue, kColour);
         b.command(1, 1, OW_DL_RECEIVE, 2, kQueue, 8);
       }});
  s.push_back({"the host sends less than a thread waits for", HangCause::NoUpstream, 0, 1, kColour,
               [](Bench& b) {
                 b.path_to_second_tile();
                 b.in_queue(0, 1, kQueue, kColour);
                 b.command(0, 1, OW_DL_RECEIVE, 1, kQueue, 60);
               },
               [](Bench& b) { b.stream(Side::West, 0, 50); }});
  s.push_back({"a tile sends less than its neighbour waits for", HangCause::NoUpstream, 0, 1,
               kColour, [](Bench& b) {
                 b.routes().set(0, 0, kColour, Route{Port::Ramp, kOutE});
                 b.routes().set(0, 1, kColour, Route{Port::West, kOutRamp});
                 b.out_queue(0, 0, kQueue, kColour);
                 b.in_queue(0, 1, kQueue, kColour);
                 b.command(0, 0, OW_DL_SEND, 1, kQueue, 10);
                 b.command(0, 1, OW_DL_RECEIVE, 0, kQueue, 20);
               }});
  s.push_back({"a thread on an output queue that is bound to no colour", HangCause::UnboundOutput,
               1, 0, -1, [](Bench& b) { b.command(1, 0, OW_DL_SEND, 1, kQueue, 40); }});
  s.push_back({"an output queue whose colour has no route", HangCause::OutputNotRouted, 1, 0,
               kColour, [](Bench& b) {
                 b.out_queue(1, 0, kQueue, kColour);
                 b.command(1, 0, OW_DL_SEND, 1, kQueue, 40);
               }});
  s.push_back({"an output queue whose colour's route starts elsewhere", HangCause::OutputNotRouted,
               1, 0, kColour, [](Bench& b) {
                 b.routes().set(1, 0, kColour, Route{Port::West, kOutE});
                 b.routes().set(1, 1, kColour, Route{Port::West, kOutE});
                 b.out_queue(1, 0, kQueue, kColour);
                 b.command(1, 0, OW_DL_SEND, 1, kQueue, 40);
               }});
  s.push_back({"a route whose input is another port than the one that wavelets come in at",
               HangCause::Misroute, 0, 1, kColour,
               [](Bench& b) {
                 b.path_to_second_tile();
                 b.routes().set(0, 1, kColour, Route{Port::South, kOutRamp});
                 b.in_queue(0, 1, kQueue, kColour);
               },
               [](Bench& b) { b.stream(Side::West, 0, 40); }});
  s.push_back({"a route that leads into a tile without one", HangCause::NoRoute, 0, 1, kColour,
               [](Bench& b) {
                 b.routes().set(0, 0, kColour, Route{Port::West, kOutE});
               },
               [](Bench& b) { b.stream(Side::West, 0, 40); }});
  s.push_back({"an edge that does not take what leaves the grid", HangCause::EdgeBlocked, 0, 1,
               kColour,
               [](Bench& b) {
                 b.routes().set(0, 0, kColour, Route{Port::West, kOutE});
                 b.routes().set(0, 1, kColour, Route{Port::West, kOutE});
                 b.device().block(Side::East, 0, kColour, true);
               },
               [](Bench& b) { b.stream(Side::West, 0, 40); }});
  s.push_back({"a reducer whose neighbour never sends its sums", HangCause::NoUpstream, 0, 1, 9,
               [](Bench& b) {
                 b.path_to_second_tile();
                 b.routes().set(0, 1, 9, Route{Port::South, kOutRamp});
                 b.routes().set(1, 1, 9, Route{Port::Ramp, kOutN});
                 b.in_queue(0, 1, 0, kColour);
                 b.in_queue(0, 1, 4, 9);
                 // enabled, in0 from queue 4, to memory
                 b.command(0, 1, OW_DL_DRAIN, 2, 2, 1u | 1u << 1 | 4u << 2 | 1u << 9);
                 b.command(0, 1, OW_DL_AXPYW, 1, 0, 4);
               },
               [](Bench& b) {
                 b.stream(Side::West, 0, 3);
                 b.device().send(Side::West, 0, Wavelet{kColour, true, 1});  // row end
                 b.stream(Side::West, 0, 3);
                 b.device().send(Side::West, 0, Wavelet{kColour, true, 3});  // row and stream end
               }});
  s.push_back({"accumulator rows that nobody drains", HangCause::RowNotDrained, 0, 1, -1,
               [](Bench& b) {
                 b.path_to_second_tile();
                 b.in_queue(0, 1, 0, kColour);
                 b.command(0, 1, OW_DL_AXPYW, 1, 0, 2);
               },
               [](Bench& b) {
                 for (int k = 0; k < 6; ++k) {
                   b.stream(Side::West, 0, 3);
                   b.device().send(Side::West, 0, Wavelet{kColour, true, 1});
                 }
               }});
  s.push_back({"a reducer without an axpyw that closes rows", HangCause::RowNotClosed, 1, 1, -1,
               [](Bench& b) { b.command(1, 1, OW_DL_DRAIN, 2, 2, 1u | 1u << 9); }});
  s.push_back({"an activated task that is blocked", HangCause::TaskBlocked, 1, 0, -1,
               [](Bench& b) { b.command(1, 0, OW_DL_ACTIVATE, 20, 1, 1); }});
  s.push_back({"an activated task without an entry address", HangCause::TaskNoEntry, 0, 1, -1,
               [](Bench& b) { b.command(0, 1, OW_DL_ACTIVATE, 21, 0, 0); }});
  s.push_back({"a blocked data task whose wavelets are there", HangCause::TaskBlocked, 0, 1,
               kColour,
               [](Bench& b) {
                 b.path_to_second_tile();
                 b.in_queue(0, 1, kQueue, kColour);
                 b.command(0, 1, OW_DL_LISTEN, kQueue, 1);
               },
               [](Bench& b) { b.stream(Side::West, 0, 40); }});
  s.push_back({"a core stopped by a trap", HangCause::CoreTrapped, 1, 1, -1,
               [](Bench& b) { b.command(1, 1, OW_DL_LOAD, 0x40000000); }});
  s.push_back({"a tensor instruction that does not exist", HangCause::EngineFault, 1, 1, -1,
               [](Bench& b) { b.command(1, 1, OW_DL_ILLEGAL, 4); }});
  s.push_back({"a core that pushes into a queue whose colour has no route",
               HangCause::OutputNotRouted, 0, 0, kColour, [](Bench& b) {
                 b.out_queue(0, 0, kQueue, kColour);
                 b.command(0, 0, OW_DL_PUSH, kQueue, 20);
               }});
  s.push_back({"a fork of which one branch has no consumer", HangCause::NoConsumer, 0, 0, kColour,
               [](Bench& b) {
                 b.path_to_second_tile();
                 b.routes().set(0, 0, kColour, Route{Port::West, kOutE | kOutRamp});
                 b.in_queue(0, 1, kQueue, kColour);
                 b.command(0, 1, OW_DL_RECEIVE, 1, kQueue, 60);
               },
               [](Bench& b) { b.stream(Side::West, 0, 60); }});
  s.push_back({"a colour that a command has torn down too early", HangCause::TornDown, 0, 1,
               kColour,
               [](Bench& b) {
                 b.path_to_second_tile();
                 b.routes().set(0, 1, kColour, Switch{{Route{Port::West, kOutRamp}}});
                 b.in_queue(0, 1, kQueue, kColour);
                 b.command(0, 1, OW_DL_RECEIVE, 1, kQueue, 60);
               },
               [](Bench& b) {
                 b.stream(Side::West, 0, 20);
                 b.device().send(Side::West, 0,
                                 {Wavelet{kColour, true, command(0, Command::Teardown, true)}});
                 b.stream(Side::West, 0, 40);
               }});
  s.push_back({"a switch that nobody moves on", HangCause::NotSelected, 0, 1, kColour,
               [](Bench& b) {
                 b.path_to_second_tile();
                 b.routes().set(1, 1, kColour, Route{Port::Ramp, kOutN});
                 b.routes().set(
                     0, 1, kColour,
                     Switch{{Route{Port::West, kOutRamp}, Route{Port::South, kOutRamp}}});
                 b.in_queue(0, 1, kQueue, kColour);
               },
               [](Bench& b) {
                 b.device().send(Side::West, 0,
                                 {Wavelet{kColour, true, command(0, Command::Advance, true)}});
                 b.stream(Side::West, 0, 10);
               }});
  return s;
}

}  // namespace

std::vector<std::string> deadlock_names() {
  std::vector<std::string> names;
  for (const Seed& seed : seeds()) names.push_back(seed.name);
  return names;
}

DeadlockResult run_deadlock(size_t index, const std::string& firmware) {
  const std::vector<Seed> all = seeds();
  if (index >= all.size()) {
    throw BadInput(
        fmt::format("deadlock {}: there are {} (0 to {})", index, all.size(), all.size() - 1));
  }
  const Seed& seed = all[index];
  const ElfImage image =
      read_elf(firmware.empty() ? OW_FIRMWARE_DIR "/deadlock.elf" : firmware, 49152);
  SimOptions options;
  options.check_idle = true;
  if (seed.options) seed.options(options);
  Bench bench(GridShape{2, 2}, options, image);
  seed.before(bench);
  const auto begin = std::chrono::steady_clock::now();
  bench.start();
  if (seed.after) seed.after(bench);
  DeadlockResult result;
  result.name = seed.name;
  result.hung = bench.run() == RunStatus::Quiet;
  result.report = make_hang_report(bench.control(), &image);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.cycles = result.report.cycle;
  const Diagnosis* d = result.report.find(seed.cause, seed.row, seed.col, seed.colour);
  result.named = d != nullptr && d->root;
  for (const Diagnosis& other : result.report.diagnoses) {
    const bool same = other.cause == seed.cause && (seed.row < 0 || other.row == seed.row) &&
                      (seed.col < 0 || other.col == seed.col) &&
                      (seed.colour < 0 || other.colour == seed.colour);
    if (other.root && !same) result.named = false;
  }
  result.ok = result.hung && result.named;
  if (!result.ok) {
    result.message =
        fmt::format("expected [{}] at tile ({}, {}){}; {}", hang_cause_name(seed.cause), seed.row,
                    seed.col, result.hung ? "" : " and an end", result.report.text());
  }
  return result;
}

std::vector<DeadlockResult> run_deadlocks(const std::string& firmware) {
  std::vector<DeadlockResult> results;
  for (size_t i = 0; i < seeds().size(); ++i) results.push_back(run_deadlock(i, firmware));
  return results;
}

}  // namespace ow
