// SPDX-License-Identifier: Apache-2.0
// silu, element by element. Its input stays until its deltas are computed.
#include "../silu/silu.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"

namespace ow::jobs {
namespace {

void forward(GraphLowering& l, const Op& op) {
  const Slot x = l.value(op.input_values[0]), y = l.new_value(op.value);
  const WorkCost cost = work(l.rows(), [&](int r) {
    const uint64_t elements = l.dealt(op.value).of(r) * l.samples();
    return elements == 0 ? 30 : 150 + l.beats(elements) * 6;
  });
  l.draft().add("silu", {x, y}, cost, [&l, x, y, value = op.value](int r) {
    return ow_silu{l.at(x), l.at(y), 0, 0, l.dealt(value).of(r) * l.samples()};
  });
}

void backward(GraphLowering& l, const Op& op) {
  const int input = op.input_values[0];
  if (!l.wanted(input)) return;
  const Slot x = l.value(input);
  const Rows delta = l.delta(op.value);
  const Slot dx = l.delta_over(input, input);
  const Slot area = l.draft().buffer("work area of " + op.name, 2 * 2 * SILU_ELEMENTS);
  const WorkCost cost = work(l.rows(), [&](int r) {
    const uint64_t elements = l.dealt(op.value).of(r) * l.samples();
    return 65 + (elements + SILU_ELEMENTS - 1) / SILU_ELEMENTS * 380 + l.beats(elements) * 12;
  });
  l.draft().add("silu_deltas", {x, delta.slot, dx, area}, cost,
                [&l, x, dx, delta, area, value = op.value](int r) {
                  return ow_silu{l.at(x), l.at(dx), l.at(delta, value, r), l.at(area),
                                 l.dealt(value).of(r) * l.samples()};
                });
  l.give_delta(input, {dx, false});
}

}  // namespace

const Lowering& silu_lowerings() {
  static const Lowering lowering{"silu", nullptr, nullptr, nullptr, forward, backward};
  return lowering;
}

}  // namespace ow::jobs
