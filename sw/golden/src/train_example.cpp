// SPDX-License-Identifier: Apache-2.0
// The example's training, by the reference trainer.
#include <numeric>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/golden/train.h"

namespace ow::golden {
namespace {

// Steps that begin in the first `epochs` epochs.
uint64_t steps_of(uint64_t epochs, uint64_t samples, uint64_t batch) {
  return (epochs * samples + batch - 1) / batch;
}

TrainingJob job_of(const TrainOptions& options, uint64_t samples) {
  TrainingJob job;
  job.type = options.type;
  const size_t depth = options.layers.size() - 1;
  for (size_t k = 0; k < depth; ++k) {
    job.layers.push_back({options.layers[k], options.layers[k + 1],
                          k + 1 < depth ? Activation::Relu : Activation::None, true});
  }
  job.samples = options.batch;
  job.seed = options.seed;
  const auto batch = static_cast<uint64_t>(options.batch);
  const auto at = [&](int epochs) {
    return steps_of(static_cast<uint64_t>(epochs), samples, batch);
  };
  job.optimizer.weight_decay = options.weight_decay;
  job.optimizer.rate = {{SchedulePiece::Kind::Linear, options.learning_rate,
                         options.learning_rate / 20, at(options.epochs), 1}};
  // Small deltas keep their bits; the largest stay far below the end of the range.
  job.loss_scale.initial = 256;
  if (options.sparsity == 0) return job;
  SparsityGroup group;
  group.pattern = "*.weight";
  group.algorithm = SparsityGroup::Algorithm::Gradual;
  const uint64_t begin = at(options.prune_begin);
  const uint64_t end = at(options.prune_end);
  const double density = 1 - options.sparsity;
  group.density = {{SchedulePiece::Kind::Constant, 1, 1, begin, 1},
                   {SchedulePiece::Kind::Cubic, 1, density, end - begin, 1}};
  group.update.start = begin;
  group.update.every = std::max<uint64_t>(1, samples / batch);
  // The last update is at the end of the cubic, or of the training.
  for (uint64_t s = begin; s < end; s += group.update.every) group.update.steps.push_back(s);
  group.update.steps.push_back(std::min(end, at(options.epochs) - 1));
  job.sparsity = {group};
  return job;
}

}  // namespace

std::vector<uint64_t> samples_of_step(const TrainingJob& job, uint64_t samples, uint64_t step) {
  std::vector<uint64_t> out;
  std::vector<uint64_t> order;
  uint64_t shuffled = UINT64_MAX;
  for (uint64_t k = 0; k < job.batch(); ++k) {
    const uint64_t position = step * job.batch() + k;
    if (position / samples != shuffled) {
      shuffled = position / samples;
      order.resize(samples);
      std::iota(order.begin(), order.end(), uint64_t{0});
      Rng rng(mix64(mix64(job.seed) + shuffled));
      for (uint64_t i = samples - 1; i > 0; --i) std::swap(order[i], order[rng.below(i + 1)]);
    }
    out.push_back(order[position % samples]);
  }
  return out;
}

Network train(const TrainOptions& options, const Dataset& data,
              const std::function<void(int)>& progress) {
  if (options.layers.size() < 2 || options.layers.front() != data.features || data.samples() == 0 ||
      data.labels.size() != data.samples()) {
    throw InternalError("training needs samples with classes and layers that fit them");
  }
  const uint64_t samples = data.samples();
  const TrainingJob job = job_of(options, samples);
  Trainer trainer(job);
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    const uint64_t stop = steps_of(static_cast<uint64_t>(epoch), samples, job.batch());
    while (trainer.step() < stop) {
      Dataset part;
      for (const uint64_t n : samples_of_step(job, samples, trainer.step())) part.add(data, n);
      Targets targets;
      targets.classes = part.labels;
      trainer.update({trainer.run(part.activations(job.type, 0, part.samples()), targets)});
    }
    if (progress) progress(epoch);
  }
  return trainer.network();
}

}  // namespace ow::golden
