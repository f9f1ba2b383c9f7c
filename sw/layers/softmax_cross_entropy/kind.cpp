// SPDX-License-Identifier: Apache-2.0
// -log of the softmax of the class's output.
#include "ow/graph/kind.h"

namespace ow {

const Kind& softmax_cross_entropy_kinds() {
  static const Kind kind{"softmax_cross_entropy", {}, 2, nullptr, nullptr, TargetForm::Classes};
  return kind;
}

}  // namespace ow
