// SPDX-License-Identifier: Apache-2.0
// Time outside the wafer of a training: what the streams of a micro-batch wait for, and how long
// all that would take if nothing overlapped with the wafer's work.
#ifndef OW_EXECUTE_TRAIN_TIME_H_
#define OW_EXECUTE_TRAIN_TIME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ow/compile/plan.h"
#include "ow/device/device.h"
#include "ow/execute/edge_time.h"
#include "ow/memoryx/update_time.h"
#include "ow/memoryx/wafer_side.h"
#include "ow/swarmx/weight_clock.h"

namespace ow::jobs {

class TrainTime {
 public:
  // BadInput if the model takes time and the device is not simulated.
  // `in`, `out`: as of EdgeTime.
  TrainTime(Device& device, const std::vector<StreamPort>& in, const std::vector<StreamPort>& out,
            const Plan& plan, const TimeModel& model);

  EdgeTime& edge() { return edge_; }

  // A micro-batch or a forward pass begins. The `between` cycles since the grid came to rest do not
  // count as time of the training. Its weights are the current ones of `memory`.
  void begin(uint64_t between, const memoryx::WaferSide& memory);
  // Opens its stream with `samples` samples in the tiles, and their targets if `labelled`.
  // `biases`: words for each grid row before the stream, or none.
  void open(int samples, bool labelled, std::vector<uint64_t> biases);

  // A micro-batch's gradients follow, row by row, in order. Each left its grid row as the wavelet
  // `number` of the stream, on the wires in cycle `cycle`.
  void begin_gradients();
  void gradient(int row, size_t parameter, bool updated, size_t number, uint64_t cycle);
  // in cycles of the training
  const swarmx::WaferGradients& gradients() const { return gradients_; }

  // Cycles that samples, latencies and, if the weights are new, the update would take before the
  // stream opened last, if they did not overlap.
  uint64_t alone() const { return alone_; }

 private:
  uint64_t all_left() const;  // cycle in which all gradients that led to the current weights had
                              // left
  EdgeReady ready(uint64_t left, const memoryx::ReadyTime& time) const;

  Device& device_;
  const Plan& plan_;
  EdgeTime edge_;
  std::vector<size_t> passes_;  // of the steps of its streams
  std::vector<bool> streamed_;  // by parameter
  // The parameter of each pass that is the first to take its weights.
  std::vector<std::optional<size_t>> first_of_;
  // Cycles of the device so far that do not count as time of the training.
  uint64_t skipped_ = 0;
  swarmx::WeightClock clock_;  // used if MemoryX is the wafer's side
  memoryx::WeightTimes weights_;
  swarmx::WaferGradients gradients_;  // of the last micro-batch
  // When the last of them had left: of the current micro-batch, and of the step that led to the
  // current weights.
  struct Left {
    std::vector<uint64_t> streamed;  // by parameter
    uint64_t resident = 0;
  };
  Left leaving_;
  Left left_;
  bool wait_ = false;  // updates wait for the last gradient
  bool reduces_ = false;
  uint64_t tail_ = 0;  // cycles in which gradients still left after the step's last pass
  uint64_t step_ = 0;  // of the current weights
  uint64_t alone_ = 0;
};

}  // namespace ow::jobs

#endif  // OW_EXECUTE_TRAIN_TIME_H_
