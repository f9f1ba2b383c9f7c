// SPDX-License-Identifier: Apache-2.0
// What a wafer sees of a training's weights: streams on the way in, room for gradients on the way
// out. MemoryX is it where there is one wafer and nothing between them; SwarmX has one a wafer
// (ow/swarmx/wafer_memory.h).
#ifndef OW_MEMORYX_WAFER_SIDE_H_
#define OW_MEMORYX_WAFER_SIDE_H_

#include <cstdint>
#include <memory>

#include "ow/memoryx/store.h"
#include "ow/memoryx/update_time.h"
#include "ow/memoryx/weight_stream.h"
#include "ow/tensor/training.h"

namespace ow::memoryx {

// What a wafer is told of time by SwarmX, in cycles of the training (ow/swarmx/weight_clock.h).
struct SwarmTimes {
  WeightTimes weights;   // of the round's step
  bool reduces = false;  // the next micro-batch is the wafer's last one of the step
};

class WaferSide {
 public:
  virtual ~WaferSide() = default;

  virtual const TrainingJob& job() const = 0;
  // Biases, masks and gradients; a matrix's masters only where MemoryX is.
  virtual const Store& store() const = 0;
  // Parameters of a layer in the store; a layer without a bias has none (InternalError).
  virtual size_t weight_of(size_t layer) const = 0;
  virtual size_t bias_of(size_t layer) const = 0;

  virtual uint64_t step() const = 0;
  virtual float loss_scale() const = 0;
  // Parameters that the update before this step has changed; 0 where there was none.
  virtual uint64_t updated() const = 0;
  // What SwarmX tells; null where MemoryX itself is the wafer's side, whose weights wait for this
  // wafer's gradients alone.
  virtual const SwarmTimes* times() const { return nullptr; }
  // Whether this step needs the gradient of a parameter outside its mask, too.
  virtual bool needs_dense(size_t tensor) const = 0;

  // The streams of a whole step, in the order in which a wafer takes them: forward through all
  // layers; then, from the last layer down to the first, the positions of its gradient and, unless
  // it is the first, its weights the other way round. Not to be kept across the end of a step.
  virtual std::unique_ptr<WeightStream> stream_of_step(const StreamOptions& options) = 0;

  // Those of the forward pass alone, through all layers.
  virtual std::unique_ptr<WeightStream> stream_of_forward(const StreamOptions& options) const = 0;

  // Where the next micro-batch's gradients go: all elements that are in the mask, or all. They are
  // of the loss times loss_scale(), summed over the samples.
  virtual int gradient_slot() const = 0;
  virtual void gradient_added() = 0;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_WAFER_SIDE_H_
