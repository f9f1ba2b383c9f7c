// SPDX-License-Identifier: Apache-2.0
// When the update of a layer's parameters is over, in simulated cycles.
//
// Each grid row has its share of the optimizer, which updates the parameters of the gradients that
// leave there one by one, in the order in which they leave: those of the last layer first. So the
// update of a layer goes on while the gradients of the layers below are still made, and the weights
// of the first layer, of which the next step's forward pass has need first, are behind all others.
// Where no parameter may change before all gradients are known (N17: the norm that clips them, an
// overflow that skips the step), nothing is updated before the last one; then the layers come in
// the order in which the next step takes them.
#ifndef OW_MEMORYX_UPDATE_TIME_H_
#define OW_MEMORYX_UPDATE_TIME_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/memoryx/time_model.h"
#include "ow/tensor/training.h"

namespace ow::memoryx {

// Whether a job's updates wait for the last gradient of a step: it clips by the norm of all, or its
// loss scale follows the overflows. With a fixed scale an overflow is no part of the plan: what has
// been updated is taken back then, from old values that are kept until the last gradient is there.
bool updates_wait(const TrainingJob& job);

class UpdateTime {
 public:
  UpdateTime(const Flow& optimizer, int rows, size_t layers);

  // The gradients of a micro-batch begin to leave, those of the one before are forgotten: only the
  // last one of a step leads to an update.
  void begin();
  // So many gradients of a layer's parameters leave a grid row, the first in cycle `from` or later,
  // the last in cycle `to`. Those of a row are named in the order in which they leave.
  void leave(int row, size_t layer, uint64_t count, uint64_t from, uint64_t to);

  // Cycle of the last gradient; 0 if there was none.
  uint64_t last() const { return last_; }
  // For each layer the cycle from which on its weights are up to date.
  std::vector<uint64_t> ready(bool wait) const;
  // What the whole update takes by itself, in cycles.
  uint64_t alone() const;

 private:
  struct Row {
    uint64_t at = 0;              // 1/65,536 cycles: through with what has left
    std::vector<uint64_t> count;  // by layer, gradients that have left ...
    std::vector<uint64_t> end;    // ... and when the last of them was through
  };
  uint64_t period_;   // 1/65,536 cycles an update
  uint64_t latency_;  // cycles
  size_t layers_;
  std::vector<Row> rows_;
  uint64_t last_ = 0;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_UPDATE_TIME_H_
