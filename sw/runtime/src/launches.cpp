// SPDX-License-Identifier: Apache-2.0
// Launches, and how the library knows that tiles are at rest.
#include <fmt/format.h>

#include <algorithm>

#include "arguments.h"
#include "ow/device/tile_map.h"
#include "ow/diagnose/tile_error.h"
#include "runtime_state.h"

namespace ow {
namespace {

// Cycles after which a started task has read its eight arguments, on the slowest core.
constexpr uint64_t kBeginCycles = 1000;
// Cycles between checks for tile errors while the machine works.
constexpr uint64_t kLookCycles = 1'000'000;
// The same if the device cannot tell that nothing moves.
constexpr uint64_t kPollCycles = 10'000;

class LaunchState : public Event::State {
 public:
  LaunchState(std::shared_ptr<Run::State> run, std::vector<Run::State::Tiles> tiles,
              std::string what)
      : run_(std::move(run)), tiles_(std::move(tiles)), what_(std::move(what)) {}
  bool done() override {
    if (done_) return true;
    run_->check_usable();
    done_ = run_->rests(tiles_, what_, kDoneCycles, &cycle_);
    return done_;
  }
  void wait(uint64_t cycles) override {
    if (done_) return;
    run_->check_usable();
    run_->rest(tiles_, what_, cycles, {}, &cycle_);
    done_ = true;
  }
  void cancel() override {
    if (done_) return;
    run_->check_usable();
    run_->stop(tiles_, what_);
    done_ = true;
  }

