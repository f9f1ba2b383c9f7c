// SPDX-License-Identifier: Apache-2.0
// a b in the network's type, rounded once (N113). The deltas are products likewise.
#include "ow/golden/halves.h"
#include "ow/golden/kind.h"

namespace ow::golden {
namespace {

Activations product(HalfType type, const Activations& a, const Activations& b) {
  const Halves h{type};
  Activations y = a;
  for (size_t i = 0; i < y.values.size(); ++i) y.values[i] = h.mul(a.values[i], b.values[i]);
  return y;
}

Activations forward(const LayerPass& pass) {
  return product(pass.numerics.type, *pass.inputs[0], *pass.inputs[1]);
}

Backward backward(const LayerPass& pass, const Activations& delta) {
  const HalfType type = pass.numerics.type;
  return {{product(type, delta, *pass.inputs[1]), product(type, delta, *pass.inputs[0])}, {}};
}

}  // namespace

const LayerKind& mul_layer_kinds() {
  static const LayerKind kind{"mul", forward, backward};
  return kind;
}

}  // namespace ow::golden
