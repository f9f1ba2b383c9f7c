// SPDX-License-Identifier: Apache-2.0
// x * sigmoid(x).
#include "ow/graph/kind.h"

namespace ow {

const Kind& silu_kinds() {
  static const Kind kind{"silu", {}, 1, same_features};
  return kind;
}

}  // namespace ow
