// SPDX-License-Identifier: Apache-2.0
#include "training_host.h"

#include <algorithm>

#include "ow/base/error.h"
#include "ow/compile/lower.h"
#include "ow/compile/plan.h"
#include "training_job.h"

namespace ow::conform {

memoryx::MemoryX& TrainingHost::memory() {
  if (!memory_) throw Refused("job comes first");
  return *memory_;
}

size_t TrainingHost::parameter_of(const std::string& name, size_t words) {
  const memoryx::Store& store = memory().store();
  const size_t k = store.index(name);
  if (words != store.spec(k).elements()) throw BadInput("another number of values");
  return k;
}

void TrainingHost::begin_job(const std::string& text) {
  passes_.reset();
  machine_.reset();
  memory_.reset();
  given_.clear();
  slot_ = -1;
  ignored_ = 0;
  TrainingJob job = parse_training_job(text);
  Graph layers = job.graph;
  job.layers = jobs::lower(layers).layers;
  memory_ = std::make_unique<memoryx::MemoryX>(job, memoryx::MemoryOptions{});
  memory_->begin();
}

std::vector<uint32_t> TrainingHost::parameter(const std::string& name, const std::string& what) {
  const memoryx::Store& store = memory().store();
  const size_t k = store.index(name), n = store.spec(k).elements();
  const auto numbers = [n](const memoryx::View<float>& view) { return encodings(view.data(), n); };
  std::vector<uint32_t> mask(n, 1);
  if (store.spec(k).masked) {
    const auto view = store.mask(k, 0, n);
    mask.assign(view.begin(), view.end());
  }
  if (what == "mask") return mask;
  if (what == "value") return numbers(store.weights(k, 0, n));
  if (what == "gradient" && slot_ >= 0) {
    std::vector<uint32_t> words = numbers(store.gradient(k, slot_, 0, n));
    // The store keeps whatever it had outside the mask.
    for (size_t i = 0; i < n && !memory().needs_dense(k); ++i) words[i] *= mask[i];
    return words;
  }
  const int moment = what == "first" ? 0 : what == "second" ? 1 : store.moments();
  if (moment >= store.moments()) throw BadInput("no '" + what + "'");
  return numbers(store.moment(k, moment, 0, n));
}

void TrainingHost::set_parameter(const std::string& name, const std::vector<uint32_t>& words) {
  const size_t k = parameter_of(name, words.size());
  const auto view = memory().store().weights(k, 0, words.size());
  std::transform(words.begin(), words.end(), view.begin(), decoded);
}

void TrainingHost::set_gradient(const std::string& name, const std::vector<uint32_t>& words) {
  const size_t k = parameter_of(name, words.size());
  slot_ = memory().gradient_slot();
  const auto view = memory().store().gradient(k, slot_, 0, words.size());
  std::transform(words.begin(), words.end(), view.begin(), decoded);
  given_.insert(k);
  if (given_.size() < memory().store().tensors()) return;
  given_.clear();
  memory().gradient_added();
}

std::vector<uint32_t> TrainingHost::batch(const std::vector<uint32_t>& inputs,
                                          const std::vector<uint32_t>& targets) {
  const TrainingJob& job = memory().job();
  const Batch in = batch_of(job, inputs, targets);
  if (!passes_) {
    const ElfImage program =
        jobs::program_of(job, jobs::training_programs(firmware_, job.type), jobs::kFullTile);
    machine_ = std::make_unique<Runtime>(make_runtime(make_grid({job.grid_rows, job.grid_cols})));
    passes_ = std::make_unique<jobs::TrainGrid>(
        *machine_, program, jobs::make_plan("job", job, program, jobs::kFullTile));
  }
  const std::vector<int>& classes = in.targets.classes;
  ignored_ += static_cast<uint64_t>(std::count(classes.begin(), classes.end(), kNoToken));
  slot_ = memory().gradient_slot();
  return words_of(passes_->train(memory(), in.samples, in.targets).outputs);
}

std::pair<bool, uint32_t> TrainingHost::end_step() {
  const bool skipped = memory().finish_step(ignored_).skipped;
  ignored_ = 0;
  slot_ = -1;
  const float scale = memory().loss_scale();
  return {!skipped, encodings(&scale, 1)[0]};
}

std::vector<uint32_t> TrainingHost::order(uint64_t samples, uint64_t step) {
  const TrainingJob& job = memory().job();
  memoryx::SampleOrder order(job.seed, samples, job.batch_sequences());
  const std::vector<uint64_t> numbers = order.of_step(step);
  return {numbers.begin(), numbers.end()};
}

}  // namespace ow::conform
