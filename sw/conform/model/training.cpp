// SPDX-License-Identifier: Apache-2.0
#include "training.h"

#include <algorithm>
#include <numeric>

#include "../job/training_job.h"
#include "ow/base/error.h"

namespace ow::conform {
namespace {

// A host is wrong if it carries out another job than the one that it was given.
void spoil_update(const Wrong& wrong, OptimizerOptions* o) {
  if (wrong("decay is left out")) o->weight_decay = 0;
  if (wrong("momentum is not nesterov's")) o->nesterov = false;
  if (wrong("the moments exchange their rates")) std::swap(o->beta1, o->beta2);
  if (wrong("epsilon is left out")) o->epsilon = OptimizerOptions::kLeastEpsilon;
  if (wrong("gradients are not clipped")) o->max_norm = 0;
  for (SchedulePiece& piece : o->rate) {
    using Kind = SchedulePiece::Kind;
    if (wrong("a cosine is linear") && piece.kind == Kind::Cosine) piece.kind = Kind::Linear;
    if (wrong("cubic falls like a square") && piece.kind == Kind::Cubic) piece.kind = Kind::Linear;
    if (wrong("pieces are a step longer") && piece.kind != Kind::Slope &&
        piece.kind != Kind::Repeat) {
      ++piece.steps;
    }
    if (wrong("a slope does not stop") && piece.kind == Kind::Slope)
      piece.to = piece.base < 0 ? -1e6 : 1e6;
  }
}

void spoil_masks(const Wrong& wrong, SparsityGroup* g) {
  using Algorithm = SparsityGroup::Algorithm;
  using Init = SparsityGroup::Init;
  if (wrong("random masks are even") && g->init == Init::Random) g->init = Init::Even;
  if (wrong("the least weights stay") && g->init == Init::Magnitude) g->init = Init::Random;
  if (wrong("nothing is dropped")) g->drop = constant_schedule(0);
  if (wrong("rigl grows at random") && g->algorithm == Algorithm::Rigl)
    g->algorithm = Algorithm::Set;
  if (wrong("masks are not balanced")) g->balance = SparsityGroup::Balance::None;
  if (wrong("masks change a step later")) ++g->update.start;
  if (wrong("gradual masks stay") && g->algorithm == Algorithm::Gradual)
    g->algorithm = Algorithm::Static;
}

void spoil(const Wrong& wrong, TrainingJob* job) {
  spoil_update(wrong, &job->optimizer);
  for (SparsityGroup& group : job->sparsity) spoil_masks(wrong, &group);
  if (wrong("the loss scale stays")) job->loss_scale.dynamic = false;
  if (wrong("the loss is not scaled")) job->loss_scale.initial = 1;
  if (wrong("whole sums go round the column")) job->forward.clear();
  if (wrong("the deltas' sums are not whole")) job->delta.clear();
  if (wrong("weights begin by the next seed")) ++job->seed;
  if (wrong("tiles' gradients are one sum")) {
    job->samples *= job->grid_cols;
    job->grid_cols = 1;
  }
}

}  // namespace

ModelTraining::ModelTraining(const std::string& job, const Wrong& wrong)
    : wrong_(wrong), job_(parse_training_job(job)) {
  spoil(wrong, &job_);
  trainer_ = std::make_unique<golden::Trainer>(job_, job_.graph);
}

size_t ModelTraining::index(const std::string& name) const {
  const auto& all = trainer_->parameters();
  for (size_t k = 0; k < all.size(); ++k) {
    if (all[k].name == name) return k;
  }
  throw BadInput("no parameter '" + name + "'");
}

std::vector<uint32_t> ModelTraining::parameter(const std::string& name,
                                               const std::string& what) const {
  const size_t k = index(name);
  const golden::Parameter& p = trainer_->parameters()[k];
  if (what == "mask") {
    if (p.mask.empty()) return std::vector<uint32_t>(p.value.size(), 1);
    return {p.mask.begin(), p.mask.end()};
  }
  if (what == "gradient" && step_.empty()) throw BadInput("a micro-batch comes first");
  const std::vector<float>* from = what == "value"      ? &p.value
                                   : what == "first"    ? &p.first
                                   : what == "second"   ? &p.second
                                   : what == "gradient" ? &step_.back().gradients[k]
                                                        : nullptr;
  if (from == nullptr || from->empty()) throw BadInput("no '" + what + "'");
  return encodings(from->data(), from->size());
}

void ModelTraining::set_parameter(const std::string& name, const std::vector<uint32_t>& words) {
  std::vector<golden::Parameter> all = trainer_->parameters();
  std::vector<float>& value = all[index(name)].value;
  if (words.size() != value.size()) throw BadInput("another number of values");
  std::transform(words.begin(), words.end(), value.begin(), decoded);
  trainer_->restore(all, trainer_->step(), trainer_->updates(), trainer_->loss_scale(), 0);
}

void ModelTraining::set_gradient(const std::string& name, const std::vector<uint32_t>& words) {
  const auto& all = trainer_->parameters();
  if (left_ == 0) {
    left_ = all.size();
    given_.assign(left_, {});
  }
  const size_t k = index(name);
  if (words.size() != all[k].value.size() || !given_[k].empty())
    throw BadInput("another gradient is due");
  given_[k].resize(words.size());
  std::transform(words.begin(), words.end(), given_[k].begin(), decoded);
  if (--left_ > 0) return;
  step_.emplace_back();
  step_.back().gradients = std::move(given_);
}

std::vector<uint32_t> ModelTraining::batch(const std::vector<uint32_t>& inputs,
                                           const std::vector<uint32_t>& targets) {
  const Batch in = batch_of(job_, inputs, targets);
  step_.push_back(in.samples.of_tokens() ? trainer_->run(in.samples.tokens, in.targets)
                                         : trainer_->run(in.samples.numbers, in.targets));
  return words_of(step_.back().outputs.back());
}

std::pair<bool, uint32_t> ModelTraining::end_step() {
  if (wrong_("micro-batches are added in turn")) {
    // ((a + b) + c) + d in place of (a + b) + (c + d): all in the first, zeros in the others.
    for (size_t m = 1; m < step_.size(); ++m) {
      for (size_t k = 0; k < step_[m].gradients.size(); ++k) {
        for (size_t i = 0; i < step_[m].gradients[k].size(); ++i) {
          step_[0].gradients[k][i] += step_[m].gradients[k][i];
          step_[m].gradients[k][i] = 0;
        }
      }
    }
  }
  const golden::Trainer::Result result = trainer_->update(step_);
  step_.clear();
  const float scale = trainer_->loss_scale();
  return {!result.skipped, encodings(&scale, 1)[0]};
}

std::vector<uint32_t> ModelTraining::order(uint64_t samples, uint64_t step) const {
  const std::vector<uint64_t> numbers = golden::samples_of_step(job_, samples, step);
  std::vector<uint32_t> words(numbers.begin(), numbers.end());
  if (wrong_("samples come unshuffled")) std::iota(words.begin(), words.end(), 0);
  return words;
}

}  // namespace ow::conform
