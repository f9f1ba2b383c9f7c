// SPDX-License-Identifier: Apache-2.0
// Training of a pruned perceptron. The same options and data give the same bits on every machine
// with IEEE 754 arithmetic: own random numbers, sums in a fixed order, only + - * / and square
// root, no contraction.
#ifndef OW_GOLDEN_TRAIN_H_
#define OW_GOLDEN_TRAIN_H_

#include <functional>

#include "ow/tensor/dataset.h"
#include "ow/tensor/network.h"
#include "ow/tensor/train_options.h"

namespace ow::golden {

// Trains on all samples, with a squared hinge loss for each class; hidden layers have ReLU. Between
// prune_begin and prune_end the smallest weights (each layer's measured by its root mean square)
// are pruned; what is pruned stays zero. The weights are then rounded to the 16-bit type.
// `progress`, if given, is called after each epoch with the number done. Throws InternalError if
// the samples do not fit the layers or have no classes.
Network train(const TrainOptions& options, const Dataset& data,
              const std::function<void(int)>& progress = nullptr);

}  // namespace ow::golden

#endif  // OW_GOLDEN_TRAIN_H_
