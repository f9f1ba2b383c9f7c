// SPDX-License-Identifier: Apache-2.0
// max(x, 0), by the reducers of the pass before it. The deltas of a window are masked after its
// pass.
#include "ow/compile/lowering.h"
#include "ow/firmware/job.h"

namespace ow::jobs {
const Lowering& relu_lowerings() {
  static const FinishPart finish{OW_PASS_RELU, "gate", 125};
  static const Lowering lowering{"relu", nullptr, &finish};
  return lowering;
}

}  // namespace ow::jobs
