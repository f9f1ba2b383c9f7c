// SPDX-License-Identifier: Apache-2.0
// max(x, 0) of values that are already rounded to 16 bits. A delta stays where the result is above
// zero (N14).
#include "../layer_kind.h"
#include "ow/golden/formats.h"

namespace ow::golden {
namespace {

uint16_t element(HalfType type, uint16_t x) {
  return type == HalfType::Binary16 ? f16_relu(x) : bf16_relu(x);
}

int features(const GraphLayer& /*layer*/, const std::vector<int>& inputs) { return inputs.at(0); }

Activations forward(const LayerPass& pass) {
  Activations y = *pass.inputs[0];
  for (uint16_t& v : y.values) v = element(pass.job.type, v);
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

const LayerKind& relu_kind() {
  static const LayerKind kind{"relu", features, no_parameters, forward, backward, element};
  return kind;
}

}  // namespace ow::golden
