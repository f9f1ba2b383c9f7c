// SPDX-License-Identifier: Apache-2.0
#include "openwafer/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ow/device/sim_control.h"
#include "ow/diagnose/hang_report.h"
#include "ow/diagnose/tile_error.h"
#include "ow/runtime/machine.h"
#include "runtime_state.h"

namespace ow {

// ------------------------------------------------------------------------------------- machine --
Runtime::State::State(std::unique_ptr<Device> device)
    : device_(std::move(device)), control_(*device_) {
  tile_ = read_tile_config(control_, 0, 0);
  const TileConfig& config = tile_;
  info_.description = device_->description();
  info_.grid = device_->shape();
  info_.lanes = config.lanes;
  info_.threads = config.threads;
  info_.colours = config.colours;
  info_.sram_bytes = config.sram_bytes;
  using Features = isa::reg::Features;
  const auto count = [&](uint32_t n) { return static_cast<int>(n); };
  info_.queues = count(Features::Queues::get(config.features));
  info_.descriptors = count(Features::Dsrs::get(config.features)) + 1;
  info_.tasks = count(Features::Tasks::get(config.features)) + 1;
  info_.positions = count(Features::Positions::get(config.features));
  info_.filters = count(Features::Filters::get(config.features));
  info_.fifos = count(Features::Fifos::get(config.features));
  info_.counters = Features::Counters::get(config.features) != 0;
}

RunStatus Runtime::State::work(uint64_t cycles, const std::function<bool()>& done) {
  // A consumer that takes no word while nothing else moves is asked this often again.
  constexpr int kAsks = 1000;
  const uint64_t begin = device_->patience_cycle();
  const uint64_t end = begin + std::min(cycles, std::numeric_limits<uint64_t>::max() - begin);
  uint64_t moved_at = 0;
  for (int asked = 0;; ++asked) {
    const uint64_t now = device_->patience_cycle();
    if (now != moved_at) asked = 0;
    moved_at = now;
    const RunStatus status = device_->run(end - std::min(end, now), [&] {
      serve();
      return done && done();
    });
    if (status != RunStatus::Quiet || asked == kAsks || !refused()) return status;
  }
}

static HangReport hang_report(Runtime::State& machine) {
  constexpr uint64_t kSettleCycles = 1000;
  ControlPlane& control = machine.control();
  machine.work(kSettleCycles, nullptr);
  LoadedImages images;
  for (const std::shared_ptr<Run::State>& run : machine.runs) {
    for (const Run::State::LoadedPart& part : run->parts)
      images.push_back({part.rect, &part.image});
  }
  return make_hang_report(control, images);
}

static std::string lines(const HangReport& report) {
  std::string text = report.text();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string hang_text(Runtime::State& machine) {
  std::string text = lines(hang_report(machine));
  for (const StreamPort& port : machine.refusing()) {
    text += fmt::format("\nthe consumer of colour {} at the {} edge, port {}, takes no word",
                        port.colour, side_name(port.side), port.index);
  }
  return text;
}

std::string fault_text(Runtime::State& machine, bool held) {
  try {
    for (const std::shared_ptr<Run::State>& run : machine.runs) {
      for (const Run::State::LoadedPart& part : run->parts) {
        check_errors(machine.control(), part.rect, &part.image);
      }
    }
    const HangReport report = hang_report(machine);
    if (held && report.diagnoses.empty()) return "no tile has stopped, and none waits";
    return lines(report);
  } catch (const Error& error) {
    return error.what();
  }
}

// ---------------------------------------------------------------------------------- the public --
void Event::wait(uint64_t cycles) { state_->wait(cycles); }
bool Event::done() const { return state_->done(); }
void Event::cancel() { state_->cancel(); }
uint64_t Event::cycle() const { return state_->cycle(); }

Runtime make_runtime(std::unique_ptr<Device> device) {
  return Runtime(std::make_shared<Runtime::State>(std::move(device)));
}
const TileConfig& tile_of(const Runtime& machine) { return Internals::of(machine).tile(); }
Device& device_of(const Runtime& machine) { return Internals::of(machine).device(); }
RunStatus work(const Runtime& machine, uint64_t cycles, const std::function<bool()>& done) {
  return Internals::of(machine).work(cycles, done);
}
void copy_directly(const Runtime& machine, bool direct) {
  Runtime::State& state = Internals::of(machine);
  const SimControl* const sim = state.device().sim();
  if (direct && (sim == nullptr || !sim->has_memory())) {
    throw BadInput(machine.info().description + " has no memories that the host could write to");
  }
  state.set_direct(direct);
}
std::string fault_text(const Runtime& machine) { return fault_text(Internals::of(machine), false); }
const MachineInfo& Runtime::info() const { return state_->info(); }
void Runtime::end_recording() const {
  if (SimControl* const sim = state_->device().sim()) sim->end_recording();
}
uint64_t Runtime::cycle() const { return state_->device().cycle(); }

Run Runtime::load(const Program& program, std::optional<Rect> rect) {
  Rect at = whole(grid());
  if (rect) {
    at = *rect;
  } else if (program.state().layout) {
    at = whole(program.state().layout->shape());
  }
  return Run(ow::load(state_, program, at), at);
}

}  // namespace ow
