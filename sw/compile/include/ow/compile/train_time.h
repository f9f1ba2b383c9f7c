// SPDX-License-Identifier: Apache-2.0
// Time outside the wafer of a training: what the streams of a micro-batch have to wait for, and
// what all that would take if nothing of it went on while the wafer works.
#ifndef OW_COMPILE_TRAIN_TIME_H_
#define OW_COMPILE_TRAIN_TIME_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/compile/edge_time.h"
#include "ow/compile/train_plan.h"
#include "ow/device/device.h"
#include "ow/memoryx/update_time.h"
#include "ow/memoryx/wafer_side.h"

namespace ow::jobs {

class TrainTime {
 public:
  // BadInput if the model takes time and the device is not simulated.
  TrainTime(Device& device, const TrainPlan& plan, const TimeModel& model);

  EdgeTime& edge() { return edge_; }

  // A micro-batch or a forward pass begins, so many cycles after the grid came to rest, which are
  // no time of the training: whatever goes on outside the wafer goes on from here. Its weights are
  // those that `memory` has now.
  void begin(uint64_t between, const memoryx::WaferSide& memory);
  // Its stream is opened; so many samples of it lie in the tiles, with what a loss wants of them.
  void open(int samples, bool labelled);

  // A micro-batch's gradients are looked at: they left a grid row in these cycles, in this order.
  void begin_gradients() { updates_.begin(); }
  void gradient(int row, size_t layer, uint64_t cycle) {
    updates_.leave(row, layer, 1, cycle, cycle);
  }

  // Cycles that samples, latencies and, if its weights are new, the update would take in front of
  // what was opened last if it had to wait for each of them.
  uint64_t alone() const { return alone_; }

 private:
  const TrainPlan& plan_;
  EdgeTime edge_;
  memoryx::UpdateTime updates_;
  std::vector<uint64_t> ready_;  // by layer: cycle from which its weights are up to date
  uint64_t step_ = 0;            // whose weights these are
  uint64_t update_ = 0;          // cycles of the update before what begins next
  uint64_t alone_ = 0;
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_TRAIN_TIME_H_
