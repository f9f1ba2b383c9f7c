// SPDX-License-Identifier: Apache-2.0
// Updates a store's weights from its gradients (docs/numerics.md, N17 and N18). The bits depend on
// neither the threads nor the windows.
#ifndef OW_MEMORYX_OPTIMIZER_H_
#define OW_MEMORYX_OPTIMIZER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ow/graph/training.h"
#include "ow/memoryx/pool.h"
#include "ow/memoryx/store.h"

namespace ow::memoryx {

class Optimizer {
 public:
  // BadInput for an option out of range.
  static void check(const OptimizerOptions& options);

  // BadInput as check(), or if the store has the wrong number of moments. `store` and `pool` must
  // outlive this object.
  Optimizer(const OptimizerOptions& options, Store& store, Pool& pool);

  struct Result {
    bool skipped = false;        // a gradient was infinite or NaN, so nothing has changed
    std::optional<double> norm;  // of the gradients before clipping; none if nothing is clipped
    float rate = 0;
  };
  // Takes the sums in gradient 0 of the store and multiplies them by 1 / `divisor`, rounded. `step`
  // is used by the schedule. `updates` is the number of earlier updates.
  Result step(uint64_t step, uint64_t updates, float divisor);

 private:
  struct Piece {
    size_t tensor;
    size_t first;
    size_t count;
    size_t block;  // of the first element, counted over all tensors
  };
  // Writes sums of squares to squares_ and returns whether all gradients are finite.
  bool survey(float factor);
  void update(const Piece& piece, uint64_t updates, float rate, double exact_rate, float factor,
              float clip);

  OptimizerOptions options_;
  Store& store_;
  Pool& pool_;
  std::vector<Piece> pieces_;
  std::vector<double> squares_;  // one for each block
};

}  // namespace ow::memoryx

#endif  // OW_MEMORYX_OPTIMIZER_H_
