// SPDX-License-Identifier: Apache-2.0
#include "ow/tensor/network.h"

#include <algorithm>

#include <fmt/format.h>

#include "ow/base/rng.h"

namespace ow {

std::string layer_name(const LayerShape& layer, size_t k) {
  return layer.name.empty() ? fmt::format("layers.{}", k) : layer.name;
}

std::string weight_name(const LayerShape& layer, size_t k) {
  return layer_name(layer, k) + ".weight";
}

std::string bias_name(const LayerShape& layer, size_t k) { return layer_name(layer, k) + ".bias"; }

size_t Layer::nonzero() const {
  return weights.size() -
         static_cast<size_t>(std::count_if(weights.begin(), weights.end(), half_is_zero));
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

std::vector<LayerShape> Network::shapes() const {
  return std::vector<LayerShape>(layers.begin(), layers.end());
}

std::string sizes_text(const std::vector<LayerShape>& layers) {
  std::string text = layers.empty() ? "" : std::to_string(layers.front().inputs);
  for (const LayerShape& layer : layers) text += "-" + std::to_string(layer.outputs);
  return text;
}

Activations Activations::zero(int features, int samples) {
  Activations a;
  a.features = features;
  a.samples = samples;
  a.values.assign(static_cast<size_t>(features) * static_cast<size_t>(samples), 0);
  return a;
}

Activations Activations::slice(int first, int count) const {
  Activations part = zero(features, count);
  for (int f = 0; f < features; ++f) {
    for (int s = 0; s < count; ++s) part.at(f, s) = at(f, first + s);
  }
  return part;
}

std::vector<int> classify(HalfType type, const Activations& outputs) {
  std::vector<int> classes(static_cast<size_t>(outputs.samples), 0);
  for (int s = 0; s < outputs.samples; ++s) {
    float best = 0;
    bool found = false;
    for (int k = 0; k < outputs.features; ++k) {
      const float value = from_half(type, outputs.at(k, s));
      if (value == value && (!found || value > best)) {
        best = value;
        found = true;
        classes[static_cast<size_t>(s)] = k;
      }
    }
  }
  return classes;
}

Network random_network(uint64_t seed, HalfType type, const std::vector<LayerShape>& layers,
                       double density) {
  Rng rng(seed);
  Network network;
  network.type = type;
  for (const LayerShape& shape : layers) {
    Layer layer;
    static_cast<LayerShape&>(layer) = shape;
    const size_t count = static_cast<size_t>(shape.inputs) * static_cast<size_t>(shape.outputs);
    layer.weights.reserve(count);
    for (size_t n = 0; n < count; ++n) {
      const bool kept = rng.uniform() < density;
      const uint16_t value = to_half(type, 2.0 * rng.uniform() - 1.0);
      layer.weights.push_back(kept ? value : uint16_t{0});
    }
    for (int j = 0; shape.bias && j < shape.outputs; ++j) {
      layer.bias_values.push_back(static_cast<float>(rng.uniform() - 0.5));
    }
    network.layers.push_back(std::move(layer));
  }
  return network;
}

Activations random_activations(uint64_t seed, HalfType type, int features, int samples, double low,
                               double high) {
  Rng rng(seed);
  Activations x = Activations::zero(features, samples);
  for (uint16_t& v : x.values) v = to_half(type, low + (high - low) * rng.uniform());
  return x;
}

}  // namespace ow
