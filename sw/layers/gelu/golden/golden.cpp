// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/gelu.h"

#include "ow/golden/kind.h"

namespace ow::golden {
namespace {

Activations forward(const LayerPass& pass) {
  const Halves h{pass.numerics.type};
  Activations y = *pass.inputs[0];
  for (uint16_t& v : y.values) v = gelu(h, v);
  return y;
}

Backward backward(const LayerPass& pass, const Activations& delta) {
  const Halves h{pass.numerics.type};
  Backward back;
  back.deltas.push_back(delta);
  for (size_t i = 0; i < delta.values.size(); ++i) {
    back.deltas[0].values[i] = gelu_delta(h, pass.inputs[0]->values[i], delta.values[i]);
  }
  return back;
}

}  // namespace

const LayerKind& gelu_layer_kinds() {
  static const LayerKind kind{"gelu", forward, backward};
  return kind;
}

}  // namespace ow::golden
