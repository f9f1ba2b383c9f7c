// SPDX-License-Identifier: Apache-2.0
// The update of a store's weights by its gradients (docs/numerics.md, N17 and N18): the same bits
// for any number of threads and any size of window.
#ifndef OW_MEMORYX_OPTIMIZER_H_
#define OW_MEMORYX_OPTIMIZER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/memoryx/pool.h"
#include "ow/memoryx/store.h"
#include "ow/tensor/training.h"

namespace ow::memoryx {

class Optimizer {
 public:
  // BadInput for options out of their ranges, or a store with another number of moments. `store`
  // and `pool` must outlive it.
  Optimizer(const OptimizerOptions& options, Store& store, Pool& pool);

  struct Result {
    bool skipped = false;  // a gradient was infinite or NaN: nothing has changed
    double norm = 0;       // of the gradients before clipping; 0 if they are not to be clipped
    float rate = 0;
  };
  // Takes the store's gradients (k = 0), which are sums: they are multiplied with 1 / `divisor`,
  // rounded. `step` is for the schedule, `updates` the number of those that were before this one.
  Result step(uint64_t step, uint64_t updates, float divisor);

 private:
  struct Piece {
    size_t tensor;
    size_t first;
    size_t count;
    size_t block;  // of the first element, over all tensors
  };
  // Sums of squares into squares_; whether all are finite.
  bool survey(float factor);
  void update(const Piece& piece, uint64_t updates, float rate, double exact_rate, float factor,
              float clip);

  OptimizerOptions options_;
  Store& store_;
  Pool& pool_;
  std::vector<Piece> pieces_;
  std::vector<double> squares_;  // of each block
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_OPTIMIZER_H_
