// SPDX-License-Identifier: Apache-2.0
// The update of a reference training: mean, overflow, clipping, optimizer, masks.
#include <algorithm>
#include <cmath>

#include "ow/base/error.h"
#include "ow/golden/train.h"
#include "train_rules.h"

namespace ow::golden {
namespace {

using Gradients = std::vector<std::vector<float>>;
using Batches = std::vector<MicroBatch>;

// The tree over micro-batches `first` to `last` - 1, of one element.
float tree_sum(const Batches& batches, size_t parameter, size_t i, size_t first, size_t last) {
  if (last - first == 1) return batches[first].gradients[parameter][i];
  size_t half = 1;
  while (2 * half < last - first) half *= 2;
  return tree_sum(batches, parameter, i, first, first + half) +
         tree_sum(batches, parameter, i, first + half, last);
}

bool in_mask(const Parameter& p, size_t i) { return p.mask.empty() || p.mask[i] != 0; }

// The norm of all gradients at positions in masks, each times `factor`.
double norm_of(const std::vector<Parameter>& parameters, const Gradients& gradients, float factor) {
  constexpr size_t kBlock = 4096;
  constexpr size_t kSums = 16;
  double total = 0;
  for (size_t k = 0; k < parameters.size(); ++k) {
    const size_t n = gradients[k].size();
    for (size_t block = 0; block < n; block += kBlock) {
      double sums[kSums] = {};
      for (size_t i = block; i < n && i < block + kBlock; ++i) {
        const double g = in_mask(parameters[k], i) ? gradients[k][i] * factor : 0.0f;
        sums[(i - block) % kSums] += g * g;
      }
      for (size_t half = kSums / 2; half > 0; half /= 2) {
        for (size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
      }
      total += sums[0];
    }
  }
  return std::sqrt(total);
}

struct Rule {
  bool adamw;
  bool nesterov;
  float rate, decay, momentum, keep, epsilon;
  float beta1, rest1, correct1, beta2, rest2, correct2;
};

Rule rule_of(const OptimizerOptions& o, uint64_t step, uint64_t updates, bool matrix) {
  const double rate = schedule_value(o.rate, step);
  const double decay = matrix ? o.weight_decay : 0;
  Rule r{};
  r.adamw = o.kind == OptimizerOptions::Kind::AdamW;
  r.nesterov = o.nesterov;
  r.rate = static_cast<float>(rate);
  r.decay = static_cast<float>(decay);
  r.momentum = static_cast<float>(o.momentum);
  r.keep = static_cast<float>(1 - rate * decay);
  r.epsilon = static_cast<float>(o.epsilon);
  r.beta1 = static_cast<float>(o.beta1);
  r.rest1 = static_cast<float>(1 - o.beta1);
  r.beta2 = static_cast<float>(o.beta2);
  r.rest2 = static_cast<float>(1 - o.beta2);
  r.correct1 = static_cast<float>(1 / (1 - whole_power(o.beta1, updates)));
  r.correct2 = static_cast<float>(1 / (1 - whole_power(o.beta2, updates)));
  return r;
}

// Updates one element of a parameter; g is its gradient after N17.
void move(const Rule& r, float g, Parameter* p, size_t i) {
  float& w = p->value[i];
  if (r.adamw) {
    float& m = p->first[i];
    float& v = p->second[i];
    m = r.beta1 * m + r.rest1 * g;
    v = r.beta2 * v + r.rest2 * (g * g);
    const float numerator = r.rate * (m * r.correct1);
    const float denominator = std::sqrt(v * r.correct2) + r.epsilon;
    w = w * r.keep - numerator / denominator;
    return;
  }
  if (r.decay != 0) g = g + r.decay * w;
  if (!p->first.empty()) {
    float& v = p->first[i];
    v = r.momentum * v + g;
    g = r.nesterov ? g + r.momentum * v : v;
  }
  w = w - r.rate * g;
}

}  // namespace

Trainer::Result Trainer::update(const std::vector<MicroBatch>& batches, Masks masks) {
  if (batches.size() != static_cast<size_t>(job_.micro_batches)) {
    throw InternalError("a step of another number of micro-batches");
  }
  Result result;
  uint64_t ignored = 0;
  for (const MicroBatch& b : batches) ignored += b.ignored;
  const uint64_t counted = std::max<uint64_t>(job_.batch() - ignored, 1);
  for (const MicroBatch& b : batches) {
    const auto own = static_cast<double>((job_.micro_batch() - b.ignored) *
                                         static_cast<uint64_t>(job_.micro_batches));
    result.loss += b.loss * (own / static_cast<double>(counted)) / job_.micro_batches;
  }
  result.rate = static_cast<float>(schedule_value(job_.optimizer.rate, step_));
  Gradients gradients(parameters_.size());
  for (size_t k = 0; k < parameters_.size(); ++k) {
    gradients[k].resize(parameters_[k].value.size());
    for (size_t i = 0; i < gradients[k].size(); ++i) {
      const float g = tree_sum(batches, k, i, 0, batches.size());
      gradients[k][i] = g;
      if (in_mask(parameters_[k], i) && !std::isfinite(g)) result.skipped = true;
    }
  }
  if (!result.skipped) {
    const float factor = 1.0f / (static_cast<float>(counted) * scale_);
    float clip = 1;
    const double most = job_.optimizer.max_norm;
    if (most > 0) {
      result.norm = norm_of(parameters_, gradients, factor);
      if (*result.norm > most) clip = static_cast<float>(most / *result.norm);
    }
    ++updates_;
    Gradients means = gradients;
    for (std::vector<float>& mean : means) {
      for (float& g : mean) g = g * factor;
    }
    optimize(means, clip);
    if (masks == Masks::Change) change_masks(gradients);
  }
  if (job_.loss_scale.dynamic) {
    if (result.skipped) {
      scale_ = scale_ > 1 ? scale_ / 2 : 1;
      good_ = 0;
    } else if (++good_ == job_.loss_scale.interval) {
      scale_ = scale_ < job_.loss_scale.most ? scale_ * 2 : scale_;
      good_ = 0;
    }
  }
  ++step_;
  return result;
}

void Trainer::optimize(const std::vector<std::vector<float>>& gradients, float clip) {
  for (size_t k = 0; k < parameters_.size(); ++k) {
    Parameter& p = parameters_[k];
    const Rule rule = rule_of(job_.optimizer, step_, updates_, p.matrix);
    for (size_t i = 0; i < p.value.size(); ++i) {
      if (!in_mask(p, i)) continue;
      const float g = gradients[k][i];
      move(rule, clip == 1 ? g : g * clip, &p, i);
    }
  }
}

void Trainer::change_masks(const std::vector<std::vector<float>>& gradients) {
  for (size_t k = 0; k < parameters_.size(); ++k) {
    Parameter& p = parameters_[k];
    if (p.group < 0) continue;
    const SparsityGroup& group = job_.sparsity[static_cast<size_t>(p.group)];
    if (group.algorithm == SparsityGroup::Algorithm::Static || !is_due(group.update, step_)) {
      continue;
    }
    const std::vector<uint8_t> mask = next_mask(group, p, job_.seed, k, step_, gradients[k]);
    for (size_t i = 0; i < mask.size(); ++i) {
      if (mask[i] != 0 && p.mask[i] != 0) continue;
      p.value[i] = 0;
      if (!p.first.empty()) p.first[i] = 0;
      if (!p.second.empty()) p.second[i] = 0;
    }
    p.mask = mask;
  }
}

}  // namespace ow::golden
