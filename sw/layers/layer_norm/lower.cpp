// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features.
#include "ow/compile/lowering.h"
#include "ow/compile/norm_lowering.h"

namespace ow::jobs {
namespace {

const NormKernels kKernels{"layer_norm",
                           "layer_norm_deltas",
                           {{350, 680}, {0, 188}, {2, 26}},
                           {{330, 250}, {110, 120}, {0, 30}}};

void forward(GraphLowering& l, const Op& op) { norm_forward(l, op, kKernels); }
void backward(GraphLowering& l, const Op& op) { norm_backward(l, op, kKernels); }

}  // namespace

const Lowering& layer_norm_lowerings() {
  static const Lowering lowering{"layer_norm", nullptr, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
