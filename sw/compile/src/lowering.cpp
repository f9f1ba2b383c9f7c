// SPDX-License-Identifier: Apache-2.0
#include "ow/compile/lowering.h"

#include "ow/base/error.h"

namespace ow::jobs {

const Lowering* find_lowering(const std::string& kind) {
  for (const Lowering* lowering : lowerings()) {
    if (lowering->name == kind) return lowering;
  }
  return nullptr;
}

uint64_t work_rows(const LossPart& loss, int samples, uint64_t owned) {
  if (loss.rows == nullptr) return OW_LOSS_ROWS;
  return OW_LOSS_ROWS + loss.rows(static_cast<uint64_t>(samples), owned);
}

const LossPart& loss_part(const std::string& kind) {
  const Lowering* found = find_lowering(kind);
  if (found == nullptr || found->loss == nullptr) {
    throw InternalError("'" + kind + "' is no loss that is in the table");
  }
  return *found->loss;
}

TargetForm targets_of(const std::string& loss) { return find_kind(loss)->targets.value(); }

const FinishPart* finish_part(const std::string& kind) {
  if (kind == kNoActivation) return nullptr;
  const Lowering* found = find_lowering(kind);
  if (found == nullptr || found->finish == nullptr) {
    throw InternalError("'" + kind + "' is no activation that is in the table");
  }
  return found->finish;
}

std::vector<std::string> activation_names() {
  std::vector<std::string> names = {kNoActivation};
  for (const Lowering* lowering : lowerings()) {
    if (lowering->finish != nullptr) names.emplace_back(lowering->name);
  }
  return names;
}

uint64_t target_bits(const std::string& loss, int outputs) {
  constexpr uint64_t kClass = 32, kValue = 16;
  return targets_of(loss) == TargetForm::Classes ? kClass : kValue * static_cast<uint64_t>(outputs);
}

}  // namespace ow::jobs
