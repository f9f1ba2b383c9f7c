// SPDX-License-Identifier: Apache-2.0
// The sum of a step's gradients over its micro-batches: the fixed tree of docs/numerics.md, N16, in
// as few arrays as possible.
#ifndef OW_MEMORYX_GRADIENT_SUM_H_
#define OW_MEMORYX_GRADIENT_SUM_H_

#include <cstdint>
#include <vector>

#include "ow/memoryx/pool.h"
#include "ow/memoryx/store.h"

namespace ow::memoryx {

class GradientSum {
 public:
  // The number of arrays that a step of `micro_batches` needs.
  static int arrays(int micro_batches);

  // `store` must have arrays() gradients. `store` and `pool` must outlive this object.
  GradientSum(Store& store, Pool& pool) : store_(store), pool_(pool) {}

  // The gradient array of the store for the next micro-batch, or for the next aligned block of
  // them. The caller writes all of its elements.
  int slot() const { return static_cast<int>(weights_.size()); }
  // The array is written. It holds the sum of `micro_batches` micro-batches.
  void added(int micro_batches = 1);
  // Joins all arrays into gradient 0 and starts a new step.
  void finish();
  // Micro-batches added in this step.
  int count() const { return count_; }

 private:
  void merge();  // joins the last two arrays

  Store& store_;
  Pool& pool_;
  std::vector<uint64_t> weights_;  // micro-batches in each array
  int count_ = 0;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_GRADIENT_SUM_H_
