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
#include "ow/swarmx/weight_clock.h"

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
  // `biases`: the words of them that each grid row gets in front of it, or none.
  void open(int samples, bool labelled, std::vector<uint64_t> biases);

  // A micro-batch's gradients are looked at; each leaves a grid row as the wavelet of this number
  // of the stream, which was on the wires of this cycle. Row by row in their order.
  void begin_gradients();
  void gradient(int row, size_t layer, swarmx::GradientRun::Kind kind, size_t number,
                uint64_t cycle);
  // .. in cycles of the training.
  const swarmx::WaferGradients& gradients() const { return gradients_; }

  // Cycles that samples, latencies and, if its weights are new, the update would take in front of
  // what was opened last if it had to wait for each of them.
  uint64_t alone() const { return alone_; }

 private:
  uint64_t all_left() const;  // of what led to the weights there are
  EdgeReady ready(uint64_t left, const memoryx::ReadyTime& time) const;

  Device& device_;
  const TrainPlan& plan_;
  EdgeTime edge_;
  // Cycles of the device up to now that were no time of the training. All that follow are of it.
  uint64_t skipped_ = 0;
  swarmx::WeightClock clock_;  // where MemoryX is the wafer's side
  memoryx::WeightTimes weights_;
  swarmx::WaferGradients gradients_;  // of the last micro-batch
  // When the last one of them had left; and of the step that led to the weights there are.
  struct Left {
    std::vector<uint64_t> layers;
    uint64_t biases = 0;
  };
  Left leaving_;
  Left left_;
  bool wait_ = false;  // updates, for the last gradient
  bool reduces_ = false;
  uint64_t tail_ = 0;  // cycles that gradients went on leaving behind the step's last pass
  uint64_t step_ = 0;  // whose weights these are
  uint64_t alone_ = 0;
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_TRAIN_TIME_H_
