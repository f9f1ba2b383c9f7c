// SPDX-License-Identifier: Apache-2.0
// The mean of the squared distances of the outputs from their target values. Its derivative by an
// output is 2 / outputs times the distance.
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"

namespace ow::jobs {
namespace {

float factor(float scale, int outputs) {
  return static_cast<float>(2.0 * scale / static_cast<double>(outputs));
}

// Without values the targets are 1 for the class and 0 for the others.
void add(const Op& /*op*/, const std::vector<double>& outputs, const Goal& goal, double* loss) {
  for (size_t j = 0; j < outputs.size(); ++j) {
    const double one = j == static_cast<size_t>(goal.label) ? 1.0 : 0.0;
    const double off = outputs[j] - (goal.values != nullptr ? goal.values[j] : one);
    *loss += off * off / static_cast<double>(outputs.size());
  }
}

WorkCost cost(const GraphLowering& l, int outputs) {
  return work(l.rows(), [&](int r) {
    return 147 + l.dealt(outputs).of(r) * (212 + l.beats(l.samples()) * 12);
  });
}

}  // namespace

const Lowering& mean_squared_error_lowerings() {
  static const LossPart loss{"mean_squared_error", nullptr, {}, cost, factor, add};
  static const Lowering lowering{"mean_squared_error", nullptr, nullptr, &loss};
  return lowering;
}

}  // namespace ow::jobs
