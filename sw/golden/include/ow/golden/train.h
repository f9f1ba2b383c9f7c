// SPDX-License-Identifier: Apache-2.0
// Training of a pruned perceptron. The same options and data give the same bits on every machine
// with IEEE 754 arithmetic: own random numbers, sums in a fixed order, only + - * / and square
// root, no contraction.
#ifndef OW_GOLDEN_TRAIN_H_
#define OW_GOLDEN_TRAIN_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "ow/golden/dataset.h"
#include "ow/golden/network.h"

namespace ow::golden {

struct TrainOptions {
  std::vector<int> layers = {64, 128, 10};  // sizes from input to output
  uint64_t seed = 1;
  int epochs = 200;
  int batch = 32;
  double learning_rate = 0.004;  // of Adam; falls linearly to a twentieth over the epochs
  double weight_decay = 0.1;     // decoupled, a step of learning rate x decay x weight
  double sparsity = 0.85;        // of all weights
  int prune_begin = 20;          // epochs; sparsity rises along a cubic from begin to end
  int prune_end = 130;
};

// Trains on `images` with pixels scaled to 0..1, with a squared hinge loss for each class; hidden
// layers have ReLU. Between prune_begin and prune_end the smallest weights (each layer's measured
// by its root mean square) are pruned; what is pruned stays zero. The weights are then rounded to
// binary16. `progress`, if given, is called after each epoch with the number done.
Network train(const TrainOptions& options, const std::vector<Digit>& images,
              const std::function<void(int)>& progress = nullptr);

// The images as a first layer's input: pixel / 16, exact in binary16.
Activations digit_activations(const std::vector<Digit>& images);

}  // namespace ow::golden

#endif  // OW_GOLDEN_TRAIN_H_
