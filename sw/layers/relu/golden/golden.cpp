// SPDX-License-Identifier: Apache-2.0
// max(x, 0) of values that are already rounded to 16 bits. A delta stays where the result is above
// zero (N14).
#include "ow/golden/formats.h"
#include "ow/golden/kind.h"

namespace ow::golden {
namespace {

uint16_t element(HalfType type, uint16_t x) {
  return type == HalfType::Binary16 ? f16_relu(x) : bf16_relu(x);
}

Activations forward(const LayerPass& pass) {
  Activations y = *pass.inputs[0];
  for (uint16_t& v : y.values) v = element(pass.numerics.type, v);
  return y;
}

Backward backward(const LayerPass& pass, const Activations& delta) {
  Backward back;
  back.deltas.push_back(delta);
  std::vector<uint16_t>& values = back.deltas[0].values;
  for (size_t i = 0; i < values.size(); ++i) {
    if (static_cast<int16_t>(pass.output->values[i]) <= 0) values[i] = 0;
  }
  return back;
}

}  // namespace

const LayerKind& relu_layer_kinds() {
  static const LayerKind kind{"relu", forward, backward, element};
  return kind;
}

}  // namespace ow::golden
