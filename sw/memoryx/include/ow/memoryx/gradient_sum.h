// SPDX-License-Identifier: Apache-2.0
// The sum of a step's gradients over its micro-batches: the fixed tree of docs/numerics.md, N16, in
// as few arrays as it needs.
#ifndef OW_MEMORYX_GRADIENT_SUM_H_
#define OW_MEMORYX_GRADIENT_SUM_H_

#include <cstdint>
#include <vector>

#include "ow/memoryx/pool.h"
#include "ow/memoryx/store.h"

namespace ow::memoryx {

class GradientSum {
 public:
  // Arrays that `micro_batches` of a step take.
  static int arrays(int micro_batches);

  // `store`, which has so many gradients, and `pool` must outlive it.
  GradientSum(Store& store, Pool& pool) : store_(store), pool_(pool) {}

  // The store's gradient into which the next micro-batch, or the sum of an aligned block of them,
  // is to be written (every element of it).
  int slot() const { return static_cast<int>(weights_.size()); }
  // It is written, and the sum of so many micro-batches.
  void added(int micro_batches = 1);
  // The sum of what was added is in gradient 0; a new step begins.
  void finish();
  // Micro-batches that were added since the step began.
  int count() const { return count_; }

 private:
  void merge();  // the last two

  Store& store_;
  Pool& pool_;
  std::vector<uint64_t> weights_;  // micro-batches in each array
  int count_ = 0;
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_GRADIENT_SUM_H_
