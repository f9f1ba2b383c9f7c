// SPDX-License-Identifier: Apache-2.0
// The mean over the outputs of their squared distances from the values that they should have; the
// derivative by one is 2 / outputs of its distance.
#include "loss_kind.h"
#include "ow/firmware/train.h"

namespace ow::jobs {
namespace {

float factor(float scale, int outputs) {
  return static_cast<float>(2.0 * scale / static_cast<double>(outputs));
}

// Towards 1 for the class and 0 for the others.
void add(const std::vector<double>& outputs, int target, double* loss) {
  for (size_t j = 0; j < outputs.size(); ++j) {
    const double off = outputs[j] - (j == static_cast<size_t>(target) ? 1.0 : 0.0);
    *loss += off * off / static_cast<double>(outputs.size());
  }
}

}  // namespace

const LossKind& mean_squared_error() {
  static const LossKind kind{Loss::MeanSquaredError,
                             "mean_squared_error",
                             OW_TR_LOSS_SQUARES,
                             TargetForm::Values,
                             0,
                             {},
                             factor,
                             add};
  return kind;
}

}  // namespace ow::jobs
