// SPDX-License-Identifier: Apache-2.0
#include "ow/open/machine.h"

#include <fmt/format.h>

#include <utility>

#include "ow/base/error.h"
#include "ow/open/board.h"
#include "ow/open/mini.h"
#include "ow/wafer/files.h"

namespace ow {
namespace {

constexpr GridShape kMonolithic{2, 2};

bool is_board(MachineKind kind) {
  return kind == MachineKind::Board || kind == MachineKind::FpgaSim;
}

}  // namespace

Machine::Machine(MachineSpec spec, MachineOptions options)
    : spec_(std::move(spec)), options_(std::move(options)), wanted_(spec_.grid) {
  options_.sim.engine = spec_.engine;
  options_.sim.width = spec_.width;
  options_.sim.threads = spec_.threads;
  options_.sim.lockstep = spec_.lockstep;
  options_.sim.save_file = spec_.save_file;
  options_.sim.save_every = spec_.save_every;
  options_.sim.restore_file = spec_.restore_file;
}

void Machine::check_size(GridShape offered) const {
  if (!wanted_ || offered == *wanted_) return;
  const bool wafer = spec_.kind == MachineKind::Wafer;
  throw BadInput(fmt::format("{}: the {} {} {} x {}{} tiles, {} wants {} x {}",
                             wafer ? spec_.wafer.wafer : spec_.name, wafer ? "wafer" : "board",
                             wafer ? "offers" : "has", offered.rows, offered.cols,
                             wafer ? " logical" : "", job_, wanted_->rows, wanted_->cols));
}

// Before there is a device, which checks it, too.
void Machine::check_split(GridShape grid) const {
  if (spec_.split == 1) return;
  if (!options_.sim.ranks) {
    throw BadInput(spec_.name + ": split= is only for ow run, ow generate, ow serve and ow::open");
  }
  check_ranks(spec_.name, grid, options_.sim, spec_.split);
}

void Machine::fit(GridShape grid, const std::string& job) {
  job_ = job;
  wanted_ = grid;
  if (spec_.grid && *spec_.grid != grid) {
    throw BadInput(
        fmt::format("{}: {} wants {} x {} tiles", spec_.name, job, grid.rows, grid.cols));
  }
  if (spec_.kind == MachineKind::Mono && grid != kMonolithic) {
    throw BadInput(fmt::format("{}: the monolithic simulator is 2 x 2, {} wants {} x {} tiles",
                               spec_.name, job, grid.rows, grid.cols));
  }
  check_split(grid);
  if (spec_.kind != MachineKind::Wafer) return;
  const wafer::WaferSource& source = spec_.wafer;
  const wafer::Shape shape = wafer::read_shape(source.wafer);
  if (!source.defects.empty()) wafer::read_faults(source.defects, shape);
  std::optional<wafer::Window> window = source.part.window;
  if (!source.map.empty()) window = wafer::read_map(source.map).window;
  // The largest rectangle that works is only known when the wafer has been brought up.
  if (source.part.accept_smaller && !window) return;
  check_size(window ? GridShape{window->rows, window->cols}
                    : GridShape{shape.logical_rows(), shape.logical_cols()});
}

void Machine::check_faults() const {
  if (spec_.kind != MachineKind::Wafer) return;
  const wafer::Shape shape = wafer::read_shape(spec_.wafer.wafer);
  const std::string& defects = spec_.wafer.defects;
  wafer::make_wafer_device(shape,
                           defects.empty() ? wafer::Faults() : wafer::read_faults(defects, shape),
                           spec_.wafer.sim);
}

void Machine::connect() {
  if (is_board(spec_.kind)) connected_ = device();
}

std::unique_ptr<Device> Machine::open_wafer() const {
  wafer::WaferSource source = spec_.wafer;
  source.firmware = options_.firmware;
  source.progress = options_.on_step;
  wafer::ReadyWafer ready = wafer::ready_wafer(source);
  if (options_.on_wafer) options_.on_wafer(ready);
  if (!ready.device) throw DeviceFault(ready.refusal);
  return std::move(ready.device);
}

std::unique_ptr<Device> Machine::device() {
  if (connected_) return std::move(connected_);
  const auto grid = [this] {
    if (!wanted_)
      throw BadInput(fmt::format("{}: needs the grid, as {}:2x2", spec_.name, spec_.text));
    return *wanted_;
  };
  std::unique_ptr<Device> device;
  switch (spec_.kind) {
    case MachineKind::Golden:
      throw BadInput(spec_.name + ": is a model, and no machine");
    case MachineKind::Sim:
      check_split(grid());
      return make_device(DeviceKind::Replicated, grid(), options_.sim);
    case MachineKind::Mono:
      return make_device(DeviceKind::Monolithic, grid(), options_.sim);
    case MachineKind::SimMini:
      return make_mini_grid(grid(), options_.sim.check_idle);
    case MachineKind::Wafer:
      device = open_wafer();
      break;
    case MachineKind::Board:
      device = uart::open_board(spec_.text);
      break;
    case MachineKind::FpgaSim:
      if (!options_.simulated_board) {
        throw BadInput(spec_.name + ": this program has no simulated board; `ow run` has");
      }
      device = uart::open_board(options_.simulated_board(grid()));
      break;
  }
  check_size(device->shape());
  return device;
}

}  // namespace ow
