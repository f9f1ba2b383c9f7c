// SPDX-License-Identifier: Apache-2.0
// Computes when the weights of the next step are up to date in MemoryX, from the cycles in which
// gradients left the wafers (docs/training.md, "Time of several wafers").
//
// All cycles are cycles of the training: those that a wafer has worked or waited since the
// beginning. Wafers are simulated in any order, or at the same time on several ranks, but never in
// lock-step. They need not be, because within a step a wafer depends on no other wafer. It takes
// its stream at its own pace. Its gradients move as fast as the stages allow. A stage can buffer
// whatever one of its sides is ahead.
//
// Wafers meet only at sums: a sum exists when both of its inputs have arrived. So each wafer
// reports when its gradients left. With the next step it learns when its weights may leave MemoryX.
#ifndef OW_SWARMX_WEIGHT_CLOCK_H_
#define OW_SWARMX_WEIGHT_CLOCK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/memoryx/time_model.h"
#include "ow/memoryx/update_time.h"

namespace ow::swarmx {

// Stages between MemoryX and this number of wafers. One wafer has none.
int stages_of(int wafers);

// Consecutive gradients that leave a grid row.
struct GradientRun {
  uint32_t parameter = 0;
  uint32_t updated = 1;  // 0: outside the mask
  uint64_t count = 0;
};
struct RowGradients {
  std::vector<GradientRun> runs;
  std::vector<uint64_t> cycles;  // for each gradient, when it had crossed the link out of the wafer
  void add(size_t parameter, bool updated, uint64_t cycle);
};
// The gradients of a wafer's last micro-batch in a step, by grid row.
using WaferGradients = std::vector<RowGradients>;

class WeightClock {
 public:
  // `model` must have as many stages as there are between the wafers and MemoryX. `streamed`: as
  // UpdateTime has them.
  WeightClock(const TimeModel& model, int rows, const std::vector<size_t>& streamed);

  // A step's gradients of all wafers, in the order of the wafers, go back. First comes the latency
  // of the link. Then come the stages, in which neighbouring wafers meet. A stage takes one number
  // per period and passes it on after its latency. Last comes the optimizer. ProtocolError if the
  // wafers' parameters differ.
  void gradients(const std::vector<WaferGradients>& wafers);
  // When the weights of the next step are ready. `updated`: the step has changed weights; if not,
  // this is known when the last gradient has come. `wait`: memoryx::updates_wait.
  const memoryx::WeightTimes& next(bool updated, bool wait);

 private:
  std::vector<uint64_t> reduced(const std::vector<WaferGradients>& wafers, size_t row) const;

  TimeModel model_;
  memoryx::UpdateTime updates_;
  memoryx::WeightTimes times_;
  bool came_ = false;  // gradients() was called since next()
};

}  // namespace ow::swarmx

#endif  // OW_SWARMX_WEIGHT_CLOCK_H_
