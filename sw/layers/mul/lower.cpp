// SPDX-License-Identifier: Apache-2.0
// a * b, element by element; each gets the deltas times the other.
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"
#include "ow/firmware/job.h"

namespace ow::jobs {
namespace {

void multiply(GraphLowering& l, int value, const Rows& a, Slot b, Slot out) {
  l.draft().add("mul", {a.slot, b, out}, l.elementwise(value, 147), [=, &l](int r) {
    return ow_sum{l.at(a, value, r), l.at(b), l.at(out), l.dealt(value).of(r) * l.samples()};
  });
}

void forward(GraphLowering& l, const Op& op) {
  const Slot a = l.value(op.input_values[0]), b = l.value(op.input_values[1]);
  multiply(l, op.value, {a, false}, b, l.new_value(op.value));
}

void backward(GraphLowering& l, const Op& op) {
  const Rows delta = l.delta(op.value);
  for (size_t n = 0; n < 2; ++n) {
    const int input = op.input_values[n];
    if (!l.wanted(input)) continue;
    const Slot out = l.delta_over(input, op.input_values[1 - n]);
    multiply(l, op.value, delta, l.value(op.input_values[1 - n]), out);
    l.give_delta(input, {out, false});
  }
}

}  // namespace

const Lowering& mul_lowerings() {
  static const Lowering lowering{"mul", nullptr, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
