// SPDX-License-Identifier: Apache-2.0
#include "layer_kind.h"

#include <iterator>

#include "kinds.h"
#include "ow/base/error.h"
#include "ow/firmware/train.h"

namespace ow::jobs {

const std::vector<const LayerKind*>& layer_kinds() {
  static const std::vector<const LayerKind*> kinds = {&linear_kind(), &relu_kind(), &add_kind(),
                                                      &softmax_cross_entropy_kind(),
                                                      &mean_squared_error_kind()};
  return kinds;
}

namespace {

template <typename Wanted>
std::vector<std::string> names_of(const Wanted& wanted) {
  std::vector<std::string> names;
  for (const LayerKind* kind : layer_kinds()) {
    if (wanted(*kind)) names.emplace_back(kind->name);
  }
  return names;
}

}  // namespace

const LayerKind* find_layer_kind(const std::string& name) {
  for (const LayerKind* kind : layer_kinds()) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

std::vector<std::string> layer_kind_names() {
  return names_of([](const LayerKind&) { return true; });
}

const LossPart& loss_part(const std::string& kind) {
  const LayerKind* found = find_layer_kind(kind);
  if (found == nullptr || found->loss == nullptr) {
    throw InternalError("'" + kind + "' is no loss that is in the table");
  }
  return *found->loss;
}

std::vector<std::string> loss_names() {
  return names_of([](const LayerKind& kind) { return kind.loss != nullptr; });
}

const FinishPart* finish_part(const std::string& kind) {
  if (kind == kNoActivation) return nullptr;
  const LayerKind* found = find_layer_kind(kind);
  if (found == nullptr || found->finish == nullptr) {
    throw InternalError("'" + kind + "' is no activation that is in the table");
  }
  return found->finish;
}

std::vector<std::string> activation_names() {
  std::vector<std::string> names =
      names_of([](const LayerKind& kind) { return kind.finish != nullptr; });
  names.insert(names.begin(), kNoActivation);
  return names;
}

uint32_t pass_flags(const LayerShape& layer) {
  const LayerKind* streamed = find_layer_kind(kShortLayer);
  const FinishPart* finish = finish_part(layer.activation);
  return streamed->streamed->flags(layer) | (finish == nullptr ? 0 : finish->flag);
}

uint64_t target_bits(const LossPart& loss, int outputs) {
  constexpr uint64_t kClass = 32, kValue = 16;
  return loss.targets == TargetForm::Classes ? kClass : kValue * static_cast<uint64_t>(outputs);
}

}  // namespace ow::jobs
