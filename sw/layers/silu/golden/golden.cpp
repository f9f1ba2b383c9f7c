// SPDX-License-Identifier: Apache-2.0
// silu(x) = x sigmoid(x). Steps and their roundings: N113.
#include "ow/golden/halves.h"
#include "ow/golden/kind.h"

namespace ow::golden {
namespace {

Activations forward(const LayerPass& pass) {
  const Halves h{pass.numerics.type};
  Activations y = *pass.inputs[0];
  for (uint16_t& x : y.values) x = h.mul(x, h.sigmoid(x));
  return y;
}

// delta (g + y (1 - g)), with g = sigmoid(x) and y = x g.
Backward backward(const LayerPass& pass, const Activations& delta) {
  const Halves h{pass.numerics.type};
  Backward back;
  back.deltas.push_back(delta);
  for (size_t i = 0; i < delta.values.size(); ++i) {
    const uint16_t x = pass.inputs[0]->values[i], g = h.sigmoid(x), y = h.mul(x, g);
    const uint16_t rest = h.fma(y, Halves::negative(g), y);
    back.deltas[0].values[i] = h.mul(delta.values[i], h.add(g, rest));
  }
  return back;
}

}  // namespace

const LayerKind& silu_layer_kinds() {
  static const LayerKind kind{"silu", forward, backward};
  return kind;
}

}  // namespace ow::golden
