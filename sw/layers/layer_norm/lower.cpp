// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features.
#include "ow/compile/lowering.h"
#include "ow/compile/norm_lowering.h"

namespace ow::jobs {
namespace {

const NormKernels kKernels{"layer_norm",
                           "layer_norm_deltas",
                           {{330, 1020}, {512, 512}, {0, 400}, {2, 13}},
                           {{450, 280}, {512, 256}, {150, 210}, {4, 17}}};

void forward(GraphLowering& l, const Op& op) { norm_forward(l, op, kKernels); }
void backward(GraphLowering& l, const Op& op) { norm_backward(l, op, kKernels); }

}  // namespace

const Lowering& layer_norm_lowerings() {
  static const Lowering lowering{"layer_norm", nullptr, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
