// SPDX-License-Identifier: Apache-2.0
// gelu, element by element. Its input stays until its deltas are computed.
#include "../gelu/gelu.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"

namespace ow::jobs {
namespace {

void forward(GraphLowering& l, const Op& op) {
  const Slot x = l.value(op.input_values[0]), y = l.new_value(op.value);
  const Slot work = l.draft().buffer("work area of " + op.name, 2 * 2 * GELU_ELEMENTS);
  l.draft().add("gelu", {x, y, work}, [&l, x, y, work, value = op.value](int r) {
    return ow_gelu{l.at(x), l.at(y), 0, l.at(work), l.dealt(value).of(r) * l.samples()};
  });
}

void backward(GraphLowering& l, const Op& op) {
  const int input = op.input_values[0];
  if (!l.wanted(input)) return;
  const Slot x = l.value(input);
  const Rows delta = l.delta(op.value);
  const Slot dx = l.draft().buffer("deltas of " + op.inputs[0], l.bytes(input));
  const Slot work = l.draft().buffer("work area of " + op.name, 4 * 2 * GELU_ELEMENTS);
  l.draft().add("gelu_deltas", {x, delta.slot, dx, work},
                [&l, x, dx, delta, work, value = op.value](int r) {
                  return ow_gelu{l.at(x), l.at(dx), l.at(delta, value, r), l.at(work),
                                 l.dealt(value).of(r) * l.samples()};
                });
  l.give_delta(input, {dx, false});
}

}  // namespace

const Lowering& gelu_lowerings() {
  static const Lowering lowering{"gelu", nullptr, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
