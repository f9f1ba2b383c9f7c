// SPDX-License-Identifier: Apache-2.0
// What normalisations over the features share: sums go round the column. Normalised values and
// scales stay until the deltas are computed. Parameters: a gain, and a bias or none.
#ifndef OW_COMPILE_NORM_LOWERING_H_
#define OW_COMPILE_NORM_LOWERING_H_

#include <cstdint>

#include "ow/compile/graph_lowering.h"

namespace ow::jobs {

// Cycles of two parts: at all, each time for so many fp32 numbers of some features, and for each
// vector of a feature.
struct NormCost {
  uint64_t all[2], numbers[2], time[2], beat[2];
};

// Of struct ow_norm (ow/firmware/job.h).
struct NormKernels {
  const char* forward;
  const char* deltas;
  NormCost forward_cost, deltas_cost;
};

void norm_forward(GraphLowering& l, const Op& op, const NormKernels& kernels);
void norm_backward(GraphLowering& l, const Op& op, const NormKernels& kernels);

}  // namespace ow::jobs

#endif  // OW_COMPILE_NORM_LOWERING_H_
