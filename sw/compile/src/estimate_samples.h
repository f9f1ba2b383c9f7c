// SPDX-License-Identifier: Apache-2.0
// The loading of samples and biases, for `ow estimate`. A tile's block of samples or target values
// comes through a port of its row or column. That takes one cycle per word and 6 cycles for each
// packet of 256 words. Classes and biases come through one port. RTL tiles agree within 50 cycles.
#ifndef OW_COMPILE_ESTIMATE_SAMPLES_H_
#define OW_COMPILE_ESTIMATE_SAMPLES_H_

#include <cstdint>

#include "ow/compile/estimate.h"

namespace ow::jobs {

// Cycles for samples and target values in blocks, or for samples and classes.
uint64_t samples_in(const EstimateShape& shape, const JobCosts& costs);
// Cycles for all biases, and the most words of them for a grid row.
uint64_t biases_in(const EstimateShape& shape, const JobCosts& costs);
uint64_t bias_words(const EstimateShape& shape);

// Bits of a batch's samples and of its classes or target values.
uint64_t sample_bits(const EstimateShape& shape);

}  // namespace ow::jobs

#endif  // OW_COMPILE_ESTIMATE_SAMPLES_H_
