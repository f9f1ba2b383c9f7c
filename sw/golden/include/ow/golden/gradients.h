// SPDX-License-Identifier: Apache-2.0
// Gradients of parameters: sums over the samples, in the order of N15.
#ifndef OW_GOLDEN_GRADIENTS_H_
#define OW_GOLDEN_GRADIENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/golden/numerics.h"
#include "ow/tensor/network.h"

namespace ow::golden {

// The samples of a grid row: `columns` tiles of `samples` each.
struct SampleRow {
  explicit SampleRow(const Numerics& numerics)
      : samples(static_cast<size_t>(numerics.samples)),
        columns(static_cast<size_t>(numerics.columns)) {}
  size_t samples;
  size_t columns;
  size_t width() const { return samples * columns; }
};

// The values of all features, feature by feature.
std::vector<float> values_of(HalfType type, const Activations& a);

// Dot products of a delta with `count` rows of inputs, those in the mask (null: all): in each tile
// by N6, then from the last column to the first.
void gradients_of_row(HalfType type, const float* delta, const float* inputs, size_t count,
                      SampleRow row, const uint8_t* mask, float* out);

// The sum of a delta in the same order.
float sum_of_row(const float* delta, SampleRow row);

}  // namespace ow::golden

#endif  // OW_GOLDEN_GRADIENTS_H_
