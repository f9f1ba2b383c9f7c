// SPDX-License-Identifier: Apache-2.0
// What a micro-batch begins with, as `ow estimate` reckons it.
#ifndef OW_COMPILE_ESTIMATE_SAMPLES_H_
#define OW_COMPILE_ESTIMATE_SAMPLES_H_

#include <cstdint>

#include "ow/compile/estimate.h"

namespace ow::jobs {

// Cycles of samples, and values that are to be reached, in blocks; and of classes through the one
// port of the control plane.
uint64_t samples_in(const EstimateShape& shape, const JobCosts& costs);
// .. of all biases, through that port, too; and the words of them that a grid row gets at most.
uint64_t biases_in(const EstimateShape& shape, const JobCosts& costs);
uint64_t bias_words(const EstimateShape& shape);

// Bits of a batch's samples, and of its classes or the values that are to be reached.
uint64_t sample_bits(const EstimateShape& shape);

}  // namespace ow::jobs

#endif  // OW_COMPILE_ESTIMATE_SAMPLES_H_
