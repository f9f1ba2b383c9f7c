// SPDX-License-Identifier: Apache-2.0
#include "openwafer/runtime.h"

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
  return device_->run(cycles, [&] {
    serve();
    return done && done();
  });
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

std::string hang_text(Runtime::State& machine) { return lines(hang_report(machine)); }

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

Runtime make_runtime(std::unique_ptr<Device> device) {
  return Runtime(std::make_shared<Runtime::State>(std::move(device)));
}
const MachineInfo& Runtime::info() const { return state_->info(); }
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
