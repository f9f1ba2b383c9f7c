// SPDX-License-Identifier: Apache-2.0
// -log of the softmax of the class's output, for many outputs. With smoothing the target is a
// mixture of the class and of all outputs alike (Szegedy et al., Rethinking the Inception
// Architecture, 2016).
#include "ow/graph/kind.h"

namespace ow {

const Kind& vocabulary_cross_entropy_kinds() {
  static const Kind kind{"vocabulary_cross_entropy",
                         {{"smoothing", KindOption::Form::Real, 0, 1, 0.0}},
                         2,
                         nullptr,
                         nullptr,
                         TargetForm::Classes};
  return kind;
}

}  // namespace ow
