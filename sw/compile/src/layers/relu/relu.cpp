// SPDX-License-Identifier: Apache-2.0
// max(x, 0), by the reducers of the pass before it. The deltas of a window are masked after its
// pass, one vector per cycle.
#include "../kinds.h"
#include "ow/firmware/stream_layer.h"

namespace ow::jobs {
namespace {

int features(const GraphLayer& /*layer*/, const std::vector<int>& inputs) { return inputs[0]; }

}  // namespace

const LayerKind& relu_kind() {
  static const FinishPart finish{OW_SL_RELU, 1};
  static const LayerKind kind{"relu", {}, 1, features, nullptr, &finish};
  return kind;
}

}  // namespace ow::jobs
