// SPDX-License-Identifier: Apache-2.0
// What a training of the example's kind is told: data alone, for the parameters of a job and for
// whoever trains.
#ifndef OW_TENSOR_TRAIN_OPTIONS_H_
#define OW_TENSOR_TRAIN_OPTIONS_H_

#include <cstdint>
#include <vector>

#include "ow/tensor/network.h"

namespace ow {

struct TrainOptions {
  HalfType type = HalfType::Binary16;  // to which the weights are rounded in the end
  // Hidden layers have ReLU, the last one none; all have a bias.
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

}  // namespace ow

#endif  // OW_TENSOR_TRAIN_OPTIONS_H_
