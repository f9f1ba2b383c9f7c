// SPDX-License-Identifier: Apache-2.0
#include "loss_kind.h"

#include <iterator>

#include "ow/base/error.h"
#include "ow/firmware/train.h"

namespace ow::jobs {
namespace {

// One for each that the tiles' program knows. The first is what parameters that name none mean.
const LossKind* const* table() {
  static const LossKind* const kinds[] = {&softmax_cross_entropy(), &mean_squared_error(), nullptr};
  static_assert(std::size(kinds) == OW_TR_LOSSES + 1, "a loss that train_loss.c does not know");
  return kinds;
}

template <typename Wanted>
const LossKind& find(const Wanted& wanted) {
  for (const LossKind* const* kind = table(); *kind != nullptr; ++kind) {
    if (wanted(**kind)) return **kind;
  }
  throw InternalError("a loss that is not in the table");
}

}  // namespace

const LossKind& loss_kind(Loss loss) {
  return find([loss](const LossKind& kind) { return kind.loss == loss; });
}

const LossKind& loss_kind(const std::string& name) {
  return find([&name](const LossKind& kind) { return kind.name == name; });
}

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const LossKind* const* kind = table(); *kind != nullptr; ++kind) {
    names.emplace_back((*kind)->name);
  }
  return names;
}

uint64_t target_bits(const LossKind& kind, int outputs) {
  constexpr uint64_t kClass = 32, kValue = 16;
  return kind.targets == TargetForm::Classes ? kClass : kValue * static_cast<uint64_t>(outputs);
}

}  // namespace ow::jobs
