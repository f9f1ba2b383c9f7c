// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/gradient_time.h"

#include <algorithm>
#include <vector>

namespace ow::jobs {
namespace {

int owned(int n, int row, int rows) { return n > row ? (n - row + rows - 1) / rows : 0; }

// Words that each owner has of a piece.
std::vector<uint64_t> parts_of(const GradientShape& shape, int first, int count) {
  std::vector<uint64_t> words;
  for (int owner = 0; owner < shape.rows; ++owner) {
    const int mine = owned(first + count, owner, shape.rows) - owned(first, owner, shape.rows);
    words.push_back(static_cast<uint64_t>(mine) * static_cast<uint64_t>(shape.samples) / 2);
  }
  return words;
}

uint64_t bias_cycles(const GradientCosts& costs, const GradientShape& shape) {
  const auto own = static_cast<uint64_t>(owned(shape.outputs, 0, shape.rows));
  const auto beats = static_cast<uint64_t>(shape.samples / shape.lanes);
  const uint64_t begun = costs.bias + costs.column * static_cast<uint64_t>(shape.cols - 1);
  // Half of the sums hide behind the deltas that are on their way, if any are.
  return begun + (shape.rows > 1 ? own * beats / 2 : own * (beats + 1));
}

}  // namespace

uint64_t gather_cycles(const GradientCosts& costs, const GradientShape& shape, int first, int count,
                       uint64_t prepare) {
  const uint64_t biases = shape.bias && first == 0 ? bias_cycles(costs, shape) : 0;
  if (shape.rows == 1) return biases + prepare;
  const std::vector<uint64_t> words = parts_of(shape, first, count);
  const auto rows = static_cast<size_t>(shape.rows);
  std::vector<uint64_t> before(rows, 0), done(rows, 0);
  for (size_t n = 1; n < rows; ++n) {
    for (size_t r = 0; r < rows; ++r) {
      const uint64_t in = words[(r + rows - n) % rows], out = words[(r + rows - n + 1) % rows];
      uint64_t flow = std::max(before[r], before[(r + rows - 1) % rows]);
      if (in > 0) flow += costs.round_flow + in + std::min(in, out) / 4;
      uint64_t core = before[r] + in * 3 / 8;
      if (in > 0) core += costs.round_in;
      if (out > 0) core += costs.round_out;
      if (n == 1 && out > 0) flow += costs.first_round, core += costs.first_round;
      if (n == 1 && out > 0 && !shape.in_place) {
        flow += out * 3 / 8;
        core += costs.copy + out / 4;
      }
      if (n == 1) flow += biases, core += biases;
      if (n + 1 == rows) core += prepare;
      done[r] = std::max(flow, core);
    }
    before = done;
  }
  return *std::max_element(done.begin(), done.end());
}

}  // namespace ow::jobs
