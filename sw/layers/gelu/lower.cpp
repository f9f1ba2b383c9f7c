// SPDX-License-Identifier: Apache-2.0
// gelu, element by element. Its input stays until its deltas are computed.
#include "../gelu/gelu.h"
#include "ow/compile/graph_lowering.h"
#include "ow/compile/lowering.h"

namespace ow::jobs {
namespace {

// For GELU_ELEMENTS at a time, and for each vector.
WorkCost cost(const GraphLowering& l, int value, uint64_t part, uint64_t vector) {
  return work(l.rows(), [&](int r) {
    const uint64_t elements = l.dealt(value).of(r) * l.samples();
    return 65 + (elements + GELU_ELEMENTS - 1) / GELU_ELEMENTS * part + l.beats(elements) * vector;
  });
}

void forward(GraphLowering& l, const Op& op) {
  const Slot x = l.value(op.input_values[0]), y = l.new_value(op.value);
  const Slot area = l.draft().buffer("work area of " + op.name, 2 * 2 * GELU_ELEMENTS);
  l.draft().add(
      "gelu", {x, y, area}, cost(l, op.value, 270, 10), [&l, x, y, area, value = op.value](int r) {
        return ow_gelu{l.at(x), l.at(y), 0, l.at(area), l.dealt(value).of(r) * l.samples()};
      });
}

void backward(GraphLowering& l, const Op& op) {
  const int input = op.input_values[0];
  if (!l.wanted(input)) return;
  const Slot x = l.value(input);
  const Rows delta = l.delta(op.value);
  const Slot dx = l.delta_over(input, input);
  const Slot area = l.draft().buffer("work area of " + op.name, 4 * 2 * GELU_ELEMENTS);
  l.draft().add("gelu_deltas", {x, delta.slot, dx, area}, cost(l, op.value, 515, 19),
                [&l, x, dx, delta, area, value = op.value](int r) {
                  return ow_gelu{l.at(x), l.at(dx), l.at(delta, value, r), l.at(area),
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
