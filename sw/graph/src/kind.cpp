// SPDX-License-Identifier: Apache-2.0
#include "ow/graph/kind.h"

namespace ow {
namespace {

template <typename Wanted>
std::vector<std::string> names_of(const Wanted& wanted) {
  std::vector<std::string> names;
  for (const Kind* kind : kinds()) {
    if (wanted(*kind)) names.emplace_back(kind->name);
  }
  return names;
}

}  // namespace

const Kind* find_kind(const std::string& name) {
  for (const Kind* kind : kinds()) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

std::vector<std::string> kind_names() {
  return names_of([](const Kind&) { return true; });
}

std::vector<std::string> loss_names() {
  return names_of([](const Kind& kind) { return kind.is_loss(); });
}

int same_features(const Op& /*op*/, const std::vector<int>& inputs) { return inputs.front(); }

}  // namespace ow
