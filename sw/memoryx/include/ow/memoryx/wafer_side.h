// SPDX-License-Identifier: Apache-2.0
// What a wafer sees of a training's weights: streams in, and room for gradients out. With one wafer
// this is MemoryX itself. With several, SwarmX gives one to each wafer (ow/swarmx/wafer_memory.h).
#ifndef OW_MEMORYX_WAFER_SIDE_H_
#define OW_MEMORYX_WAFER_SIDE_H_

#include <cstdint>
#include <memory>

#include "ow/graph/training.h"
#include "ow/memoryx/store.h"
#include "ow/memoryx/stream_schedule.h"
#include "ow/memoryx/update_time.h"
#include "ow/memoryx/weight_stream.h"

namespace ow::memoryx {

// The times that SwarmX tells a wafer, in cycles of the training (ow/swarmx/weight_clock.h).
struct SwarmTimes {
  WeightTimes weights;   // for the step of this round
  bool reduces = false;  // the next micro-batch is the last one of this wafer in the step
};

class WaferSide {
 public:
  virtual ~WaferSide() = default;

  virtual const TrainingJob& job() const = 0;
  // Biases, masks and gradients. Only MemoryX also has the masters of matrices.
  virtual const Store& store() const = 0;

  virtual uint64_t step() const = 0;
  virtual float loss_scale() const = 0;
  // Parameters changed by the update before this step; 0 if there was none.
  virtual uint64_t updated() const = 0;
  // What SwarmX tells. Null if MemoryX itself is this side: its weights then wait for this wafer
  // only.
  virtual const SwarmTimes* times() const { return nullptr; }
  // Whether this step needs gradients of a parameter outside its mask.
  virtual bool needs_dense(size_t tensor) const = 0;

  // The streams of a schedule. The end of the step invalidates them. One of several wafers gets
  // what MemoryX sends to all of them: InternalError if that is of another schedule.
  virtual std::unique_ptr<WeightStream> stream(const StreamSchedule& schedule,
                                               const StreamOptions& options) const = 0;

  // The gradient array for the next micro-batch. The caller writes all elements, or those of the
  // mask. They are gradients of the loss times loss_scale(), summed over the samples.
  virtual int gradient_slot() const = 0;
  virtual void gradient_added() = 0;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_WAFER_SIDE_H_
