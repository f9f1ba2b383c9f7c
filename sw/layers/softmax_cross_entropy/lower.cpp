// SPDX-License-Identifier: Apache-2.0
// -log of the softmax of the class's output. The derivative by output j is its softmax, less 1 for
// the class.
#include <algorithm>
#include <cmath>

#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/isa/isa.h"

namespace ow::jobs {
namespace {

float factor(float scale, int /*outputs*/) { return scale; }

void add(const Op& /*op*/, const std::vector<double>& outputs, const Goal& goal, double* loss) {
  if (goal.label < 0) return;  // ignored
  double most = -INFINITY, sum = 0;
  for (const double z : outputs) most = std::max(most, z);
  for (const double z : outputs) sum += std::exp(z - most);
  *loss += std::log(sum) + most - outputs[static_cast<size_t>(goal.label)];
}

// Exponentials are kept until their sum is known.
uint64_t rows(uint64_t /*samples*/, uint64_t owned) { return owned; }

// Maxima, exponentials, deltas; between them the maxima and the sums are joined.
WorkCost cost(const GraphLowering& l, int outputs) {
  struct Cycles {
    uint64_t all, output;
  };
  const uint64_t b = l.beats(l.samples());
  const Cycles parts[] = {
      {374 + 8 * b, 83 + 6 * b}, {126 + 19 * b, 376 + 61 * b}, {236 + 19 * b, 192 + 26 * b}};
  WorkCost cost;
  for (const Cycles& part : parts) {
    cost.parts.emplace_back();
    for (int r = 0; r < l.rows(); ++r) {
      cost.parts.back().push_back(part.all + l.dealt(outputs).of(r) * part.output);
    }
  }
  cost.words = l.samples();
  cost.join = 20 + 3 * b;
  return cost;
}

}  // namespace

const Lowering& softmax_cross_entropy_lowerings() {
  using isa::reg::Features, isa::reg::Operations;
  static const LossPart loss{"softmax_cross_entropy",
                             rows,
                             {{Features::Nonlinear::kMask, 0, "non-linear functions"},
                              {Features::Int32::kMask, 0, "32-bit integers"},
                              // The reciprocal begins with one of bfloat16.
                              {0, Operations::Bfloat16::kMask, "arithmetic in bfloat16"}},
                             cost,
                             factor,
                             add};
  static const Lowering lowering{"softmax_cross_entropy", nullptr, nullptr, &loss};
  return lowering;
}

}  // namespace ow::jobs
