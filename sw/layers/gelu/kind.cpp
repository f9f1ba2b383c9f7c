// SPDX-License-Identifier: Apache-2.0
// x * sigmoid(u), the tanh form of the Gaussian error linear unit.
#include "ow/graph/kind.h"

namespace ow {

const Kind& gelu_kinds() {
  static const Kind kind{"gelu", {}, 1, same_features};
  return kind;
}

}  // namespace ow
