// SPDX-License-Identifier: Apache-2.0
// When the update of parameters ends, in simulated cycles.
//
// Each grid row has a share of the optimizer. It updates weights one by one, in the order in which
// their gradients arrive, while other gradients are still computed. What the next step needs first
// comes last if its gradients do.
//
// Some jobs may change no parameter before all gradients are known (N17: a norm that clips them, an
// overflow that skips the step). Then updates begin after the last gradient: first what is in the
// tiles before a step begins (biases), then what is streamed, in the order in which the next step
// takes it.
#ifndef OW_MEMORYX_UPDATE_TIME_H_
#define OW_MEMORYX_UPDATE_TIME_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/graph/training.h"
#include "ow/memoryx/time_model.h"

namespace ow::memoryx {

// Whether updates wait for the last gradient of a step: the job clips by the norm of all gradients,
// or its loss scale follows overflows. With a fixed scale updates do not wait for an overflow: the
// optimizer keeps old values until the last gradient and restores them then.
bool updates_wait(const TrainingJob& job);

// When parameters are new, in cycles.
struct ReadyTime {
  uint64_t came = 0;   // the last gradient that the update needed arrived
  uint64_t ready = 0;  // the update is done and they may leave
};
struct WeightTimes {
  std::vector<ReadyTime> streamed;  // by parameter; of those that are streamed
  ReadyTime resident;               // of all others
  uint64_t update = 0;  // length of the update that led to them, by itself; 0: there was none
};

class UpdateTime {
 public:
  // `streamed`: the parameters that are streamed, in the order in which a step takes them.
  UpdateTime(const Flow& optimizer, int rows, std::vector<size_t> streamed);

  // A new micro-batch's gradients begin to arrive. Those of the last one are forgotten, because
  // only the last micro-batch of a step leads to an update.
  void begin();
  // `count` gradients of a parameter arrive from a grid row, the first in cycle `from` or later,
  // the last in cycle `to`. Calls for one row must be in the order of arrival.
  void leave(int row, size_t parameter, uint64_t count, uint64_t from, uint64_t to);

  // Cycle of the last gradient; 0 if there was none.
  uint64_t last() const { return last_; }
  // When the weights are up to date. `wait`: updates_wait().
  WeightTimes times(bool wait) const;
  // Cycles of the whole update by itself.
  uint64_t alone() const;

 private:
  struct Update {
    uint64_t count = 0;  // gradients that have arrived ...
    uint64_t came = 0;   // ... the last of them in this cycle ...
    uint64_t end = 0;    // ... and their update ended at this time, in 1/65,536 cycles
  };
  struct Row {
    uint64_t at = 0;               // end of all updates so far, in 1/65,536 cycles
    std::vector<Update> streamed;  // in their order
    Update resident;
  };
  uint64_t period_;   // 1/65,536 cycles per update
  uint64_t latency_;  // cycles
  std::vector<size_t> streamed_;
  std::vector<size_t> place_;  // of each parameter among them; their number: not streamed
  std::vector<Row> rows_;
  uint64_t last_ = 0;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_UPDATE_TIME_H_
