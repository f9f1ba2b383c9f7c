// SPDX-License-Identifier: Apache-2.0
// -log of the softmax of the class's output, with smoothed targets, for many outputs. The
// derivative by output j is its softmax, less what the target has there.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/isa/isa.h"

namespace ow::jobs {
namespace {

double smoothing_of(const Op& op) {
  const auto found = op.attributes.find("smoothing");
  return found == op.attributes.end() ? 0 : found->second;
}

float factor(float scale, int /*outputs*/) { return scale; }

uint64_t rows(uint64_t samples, uint64_t /*owned*/) {
  const uint64_t row = 4 * samples;
  return (10 * OW_LOSS_PANEL + row - 1) / row;
}

void options(const Op& op, int outputs, ow_loss* parameters) {
  const auto bits = [](double x) {
    const auto single = static_cast<float>(x);
    uint32_t word = 0;
    std::memcpy(&word, &single, sizeof word);
    return word;
  };
  parameters->share = bits(smoothing_of(op) / outputs);
  parameters->own = bits(1 - smoothing_of(op));
}

void add(const Op& op, const std::vector<double>& outputs, const Goal& goal, double* loss) {
  if (goal.label < 0) return;  // ignored
  double most = -INFINITY, sum = 0, mean = 0;
  for (const double z : outputs) most = std::max(most, z);
  for (const double z : outputs) {
    sum += std::exp(z - most);
    mean += z / static_cast<double>(outputs.size());
  }
  const double s = smoothing_of(op);
  *loss += std::log(sum) + most - (1 - s) * outputs[static_cast<size_t>(goal.label)] - s * mean;
}

// Maxima, powers, deltas; between them the maxima and the sums are joined. The core moves the
// powers and deltas of the classes one by one.
WorkCost cost(const GraphLowering& l, int outputs) {
  struct Cycles {
    uint64_t all, panel, beat;
  };
  const uint64_t n = l.samples(), b = l.beats(l.samples());
  const auto tiles = static_cast<uint64_t>(l.rows());
  const Cycles parts[] = {{300, 0, std::max<uint64_t>(2, 4 / b)},
                          {400, 400, 34},
                          {1850 + 135 * n + 29 * n / tiles, 100, 10}};
  WorkCost cost;
  for (const Cycles& part : parts) {
    cost.parts.emplace_back();
    for (int r = 0; r < l.rows(); ++r) {
      const uint64_t owned = l.dealt(outputs).of(r), most = OW_LOSS_PANEL / n;
      const uint64_t panels = (owned + most - 1) / most;
      cost.parts.back().push_back(part.all + panels * part.panel + owned * b * part.beat);
    }
  }
  cost.words = l.samples();
  cost.join = 20 + 3 * b;
  return cost;
}

}  // namespace

const Lowering& vocabulary_cross_entropy_lowerings() {
  using isa::reg::Features, isa::reg::Operations;
  static const LossPart loss{"vocabulary_cross_entropy",
                             rows,
                             {{Features::Nonlinear::kMask, 0, "non-linear functions"},
                              {Features::Int32::kMask, 0, "32-bit integers"},
                              // The reciprocal begins with one of bfloat16.
                              {0, Operations::Bfloat16::kMask, "arithmetic in bfloat16"}},
                             cost,
                             factor,
                             add,
                             options,
                             true};
  static const Lowering lowering{"vocabulary_cross_entropy", nullptr, nullptr, &loss};
  return lowering;
}

}  // namespace ow::jobs
