// SPDX-License-Identifier: Apache-2.0
#include "train_samples.h"

#include "losses/loss_kind.h"

namespace ow::jobs {

Targets targets_of(const TrainingJob& job, const Dataset& part) {
  Targets targets;
  targets.classes = part.labels;
  if (loss_kind(job.loss).targets == TargetForm::Classes) return targets;
  const auto samples = static_cast<int>(part.samples());
  targets.values = Activations::zero(job.layers.back().outputs, samples);
  const uint16_t one = to_half(job.type, 1.0);
  for (int s = 0; s < samples; ++s) {
    targets.values.at(part.labels[static_cast<size_t>(s)], s) = one;
  }
  return targets;
}

double loss_of(const TrainingJob& job, const Activations& z, const std::vector<int>& classes) {
  const LossKind& kind = loss_kind(job.loss);
  std::vector<double> outputs(static_cast<size_t>(z.features));
  double loss = 0;
  for (int s = 0; s < z.samples; ++s) {
    for (int j = 0; j < z.features; ++j) {
      outputs[static_cast<size_t>(j)] = from_half(job.type, z.at(j, s));
    }
    kind.add(outputs, classes[static_cast<size_t>(s)], &loss);
  }
  return loss;
}

size_t right_of(const TrainingJob& job, const Activations& z, const std::vector<int>& classes) {
  const std::vector<int> got = classify(job.type, z);
  size_t right = 0;
  for (size_t s = 0; s < got.size(); ++s) right += got[s] == classes[s] ? 1 : 0;
  return right;
}

Dataset part_of(const Dataset& data, size_t first, size_t count) {
  Dataset part;
  for (size_t k = 0; k < count; ++k) part.add(data, first + k);
  return part;
}

Dataset samples_of(const Dataset& data, const std::vector<uint64_t>& numbers, size_t first,
                   size_t count) {
  Dataset part;
  for (size_t k = 0; k < count; ++k) part.add(data, numbers[first + k]);
  return part;
}

}  // namespace ow::jobs
