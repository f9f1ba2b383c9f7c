// SPDX-License-Identifier: Apache-2.0
// y = W x + b: forward (N7, N12), the deltas of its input (N14), gradients (N15). Copies of outputs
// are outputs of the same weights (N129).
#include "ow/golden/formats.h"
#include "ow/golden/gradients.h"
#include "ow/golden/kind.h"
#include "ow/golden/network.h"

namespace ow::golden {
namespace {

// The transposed weights, without a bias.
Layer transposed(const Layer& layer) {
  Layer t;
  t.inputs = layer.outputs;
  t.outputs = layer.inputs;
  t.bias = false;
  t.weights.resize(layer.weights.size());
  for (int j = 0; j < layer.outputs; ++j) {
    for (int i = 0; i < layer.inputs; ++i) {
      t.weights[static_cast<size_t>(i) * static_cast<size_t>(t.inputs) + static_cast<size_t>(j)] =
          layer.weight(j, i);
    }
  }
  return t;
}

size_t copies_of(const LayerPass& pass) {
  return static_cast<size_t>(pass.op.attributes.at("copies"));
}

// Weights rounded to the job's type, zeros without a sign.
Layer rounded(const LayerPass& pass) {
  const Parameter& w = *pass.parameters[0];
  const size_t copies = copies_of(pass);
  Layer layer;
  layer.name = pass.op.name;
  layer.inputs = static_cast<int>(w.columns);
  layer.outputs = static_cast<int>(w.rows * copies);
  layer.bias = pass.parameters.size() > 1;
  layer.weights.reserve(w.value.size() * copies);
  for (size_t j = 0; j < w.rows * copies; ++j) {
    for (size_t i = 0; i < w.columns; ++i) {
      const float x = w.value[j / copies * w.columns + i];
      const uint16_t half = narrow(pass.numerics.type, float_to_bits(x));
      layer.weights.push_back(half_is_zero(half) ? uint16_t{0} : half);
    }
    if (layer.bias) layer.bias_values.push_back(pass.parameters[1]->value[j / copies]);
  }
  return layer;
}

Activations forward(const LayerPass& pass) {
  return run_layer(pass.numerics.type, rounded(pass), *pass.inputs[0], pass.numerics.forward_rows,
                   pass.zeros);
}

Backward backward(const LayerPass& pass, const Activations& delta) {
  const HalfType type = pass.numerics.type;
  const SampleRow row(pass.numerics);
  const Parameter& w = *pass.parameters[0];
  const std::vector<float> d = values_of(type, delta);
  const std::vector<float> in = values_of(type, *pass.inputs[0]);
  Backward back;
  back.gradients.resize(pass.parameters.size());
  back.gradients[0].assign(w.value.size(), 0.0f);
  const size_t copies = copies_of(pass);
  std::vector<float> own(w.columns);
  for (size_t j = 0; j < w.rows * copies; ++j) {
    float* sums = &back.gradients[0][j / copies * w.columns];
    const bool first = j % copies == 0;
    own.assign(w.columns, 0.0f);
    gradients_of_row(type, &d[j * row.width()], in.data(), w.columns, row,
                     pass.dense[0] ? nullptr : &w.mask[j / copies * w.columns], own.data());
    for (size_t i = 0; i < w.columns; ++i) sums[i] = first ? own[i] : sums[i] + own[i];
    if (pass.parameters.size() < 2) continue;
    const float bias = sum_of_row(&d[j * row.width()], row);
    if (first) {
      back.gradients[1].push_back(bias);
    } else {
      back.gradients[1].back() += bias;
    }
  }
  back.deltas.resize(1);
  if (pass.wanted[0]) {
    back.deltas[0] = run_layer(type, transposed(rounded(pass)), delta, pass.numerics.delta_rows);
  }
  return back;
}

}  // namespace

const LayerKind& linear_layer_kinds() {
  static const LayerKind kind{"linear", forward, backward, nullptr, rounded};
  return kind;
}

}  // namespace ow::golden
