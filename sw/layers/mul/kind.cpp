// SPDX-License-Identifier: Apache-2.0
// a * b, feature by feature.
#include <fmt/format.h>

#include "ow/base/error.h"
#include "ow/graph/kind.h"

namespace ow {
namespace {

int features(const Op& op, const std::vector<int>& inputs) {
  if (inputs[0] != inputs[1]) {
    throw BadInput(fmt::format("{} multiplies '{}' of {} features and '{}' of {}", op.where,
                               op.inputs[0], inputs[0], op.inputs[1], inputs[1]));
  }
  return inputs[0];
}

}  // namespace

const Kind& mul_kinds() {
  static const Kind kind{"mul", {}, 2, features};
  return kind;
}

}  // namespace ow
