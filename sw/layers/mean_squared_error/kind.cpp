// SPDX-License-Identifier: Apache-2.0
// The mean of the squared distances of the outputs from their target values.
#include "ow/graph/kind.h"

namespace ow {

const Kind& mean_squared_error_kinds() {
  static const Kind kind{"mean_squared_error", {}, 2, nullptr, nullptr, TargetForm::Values};
  return kind;
}

}  // namespace ow
