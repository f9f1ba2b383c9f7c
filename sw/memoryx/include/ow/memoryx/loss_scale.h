// SPDX-License-Identifier: Apache-2.0
// The factor of the loss that keeps small deltas in the range of binary16. It is a power of two. A
// step that overflows halves it, and a number of steps without overflow doubles it
// (docs/numerics.md, N17).
#ifndef OW_MEMORYX_LOSS_SCALE_H_
#define OW_MEMORYX_LOSS_SCALE_H_

#include <cstdint>

#include "ow/graph/training.h"

namespace ow::memoryx {

class LossScale {
 public:
  // BadInput if a value is not a power of two from 1 to 2^100, or if the interval is 0.
  explicit LossScale(const LossScaleOptions& options);

  float value() const { return value_; }
  uint64_t good_steps() const { return good_; }  // since the last overflow or doubling
  void update(bool overflow);
  // Takes the values of a checkpoint. BadInput as above.
  void restore(float value, uint64_t good_steps);

 private:
  LossScaleOptions options_;
  float value_;
  uint64_t good_ = 0;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_LOSS_SCALE_H_
