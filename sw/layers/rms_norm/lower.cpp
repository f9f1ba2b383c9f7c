// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features, without a mean.
#include "ow/compile/lowering.h"
#include "ow/compile/norm_lowering.h"

namespace ow::jobs {
namespace {

const NormKernels kKernels{"rms_norm",
                           "rms_norm_deltas",
                           {{300, 950}, {512, 512}, {0, 230}, {1, 10}},
                           {{420, 250}, {512, 256}, {150, 170}, {3, 15}}};

void forward(GraphLowering& l, const Op& op) { norm_forward(l, op, kKernels); }
void backward(GraphLowering& l, const Op& op) { norm_backward(l, op, kKernels); }

}  // namespace

const Lowering& rms_norm_lowerings() {
  static const Lowering lowering{"rms_norm", nullptr, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
