// SPDX-License-Identifier: Apache-2.0
// The seeds of deadlocks: the set-up of each, and what the hang report must say about it.
#ifndef OW_MEASURE_DEADLOCK_SEEDS_H_
#define OW_MEASURE_DEADLOCK_SEEDS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ow/device/sim_control.h"
#include "ow/diagnose/hang_report.h"
#include "ow/measure/deadlock_tile.h"
#include "ow/runtime/cores.h"
#include "ow/runtime/load_image.h"
#include "ow/runtime/ramp.h"
#include "ow/runtime/routes.h"
#include "ow/sim/sim.h"

namespace ow::deadlock {

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
  RunStatus run(uint64_t cycles) { return device_->run(cycles); }

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
  std::vector<std::string> says = {};  // words of the line that names the cause
  bool ends = true;                    // the run comes to rest; else it stops at a time limit
};

std::vector<Seed> seeds();

}  // namespace ow::deadlock

#endif  // OW_MEASURE_DEADLOCK_SEEDS_H_
