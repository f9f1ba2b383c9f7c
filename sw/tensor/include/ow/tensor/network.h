// SPDX-License-Identifier: Apache-2.0
// Networks of dense layers as data. docs/numerics.md says what they compute; nothing here computes.
#ifndef OW_TENSOR_NETWORK_H_
#define OW_TENSOR_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ow/tensor/half.h"

namespace ow {

inline constexpr char kNoActivation[] = "none";

// A layer y = f(W x + b) whose weights are streamed.
struct LayerShape {
  int inputs = 0;
  int outputs = 0;
  std::string activation = kNoActivation;  // f: a kind of layer that works element by element
  bool bias = true;       // false: b is left out, which differs from adding zeros: -0 stays -0
  std::string name = "";  // prefix of its parameters' names; empty: by its place (layer_name)
};

// The k-th layer's own name, or "layers.<k>"; then the names of its parameters.
std::string layer_name(const LayerShape& layer, size_t k);
std::string weight_name(const LayerShape& layer, size_t k);  // "<name>.weight", [outputs, inputs]
std::string bias_name(const LayerShape& layer, size_t k);    // "<name>.bias", [outputs]

struct Layer : LayerShape {
  std::vector<uint16_t> weights;   // encodings; outputs x inputs, the input runs fastest
  std::vector<float> bias_values;  // one per output; empty without a bias

  uint16_t weight(int output, int input) const {
    return weights[static_cast<size_t>(output) * static_cast<size_t>(inputs) +
                   static_cast<size_t>(input)];
  }
  // Weights of +0 and -0 are pruned: a sparse stream leaves them out.
  size_t nonzero() const;
};

struct Network {
  HalfType type = HalfType::Binary16;  // of weights and activations
  std::vector<Layer> layers;

  size_t weights() const;
  size_t nonzero() const;
  std::vector<LayerShape> shapes() const;
};

// "64-128-10".
std::string sizes_text(const std::vector<LayerShape>& layers);

// Activations of a number of samples: features x samples, the sample runs fastest; encodings of the
// network's type.
struct Activations {
  int features = 0;
  int samples = 0;
  std::vector<uint16_t> values;

  uint16_t at(int feature, int sample) const {
    return values[static_cast<size_t>(feature) * static_cast<size_t>(samples) +
                  static_cast<size_t>(sample)];
  }
  uint16_t& at(int feature, int sample) {
    return values[static_cast<size_t>(feature) * static_cast<size_t>(samples) +
                  static_cast<size_t>(sample)];
  }
  static Activations zero(int features, int samples);
  // Samples first .. first + count - 1.
  Activations slice(int first, int count) const;
};

// The class of each sample: the output with the greatest value. Among equal ones the lowest
// index counts; NaN is below everything.
std::vector<int> classify(HalfType type, const Activations& outputs);

// Layers for measurements and tests: weights uniform in -1..1 and kept with probability `density`,
// biases uniform in -0.5..0.5. The same seed gives the same bits everywhere.
Network random_network(uint64_t seed, HalfType type, const std::vector<LayerShape>& layers,
                       double density);
// Activations uniform in low..high.
Activations random_activations(uint64_t seed, HalfType type, int features, int samples, double low,
                               double high);

}  // namespace ow

#endif  // OW_TENSOR_NETWORK_H_
