// SPDX-License-Identifier: Apache-2.0
// Multilayer perceptrons as the machine computes them, and the reference inference
// (docs/numerics.md). The shape of the machine enters only as the number of grid rows, because that
// fixes the order of the additions.
#ifndef OW_GOLDEN_NETWORK_H_
#define OW_GOLDEN_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ow::golden {

struct Layer {
  int inputs = 0;
  int outputs = 0;
  bool relu = false;
  std::vector<uint16_t> weights;  // binary16; outputs x inputs, the input runs fastest
  std::vector<float> bias;        // one an output

  uint16_t weight(int output, int input) const {
    return weights[static_cast<size_t>(output) * static_cast<size_t>(inputs) +
                   static_cast<size_t>(input)];
  }
  // A weight of either zero is pruned: a sparse stream leaves it out.
  static bool is_zero(uint16_t value) { return (value & 0x7FFFu) == 0; }
  size_t nonzero() const;
};

struct Network {
  std::vector<Layer> layers;

  size_t weights() const;
  size_t nonzero() const;
};

// Activations of a number of samples: features x samples, the sample runs fastest, binary16.
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
};

// One layer. `dense`: zero weights take part too. Throws InternalError if the sizes do not agree.
Activations run_layer(const Layer& layer, const Activations& x, int grid_rows, bool dense = false);

// All layers: element k of the result is the output of layer k.
std::vector<Activations> run_network(const Network& network, const Activations& x, int grid_rows,
                                     bool dense = false);

// The class of each sample: the output with the greatest value, the lowest index if there are
// several; NaN is below everything.
std::vector<int> classify(const Activations& logits);

}  // namespace ow::golden

#endif  // OW_GOLDEN_NETWORK_H_
