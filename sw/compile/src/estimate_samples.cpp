// SPDX-License-Identifier: Apache-2.0
#include "estimate_samples.h"

#include "ow/compile/lowering.h"
#include "ow/device/bulk.h"
#include "ow/tensor/distribution.h"

namespace ow::jobs {
namespace {

// A tile's block of so many features comes in through a port of its row or column, all ports at the
// same time.
uint64_t block_in(const EstimateShape& shape, const JobCosts& costs, int features) {
  constexpr uint64_t kPacketWords = Bulk::kPacketWords;
  const auto rows = static_cast<uint64_t>(shape.grid.rows);
  const auto cols = static_cast<uint64_t>(shape.grid.cols);
  const uint64_t ports = 2 * (rows + cols), blocks = (rows * cols + ports - 1) / ports;
  const auto own = static_cast<uint64_t>(owned_elements(features, 0, shape.grid.rows));
  const uint64_t words = own * static_cast<uint64_t>(shape.samples) / 2;
  return blocks * (words + (words + kPacketWords - 1) / kPacketWords * costs.header) + rows + cols;
}

}  // namespace

uint64_t samples_in(const EstimateShape& shape, const JobCosts& costs) {
  const auto cols = static_cast<uint64_t>(shape.grid.cols);
  const uint64_t cycles = block_in(shape, costs, shape.values.front());
  if (targets_of(shape.job.loss) == TargetForm::Values) {
    return cycles + block_in(shape, costs, shape.outputs);
  }
  return cycles + cols * (static_cast<uint64_t>(shape.samples) + costs.header);
}

uint64_t biases_in(const EstimateShape& shape, const JobCosts& costs) {
  const auto rows = static_cast<uint64_t>(shape.grid.rows);
  uint64_t cycles = 0;
  for (const int features : shape.vectors) {
    cycles += static_cast<uint64_t>(features) + rows * costs.header;
  }
  return cycles;
}

uint64_t bias_words(const EstimateShape& shape) {
  uint64_t words = 0;
  for (const int features : shape.vectors) {
    words += static_cast<uint64_t>(owned_elements(features, 0, shape.grid.rows));
  }
  return words;
}

uint64_t sample_bits(const EstimateShape& shape) {
  constexpr uint64_t kHalfBits = 16;
  const auto inputs = static_cast<uint64_t>(shape.values.front());
  const uint64_t targets = shape.training() ? target_bits(shape.job.loss, shape.outputs) : 0;
  return static_cast<uint64_t>(shape.samples) * static_cast<uint64_t>(shape.grid.cols) *
         (kHalfBits * inputs + targets);
}

}  // namespace ow::jobs
