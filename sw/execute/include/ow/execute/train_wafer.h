// SPDX-License-Identifier: Apache-2.0
// One wafer of a training. It runs the passes of a micro-batch.
#ifndef OW_EXECUTE_TRAIN_WAFER_H_
#define OW_EXECUTE_TRAIN_WAFER_H_

#include <string>

#include "ow/execute/train_grid.h"
#include "ow/graph/training.h"
#include "ow/memoryx/memoryx.h"
#include "ow/memoryx/time_model.h"

namespace ow::jobs {

class TrainWafer {
 public:
  virtual ~TrainWafer() = default;
  virtual std::string description() const = 0;
  // Time outside the wafer from now on. No effect on a wafer without cycles.
  virtual void set_time(const TimeModel& time) = 0;
  // Runs all passes of a micro-batch. Takes the memory's stream once and adds a gradient.
  virtual TrainRun train(memoryx::WaferSide& memory, const Samples& samples,
                         const Targets& targets) = 0;
  // Runs the forward pass alone, for at most a micro-batch.
  virtual TrainRun forward(const memoryx::WaferSide& memory, const Samples& samples) = 0;
  // Ends the recording of the wafer's run, if it has one (Runtime::end_recording).
  virtual void end_recording() {}
};

}  // namespace ow::jobs

#endif  // OW_EXECUTE_TRAIN_WAFER_H_
