// SPDX-License-Identifier: Apache-2.0
// a + b, element by element; both get the deltas of the sum.
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/firmware/job.h"

namespace ow::jobs {
namespace {

void forward(GraphLowering& l, const Op& op) {
  const Slot a = l.value(op.input_values[0]), b = l.value(op.input_values[1]);
  const Slot y = l.new_value(op.value);
  l.draft().add("sum", {a, b, y}, l.elementwise(op.value, 147),
                [&l, a, b, y, value = op.value](int r) {
                  return ow_sum{l.at(a), l.at(b), l.at(y), l.dealt(value).of(r) * l.samples()};
                });
}

void backward(GraphLowering& l, const Op& op) {
  for (const int input : op.input_values) l.pass_delta(op.value, input);
}

}  // namespace

const Lowering& add_lowerings() {
  static const Lowering lowering{"add", nullptr, nullptr, nullptr, forward, backward, false, true};
  return lowering;
}

}  // namespace ow::jobs
