// SPDX-License-Identifier: Apache-2.0
// When the weights of the next step are up to date in MemoryX, from when the wafers' gradients left
// them (docs/training.md, "Time of several wafers").
//
// All cycles are the training's: those that a wafer has worked or waited since its beginning.
// Wafers are simulated one by one, or at the same time in several ranks, and never in step. What
// one does in a step needs nothing of the others': its stream comes as it takes it, its gradients
// go as far as stages take them, and a stage has room for what one of its two sides is ahead.
// Wafers meet where data do: a sum is there when both of its numbers are. So each hands over when
// its gradients had left it, and gets, with the next step, when its weights may leave MemoryX.
#ifndef OW_SWARMX_WEIGHT_CLOCK_H_
#define OW_SWARMX_WEIGHT_CLOCK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/memoryx/time_model.h"
#include "ow/memoryx/update_time.h"

namespace ow::swarmx {

// Stages between MemoryX and so many wafers: none for one.
int stages_of(int wafers);

// Gradients that leave a grid row one behind the other.
struct GradientRun {
  enum Kind : uint32_t { Matrix, Biases, Unmasked };  // the last one are updated by nobody
  uint32_t layer = 0;
  uint32_t kind = Matrix;
  uint64_t count = 0;
};
struct RowGradients {
  std::vector<GradientRun> runs;
  std::vector<uint64_t> cycles;  // of each of them: it had crossed the link out of the wafer
  void add(size_t layer, GradientRun::Kind kind, uint64_t cycle);
};
// Of a wafer's last micro-batch of a step, grid row by grid row.
using WaferGradients = std::vector<RowGradients>;

class WeightClock {
 public:
  // `model` has as many stages as there are between the wafers and MemoryX.
  WeightClock(const TimeModel& model, int rows, size_t layers);

  // A step's gradients of all wafers, in their order, go back: through the link's latency; through
  // the stages, in which those of wafers side by side meet, of which each takes a number in its
  // time and passes it on with its latency; to the optimizer. ProtocolError if they are not of the
  // same parameters.
  void gradients(const std::vector<WaferGradients>& wafers);
  // Those of the step behind it. `updated`: it has changed the weights; if not, that no update is
  // wanted is known when the last gradient has come. `wait`: memoryx::updates_wait.
  const memoryx::WeightTimes& next(bool updated, bool wait);

 private:
  std::vector<uint64_t> reduced(const std::vector<WaferGradients>& wafers, size_t row) const;

  TimeModel model_;
  memoryx::UpdateTime updates_;
  memoryx::WeightTimes times_;
  bool came_ = false;  // gradients, since next()
};

}  // namespace ow::swarmx

#endif  // OW_SWARMX_WEIGHT_CLOCK_H_
