// SPDX-License-Identifier: Apache-2.0
// y = W x + b: forward (N7, N12), the deltas of its input (N14), gradients (N15).
#include <algorithm>
#include <cmath>

#include "../layer_kind.h"
#include "ow/golden/formats.h"
#include "ow/golden/network.h"
#include "ow/golden/tile_ops.h"

// Processors with a fused multiply-add get a second version of the loops below. It is faster and
// computes the same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define OW_FUSED_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define OW_FUSED_CLONES
#endif

namespace ow::golden {
namespace {

std::vector<float> values_of(HalfType type, const Activations& a) {
  std::vector<float> out;
  out.reserve(a.values.size());
  for (const uint16_t x : a.values) out.push_back(bits_to_float(widen(type, x)));
  return out;
}

// Samples of a grid row: `columns` tiles of `samples` each.
struct Row {
  size_t samples;
  size_t columns;
  size_t width() const { return samples * columns; }
};

float plus(float a, float b) { return a + b; }

// The host keeps the sign of the operand that made a NaN; the machine has only one NaN (N1).
float one_nan(float x) { return x != x ? bits_to_float(0x7FC00000) : x; }

// Dot products of a delta with the inputs in the mask (null: all): in each tile by N6, then from
// the last column to the first. A product of two binary16 numbers is exact in fp32.
OW_FUSED_CLONES
void row_of_gradients(bool fused, const float* delta, const float* inputs, size_t count, Row row,
                      const uint8_t* mask, float* out) {
  for (size_t i = 0; i < count; ++i) {
    if (mask != nullptr && mask[i] == 0) continue;
    const float* input = inputs + i * row.width();
    float along = 0;
    for (size_t c = row.columns; c-- > 0;) {
      const float* a = delta + c * row.samples;
      const float* b = input + c * row.samples;
      float p[kPartials] = {};
      for (size_t s = 0; s < row.samples; s += kPartials) {
        const size_t n = std::min(kPartials, row.samples - s);
        if (fused) {
          for (size_t q = 0; q < n; ++q) p[q] = std::fma(a[s + q], b[s + q], p[q]);
        } else {
          for (size_t q = 0; q < n; ++q) p[q] = a[s + q] * b[s + q] + p[q];
        }
      }
      const float g = join_partials(p, plus);
      along = c + 1 == row.columns ? g : g + along;
    }
    out[i] = one_nan(along);
  }
}

// The gradient of a bias: a sum in the same order.
float gradient_of_bias(const float* delta, Row row) {
  float along = 0;
  for (size_t c = row.columns; c-- > 0;) {
    float p[kPartials] = {};
    for (size_t s = 0; s < row.samples; ++s) p[s % kPartials] += delta[c * row.samples + s];
    const float g = join_partials(p, plus);
    along = c + 1 == row.columns ? g : g + along;
  }
  return one_nan(along);
}

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

size_t outputs_of(const GraphLayer& layer) {
  return static_cast<size_t>(layer.options.at("outputs"));
}

int features(const GraphLayer& layer, const std::vector<int>& /*inputs*/) {
  return static_cast<int>(outputs_of(layer));
}

std::vector<ParameterShape> parameters(const GraphLayer& layer, const std::vector<int>& inputs) {
  std::vector<ParameterShape> all{
      {"weight", outputs_of(layer), static_cast<size_t>(inputs.at(0)), true}};
  if (layer.options.at("bias") != 0) all.push_back({"bias", outputs_of(layer), 1, false});
  return all;
}

// Weights rounded to the job's type, zeros without a sign.
Layer rounded(const LayerPass& pass) {
  const Parameter& w = *pass.parameters[0];
  Layer layer;
  layer.name = pass.layer.name;
  layer.inputs = static_cast<int>(w.columns);
  layer.outputs = static_cast<int>(w.rows);
  layer.bias = pass.parameters.size() > 1;
  layer.weights.reserve(w.value.size());
  for (const float x : w.value) {
    const uint16_t half = narrow(pass.job.type, float_to_bits(x));
    layer.weights.push_back(half_is_zero(half) ? uint16_t{0} : half);
  }
  if (layer.bias) layer.bias_values = pass.parameters[1]->value;
  return layer;
}

Activations forward(const LayerPass& pass) {
  return run_layer(pass.job.type, rounded(pass), *pass.inputs[0], pass.forward_rows);
}

Backward backward(const LayerPass& pass, const Activations& delta) {
  const HalfType type = pass.job.type;
  const Row row{static_cast<size_t>(pass.job.samples), static_cast<size_t>(pass.job.grid_cols)};
  const Parameter& w = *pass.parameters[0];
  const std::vector<float> d = values_of(type, delta);
  const std::vector<float> in = values_of(type, *pass.inputs[0]);
  Backward back;
  back.gradients.resize(pass.parameters.size());
  back.gradients[0].assign(w.value.size(), 0.0f);
  for (size_t j = 0; j < w.rows; ++j) {
    row_of_gradients(type == HalfType::Bfloat16, &d[j * row.width()], in.data(), w.columns, row,
                     pass.dense[0] ? nullptr : &w.mask[j * w.columns],
                     &back.gradients[0][j * w.columns]);
  }
  for (size_t j = 0; pass.parameters.size() > 1 && j < w.rows; ++j) {
    back.gradients[1].push_back(gradient_of_bias(&d[j * row.width()], row));
  }
  back.deltas.resize(1);
  if (pass.wanted[0]) {
    back.deltas[0] = run_layer(type, transposed(rounded(pass)), delta, pass.delta_rows);
  }
  return back;
}

}  // namespace

const LayerKind& linear_kind() {
  static const LayerKind kind{"linear", features, parameters, forward, backward, nullptr, rounded};
  return kind;
}

}  // namespace ow::golden
