// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features, without a mean.
#include "ow/compile/lowering.h"
#include "ow/compile/norm_lowering.h"

namespace ow::jobs {
namespace {

const NormKernels kKernels{"rms_norm",
                           "rms_norm_deltas",
                           {{300, 600}, {0, 130}, {2, 20}},
                           {{300, 230}, {110, 110}, {0, 28}}};

void forward(GraphLowering& l, const Op& op) { norm_forward(l, op, kKernels); }
void backward(GraphLowering& l, const Op& op) { norm_backward(l, op, kKernels); }

}  // namespace

const Lowering& rms_norm_lowerings() {
  static const Lowering lowering{"rms_norm", nullptr, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
