// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/gradient_time.h"
#include "ow/tensor/distribution.h"

#include <algorithm>
#include <vector>

namespace ow::jobs {
namespace {

// Words that each owner has of a piece.
std::vector<uint64_t> parts_of(const GradientShape& shape, int first, int count) {
  std::vector<uint64_t> words;
  for (int owner = 0; owner < shape.rows; ++owner) {
    const int mine =
        owned_elements(first + count, owner, shape.rows) - owned_elements(first, owner, shape.rows);
    words.push_back(static_cast<uint64_t>(mine) * static_cast<uint64_t>(shape.samples) / 2);
  }
  return words;
}

// Cycles for the sums of the biases: waits of the core, and words in flight.
struct BiasCycles {
  uint64_t core = 0;
  uint64_t flow = 0;
};

BiasCycles bias_cycles(const GradientCosts& costs, const GradientShape& shape) {
  const auto own = static_cast<uint64_t>(owned_elements(shape.outputs, 0, shape.rows));
  const auto beats = static_cast<uint64_t>(shape.samples / shape.lanes);
  const uint64_t begun = costs.bias + costs.column * static_cast<uint64_t>(shape.cols - 1);
  if (shape.rows == 1) return {begun + own * std::max(costs.least_beats, beats), 0};
  return {begun + costs.bias_round + own * std::max(costs.least_beats, beats / 2),
          begun + costs.bias_round + own * beats / 4};
}

}  // namespace

uint64_t gather_cycles(const GradientCosts& costs, const GradientShape& shape, int first, int count,
                       uint64_t prepare) {
  const BiasCycles biases = shape.bias && first == 0 ? bias_cycles(costs, shape) : BiasCycles{};
  if (shape.rows == 1) return biases.core + prepare;
  const std::vector<uint64_t> words = parts_of(shape, first, count);
  const auto rows = static_cast<size_t>(shape.rows);
  std::vector<uint64_t> before(rows, 0), flow(rows, 0), core(rows, 0);
  for (size_t n = 1; n < rows; ++n) {
    for (size_t r = 0; r < rows; ++r) {
      const uint64_t in = words[(r + rows - n) % rows], out = words[(r + rows - n + 1) % rows];
      flow[r] = std::max(before[r], before[(r + rows - 1) % rows]);
      if (in > 0) flow[r] += costs.round_flow + in + std::min(in, out) / 4;
      core[r] += in * 3 / 8;
      if (in > 0) core[r] += costs.round_in;
      if (out > 0) core[r] += costs.round_out;
      if (n > 1) continue;
      flow[r] += biases.flow;
      core[r] += biases.core;
      if (out == 0) continue;
      flow[r] += costs.first_round + (shape.in_place ? costs.first_flow : out * 3 / 8);
      core[r] += costs.first_round + (shape.in_place ? 0 : costs.copy);
    }
    before = flow;
  }
  uint64_t last = 0;
  for (size_t r = 0; r < rows; ++r) last = std::max({last, flow[r], core[r] + prepare});
  return last;
}

}  // namespace ow::jobs