 private:
  std::shared_ptr<Run::State> run_;
  std::vector<Run::State::Tiles> tiles_;
  std::string what_;  // for messages
  bool done_ = false;
};

// Whether no other tiles of the machine have a program.
bool alone(const Runtime::State& machine, const std::vector<Run::State::Tiles>& tiles) {
  size_t waits = 0, all = 0;
  for (const Run::State::Tiles& t : tiles) waits += tiles_of(t.rect);
  for (const std::shared_ptr<Run::State>& run : machine.runs) {
    for (const Run::State::LoadedPart& part : run->parts) all += tiles_of(part.rect);
  }
  return waits == all;
}

uint32_t bit(uint32_t task) { return uint32_t{1} << task; }

}  // namespace

// ---------------------------------------------------------------------------------------- rest --
bool at_rest(ControlPlane& control, const Rect& rect) {
  namespace reg = isa::reg;
  enum { kActive, kRunning, kCore, kThreads, kReducer, kReads };
  std::vector<ControlPlane::ReadRequest> reads;
  for (int r = rect.row; r < rect.row + rect.rows; ++r) {
    for (int c = rect.col; c < rect.col + rect.cols; ++c) {
      reads.push_back({r, c, kRegTaskActivate, 1});
      reads.push_back({r, c, kRegTaskRunning, 1});
      reads.push_back({r, c, kRegCoreStatus, 1});
      reads.push_back({r, c, kRegThread, reg::Thread::kCount});
      reads.push_back({r, c, kRegRedStatus, 1});
    }
  }
  const std::vector<std::vector<uint32_t>> words = control.read_many(reads);
  for (size_t i = 0; i < words.size(); i += kReads) {
    const bool task =
        words[i + kActive][0] != 0 || reg::TaskRunning::Running::get(words[i + kRunning][0]);
    const bool asleep = reg::CoreStatus::Asleep::get(words[i + kCore][0]);
    const bool thread = std::any_of(words[i + kThreads].begin(), words[i + kThreads].end(),
                                    [](uint32_t w) { return reg::Thread::Active::get(w); });
    const bool reducer = reg::RedStatus::Running::get(words[i + kReducer][0]);
    if (task || !asleep || thread || reducer) return false;
  }
  return true;
}

static void check_tiles(Runtime::State& machine, const std::vector<Run::State::Tiles>& tiles) {
  for (const Run::State::Tiles& t : tiles) {
    check_errors(machine.control(), t.rect, &t.part->image);
  }
}

[[noreturn]] static void throw_not_at_rest(Runtime::State& machine,
                                           const std::vector<Run::State::Tiles>& tiles,
                                           const std::string& what, const std::string& how) {
  check_tiles(machine, tiles);
  throw DeviceFault(fmt::format("{} {}\n{}", what, how, hang_text(machine)));
}

bool reach_rest(Runtime::State& machine, const std::vector<Run::State::Tiles>& tiles,
                const std::string& what, uint64_t cycles, const std::vector<StreamPort>& sends,
                uint64_t* at) {
  ControlPlane& control = machine.control();
  Device& device = machine.device();
  const uint64_t begin = device.patience_cycle();
  // If a device can tell that nothing moves, the tiles are at rest then. Otherwise, and while other
  // tiles work, tiles count as at rest when they were so twice: words under way between them have
  // arrived by then. Short waits are checked early, long waits are rarely disturbed.
  const uint64_t longest = device.tells_quiet() ? kLookCycles : kPollCycles;
  uint64_t look = alone(machine, tiles) ? longest : kPollCycles;
  int rests = 0;
  for (;;) {
    const uint64_t passed = device.patience_cycle() - begin;
    const uint64_t left = cycles > passed ? cycles - passed : 0;
    const RunStatus status = machine.work(rests == 0 ? std::min(left, look) : kPollCycles, nullptr);
    if (at != nullptr) *at = device.cycle();
    look = std::min(2 * look, longest);
    check_tiles(machine, tiles);
    const bool rest = std::all_of(tiles.begin(), tiles.end(), [&](const Run::State::Tiles& t) {
      return at_rest(control, t.rect);
    });
    rests = rest && !machine.sends_left(sends) ? rests + 1 : 0;
    if (rests == 2 || (rests == 1 && status == RunStatus::Quiet)) break;
    if (status == RunStatus::Quiet && machine.refused()) return false;
    if (status == RunStatus::Quiet) throw_not_at_rest(machine, tiles, what, "hangs:");
    if (rests == 0 && device.patience_cycle() - begin >= cycles) return false;
  }
  machine.settled();
  return true;
}

void wait_for_rest(Runtime::State& machine, const std::vector<Run::State::Tiles>& tiles,
                   const std::string& what, uint64_t cycles, const std::vector<StreamPort>& sends,
                   uint64_t* at) {
  if (reach_rest(machine, tiles, what, cycles, sends, at)) return;
  throw_not_at_rest(machine, tiles, what,
                    machine.refused() ? "waits for a consumer that takes no word:"
                                      : fmt::format("did not end within {} cycles:", cycles));
}

void Run::State::rest(const std::vector<Tiles>& some, const std::string& what, uint64_t cycles,
                      const std::vector<StreamPort>& sends, uint64_t* at) {
  wait_for_rest(*machine, some, what, cycles, sends, at);
  forget_launches(some);
}

bool Run::State::rests(const std::vector<Tiles>& some, const std::string& what, uint64_t cycles,
                       uint64_t* at) {
  if (!reach_rest(*machine, some, what, cycles, {}, at)) return false;
  forget_launches(some);
  return true;
}

void Run::State::forget_launches(const std::vector<Tiles>& some) {
  for (const Tiles& t : some) {
    for (const size_t i : places(t.rect)) launched[i] = {};
  }
}

// Words on their way to the stopped tiles would be in the way of the next program: they are emptied
// out of the queues until none comes any more.
void Run::State::stop(const std::vector<Tiles>& some, const std::string& what) {
  constexpr uint64_t kFollowCycles = 100;  // after which words that wait have followed
  machine->end_callbacks(*this);
  ControlPlane& control = machine->control();
  for (const Tiles& t : some) control.write(t.rect, kRegCoreCtrl, kCoreReset);
  cancelled = what;
  forget_launches(some);
  const std::vector<StreamPort> ports = ports_of(streams_in);
  const auto waiting = [&] {
    std::vector<size_t> all;
    for (const StreamPort& port : ports) {
      all.push_back(machine->device().pending_sends(port.side, port.index, port.colour));
    }
    for (const Tiles& t : some) {
      for (const std::vector<uint32_t>& words : control.read_rect(t.rect, kRegRtOccupied, 1)) {
        all.push_back(words[0] & ((uint32_t{1} << machine->info().colours) - 1));
      }
    }
    return all;
  };
  std::vector<size_t> before;
  for (std::vector<size_t> now = waiting(); now != before; now = waiting()) {
    before = std::move(now);
    for (const Tiles& t : some) control.write(t.rect, kRegCoreCtrl, kCoreClearQueues);
    machine->work(kFollowCycles, nullptr);
  }
}

// ------------------------------------------------------------------------------------ launches --
// An activation is one bit, and all launches of a tile share one place for arguments. So a task
// must have begun before it is launched again, and must have read its arguments before others are
// written.
void Run::State::await_turn(const Tiles& tiles, const std::string& what, uint32_t task,
                            bool arguments) {
  const std::vector<size_t> at = places(tiles.rect);
  std::vector<uint32_t> awaited;
  uint32_t any = 0;
  for (const size_t i : at) {
    awaited.push_back(launched[i].tasks & (bit(task) | (arguments ? launched[i].arguments : 0)));
    any |= awaited.back();
  }
  if (any == 0) return;
  ControlPlane& control = machine->control();
  control.fence(tiles.rect);
  const auto waits = [&] {
    const auto words = control.read_rect(tiles.rect, kRegTaskActivate, 1);
    for (size_t k = 0; k < words.size(); ++k) {
      if ((words[k][0] & awaited[k]) != 0) return true;
    }
    return false;
  };
  Device& device = machine->device();
  const uint64_t begin = device.patience_cycle();
  while (waits()) {
    const RunStatus status = machine->work(kBeginCycles, nullptr);
    const bool late = device.patience_cycle() - begin >= Event::kCycleLimit;
    if (!late && (status != RunStatus::Quiet || !waits())) continue;
    check_errors(control, tiles.rect, &tiles.part->image);
    throw DeviceFault(
        fmt::format("{} cannot be launched, as what was launched before has not "
                    "begun{}\n{}",
                    what, late ? fmt::format(" within {} cycles", Event::kCycleLimit) : "",
                    hang_text(*machine)));
  }
  if (arguments) machine->work(kBeginCycles, nullptr);
  for (size_t k = 0; k < at.size(); ++k) {
    launched[at[k]].tasks &= ~awaited[k];
    launched[at[k]].arguments &= ~awaited[k];
  }
}

Event Run::launch_with(const std::string& name, const std::vector<Argument>& arguments) {
  state_->check_usable();
  const auto launches = [&](const State::LoadedPart& part) {
    const std::vector<ElfLaunch>& all = part.image.launches();
    return std::any_of(all.begin(), all.end(), [&](const ElfLaunch& l) { return l.name == name; });
  };
  std::vector<State::Tiles> tiles = state_->tiles(area_);
  tiles.erase(std::remove_if(tiles.begin(), tiles.end(),
                             [&](const State::Tiles& t) { return !launches(*t.part); }),
              tiles.end());
  const std::string what = fmt::format("'{}'{}", name, state_->where(area_));
  if (tiles.empty()) {
    const auto& parts = state_->parts;
    const bool elsewhere = std::any_of(parts.begin(), parts.end(), launches);
    if (elsewhere) throw BadInput(what + ": none of these tiles has this launch");
    parts.front().image.launch(name);  // says what there is instead
  }
  // In all parts or in none.
  std::vector<std::vector<uint32_t>> words;
  for (const State::Tiles& t : tiles) {
    words.push_back(argument_words(t.part->image, t.part->image.launch(name), arguments));
  }
  ControlPlane& control = state_->machine->control();
  for (const State::Tiles& t : tiles) {
    state_->await_turn(t, what, t.part->image.launch(name).task, !arguments.empty());
  }
  for (size_t k = 0; k < tiles.size(); ++k) {
    const State::Tiles& t = tiles[k];
    const uint32_t task = t.part->image.launch(name).task;
    if (!arguments.empty()) {
      control.write(t.rect, t.part->image.exported("ow_args").addr, words[k]);
    }
    control.write(t.rect, kRegTaskActivate, bit(task));
    state_->machine->written(t.rect);
    for (const size_t i : state_->places(t.rect)) {
      State::Launched& before = state_->launched[i];
      before.tasks |= bit(task);
      before.arguments &= ~bit(task);
      if (!arguments.empty()) before.arguments |= bit(task);
    }
  }
  return Event(std::make_shared<LaunchState>(state_, std::move(tiles), what));
}

void Run::wait(uint64_t cycles) {
  state_->check_usable();
  const bool all = area_ == state_->rect;
  state_->rest(state_->tiles(area_), "the program" + state_->where(area_), cycles,
               all ? ports_of(state_->streams_in) : std::vector<StreamPort>());
}

}  // namespace ow
