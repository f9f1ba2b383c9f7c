// SPDX-License-Identifier: Apache-2.0
// When the update of a layer's parameters is over, in simulated cycles.
//
// Each grid row has its share of the optimizer, which updates the parameters of the gradients that
// come from there one by one, in the order in which they come: those of the last layer first, and
// of a layer the biases before the matrix. So the update of a layer goes on while the gradients of
// the layers below are still made, and the weights of the first layer, of which the next step's
// forward pass has need first, are behind all others. Where no parameter may change before all
// gradients are known (N17: the norm that clips them, an overflow that skips the step), nothing is
// updated before the last one; then come the biases, which go into the tiles before a step begins,
// and the layers' matrices in the order in which the next step takes them.
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

// When parameters are new, in cycles.
struct ReadyTime {
  uint64_t came = 0;   // the last gradient without which they could not be updated
  uint64_t ready = 0;  // updated: they may leave
};
struct WeightTimes {
  std::vector<ReadyTime> layers;  // the matrix of each
  ReadyTime biases;               // of all layers
  uint64_t update = 0;  // what the update that led to them takes by itself; 0: there was none
};

class UpdateTime {
 public:
  UpdateTime(const Flow& optimizer, int rows, size_t layers);

  // The gradients of a micro-batch begin to come, those of the one before are forgotten: only the
  // last one of a step leads to an update.
  void begin();
  // So many gradients of a layer's matrix, or of its biases, come from a grid row, the first in
  // cycle `from` or later, the last in cycle `to`. Those of a row are named in the order in which
  // they come.
  enum class Of { Matrix, Biases };
  void leave(int row, size_t layer, uint64_t count, uint64_t from, uint64_t to, Of of = Of::Matrix);

  // Cycle of the last gradient; 0 if there was none.
  uint64_t last() const { return last_; }
  // From when on weights are up to date.
  WeightTimes times(bool wait) const;
  // What the whole update takes by itself, in cycles.
  uint64_t alone() const;

 private:
  struct Part {
    uint64_t count = 0;  // gradients that have come ...
    uint64_t came = 0;   // ... the last of them in this cycle ...
    uint64_t end = 0;    // ... and was through, in 1/65,536 cycles
  };
  struct Row {
    uint64_t at = 0;  // 1/65,536 cycles: through with what has come
    std::vector<Part> layers;
    Part biases;
  };
  uint64_t period_;   // 1/65,536 cycles an update
  uint64_t latency_;  // cycles
  size_t layers_;
  std::vector<Row> rows_;
  uint64_t last_ = 0;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_UPDATE_TIME_H_
