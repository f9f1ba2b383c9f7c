// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/network.h"

#include <string>

#include "ow/error.h"
#include "ow/golden/formats.h"

namespace ow::golden {

size_t Layer::nonzero() const {
  size_t n = 0;
  for (uint16_t w : weights) n += is_zero(w) ? 0 : 1;
  return n;
}

size_t Network::weights() const {
  size_t n = 0;
  for (const Layer& layer : layers) n += layer.weights.size();
  return n;
}

size_t Network::nonzero() const {
  size_t n = 0;
  for (const Layer& layer : layers) n += layer.nonzero();
  return n;
}

Activations Activations::zero(int features, int samples) {
  Activations a;
  a.features = features;
  a.samples = samples;
  a.values.assign(static_cast<size_t>(features) * static_cast<size_t>(samples), 0);
  return a;
}

Activations run_layer(const Layer& layer, const Activations& x, int grid_rows, bool dense) {
  if (grid_rows < 1 || x.features != layer.inputs ||
      layer.bias.size() != static_cast<size_t>(layer.outputs) ||
      layer.weights.size() !=
          static_cast<size_t>(layer.outputs) * static_cast<size_t>(layer.inputs)) {
    throw InternalError("golden layer of " + std::to_string(layer.inputs) + " inputs and " +
                        std::to_string(layer.outputs) + " outputs does not fit its operands");
  }
  // Sums are kept as host floats: each addition below is one binary32 addition, and every NaN is
  // made canonical by the rounding to binary16 at the end.
  const size_t samples = static_cast<size_t>(x.samples);
  const size_t rows = static_cast<size_t>(grid_rows);
  Activations y = Activations::zero(layer.outputs, x.samples);
  std::vector<float> wide(x.values.size());
  for (size_t i = 0; i < wide.size(); ++i) wide[i] = f16_to_float(x.values[i]);

  std::vector<float> partial(rows * samples);
  for (int j = 0; j < layer.outputs; ++j) {
    // The partial sum of each grid row: from +0, ascending index, one rounding a product.
    for (size_t r = 0; r < rows; ++r) {
      float* sum = &partial[r * samples];
      for (size_t s = 0; s < samples; ++s) sum[s] = 0.0f;
      for (size_t i = r; i < static_cast<size_t>(layer.inputs); i += rows) {
        const uint16_t weight = layer.weight(j, static_cast<int>(i));
        if (!dense && Layer::is_zero(weight)) continue;
        const float value = f16_to_float(weight);
        const float* feature = &wide[i * samples];
        for (size_t s = 0; s < samples; ++s) sum[s] = mixed_fma_value(value, feature[s], sum[s]);
      }
    }
    const size_t owner = static_cast<size_t>(j) % rows;
    for (size_t s = 0; s < samples; ++s) {
      float total = partial[owner * samples + s];
      if (rows > 1) {
        // Round the column, from the row below the owner on.
        float others = partial[(owner + 1) % rows * samples + s];
        for (size_t k = 2; k < rows; ++k) {
          others = partial[(owner + k) % rows * samples + s] + others;
        }
        total = total + others;
      }
      total = total + layer.bias[static_cast<size_t>(j)];
      const uint16_t rounded = f32_to_f16(float_to_f32(total));
      y.at(j, static_cast<int>(s)) = layer.relu ? f16_relu(rounded) : rounded;
    }
  }
  return y;
}

std::vector<Activations> run_network(const Network& network, const Activations& x, int grid_rows,
                                     bool dense) {
  std::vector<Activations> result;
  for (const Layer& layer : network.layers) {
    result.push_back(run_layer(layer, result.empty() ? x : result.back(), grid_rows, dense));
  }
  return result;
}

std::vector<int> classify(const Activations& logits) {
  std::vector<int> classes(static_cast<size_t>(logits.samples), 0);
  for (int s = 0; s < logits.samples; ++s) {
    float best = 0;
    bool found = false;
    for (int k = 0; k < logits.features; ++k) {
      const float value = f16_to_float(logits.at(k, s));
      if (value == value && (!found || value > best)) {
        best = value;
        found = true;
        classes[static_cast<size_t>(s)] = k;
      }
    }
  }
  return classes;
}

}  // namespace ow::golden
