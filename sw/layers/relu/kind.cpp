// SPDX-License-Identifier: Apache-2.0
// max(x, 0).
#include "ow/graph/kind.h"

namespace ow {

const Kind& relu_kinds() {
  static const Kind kind{"relu", {}, 1, same_features};
  return kind;
}

}  // namespace ow
