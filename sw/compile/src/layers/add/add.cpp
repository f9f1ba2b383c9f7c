// SPDX-License-Identifier: Apache-2.0
// a + b. No program of the tiles does it yet.
#include <fmt/format.h>

#include "../kinds.h"
#include "ow/base/error.h"

namespace ow::jobs {
namespace {

int features(const GraphLayer& layer, const std::vector<int>& inputs) {
  if (inputs[0] != inputs[1]) {
    throw BadInput(fmt::format("{} adds '{}' of {} features and '{}' of {}", layer.where,
                               layer.inputs[0], inputs[0], layer.inputs[1], inputs[1]));
  }
  return inputs[0];
}

}  // namespace

const LayerKind& add_kind() {
  static const LayerKind kind{"add", {}, 2, features};
  return kind;
}

}  // namespace ow::jobs
