// SPDX-License-Identifier: Apache-2.0
#include "train_samples.h"

#include <algorithm>

#include "ow/base/hash.h"
#include "ow/compile/lowering.h"

namespace ow::jobs {

Samples samples_in(const TrainingJob& job, const Dataset& part) {
  if (job.sequence == 1) return part.activations(job.type, 0, part.samples());
  const std::vector<int> ids(part.values.begin(), part.values.end());
  Tokens tokens = tokens_of(ids, job.sequence, job.micro_batch());
  for (size_t slot = 0; slot < part.starts.size(); slot += kSlotGroup) {
    const auto sample = static_cast<int>(slot) / job.sequence;
    tokens.starts[slot / kSlotGroup] = sample * job.sequence + part.starts[slot];
  }
  return tokens;
}

size_t counted(const Dataset& data, size_t n) {
  if (data.labels.empty()) return 1;
  const size_t each = data.labels.size() / data.samples();
  const auto first = data.labels.begin() + static_cast<std::ptrdiff_t>(n * each);
  return each - static_cast<size_t>(
                    std::count(first, first + static_cast<std::ptrdiff_t>(each), kNoToken));
}

Targets targets_of(const TrainingJob& job, const Dataset& part) {
  Targets targets;
  targets.classes = part.labels;
  if (targets_of(job.loss) == TargetForm::Classes) return targets;
  const auto samples = static_cast<int>(part.samples());
  targets.values = Activations::zero(graph_of(job).outputs(), samples);
  const uint16_t one = to_half(job.type, 1.0);
  for (int s = 0; s < samples; ++s) {
    if (!part.targets.empty()) {
      const float* values = part.target(static_cast<size_t>(s));
      for (int j = 0; j < part.outputs; ++j) {
        targets.values.at(j, s) = to_half(job.type, static_cast<double>(values[j]));
      }
      continue;
    }
    targets.values.at(part.labels[static_cast<size_t>(s)], s) = one;
  }
  return targets;
}

double loss_of(const TrainingJob& job, const Activations& z, const Dataset& part) {
  const LossPart& kind = loss_part(job.loss);
  const Op op = job.graph.empty() ? Op{} : job.graph.ops.back();
  std::vector<double> outputs(static_cast<size_t>(z.features));
  double loss = 0;
  for (int s = 0; s < z.samples; ++s) {
    for (int j = 0; j < z.features; ++j) {
      outputs[static_cast<size_t>(j)] = from_half(job.type, z.at(j, s));
    }
    const auto n = static_cast<size_t>(s);
    Goal goal;
    if (!part.labels.empty()) goal.label = part.labels[n];
    if (!part.targets.empty()) goal.values = part.target(n);
    kind.add(op, outputs, goal, &loss);
  }
  return loss;
}

size_t right_of(const TrainingJob& job, const Activations& z, const Dataset& part) {
  if (part.labels.empty()) return 0;
  const std::vector<int> got = classify(job.type, z);
  size_t right = 0;
  for (size_t s = 0; s < got.size(); ++s) right += got[s] == part.labels[s] ? 1 : 0;
  return right;
}

Dataset part_of(const Dataset& data, size_t first, size_t count) {
  Dataset part;
  for (size_t k = 0; k < count; ++k) part.add(data, first + k);
  return part;
}

memoryx::JobKeys data_keys(const Dataset& data) {
  Hash features, targets;
  features.add(data.values);
  features.add(data.starts);
  targets.add(data.labels);
  targets.add(data.targets);
  return {{"data.samples", std::to_string(data.samples())},
          {"data.features", "of hash " + features.text()},
          {"data.targets", "of hash " + targets.text()}};
}

Dataset samples_of(const Dataset& data, const std::vector<uint64_t>& numbers, size_t first,
                   size_t count) {
  Dataset part;
  for (size_t k = 0; k < count; ++k) part.add(data, numbers[first + k]);
  return part;
}

}  // namespace ow::jobs
