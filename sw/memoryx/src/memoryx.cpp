// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/memoryx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ow/base/error.h"
#include "ow/base/rng.h"

namespace ow::memoryx {
namespace {

const TrainingJob& checked(const TrainingJob& job) {
  const auto good = [](bool condition, const char* what) {
    if (!condition) throw BadInput(std::string("training: ") + what);
  };
  good(!job.layers.empty(), "a network without layers");
  try {
    graph_of(job);  // checks its sizes
  } catch (const BadInput& error) {
    good(false, error.what());
  }
  good(job.grid_rows > 0 && job.grid_cols > 0 && job.samples > 0,
       "grid and samples must be above 0");
  good(job.micro_batches > 0, "micro-batches must be above 0");
  good(job.forward.empty() || job.forward.size() == job.layers.size(), "an order of sums a layer");
  good(job.delta.empty() || job.delta.size() == job.layers.size(), "an order of sums a layer");
  good(job.batch() < uint64_t{1} << 24, "a batch must be below 2^24 samples");
  return job;
}

}  // namespace

std::vector<TensorSpec> specs_of(const TrainingJob& job) {
  std::vector<TensorSpec> specs;
  for (const Parameter& parameter : graph_of(job).parameters) {
    TensorSpec spec{parameter.name, {parameter.rows}, false, parameter.initial};
    spec.table = parameter.form == Parameter::Form::Table;
    if (parameter.form != Parameter::Form::Vector) spec.shape.push_back(parameter.columns);
    spec.masked = group_of(job.sparsity, spec) >= 0;
    specs.push_back(std::move(spec));
  }
  return specs;
}

std::vector<LayerParameters> parameters_of(const std::vector<LayerShape>& layers) {
  std::vector<LayerParameters> parameters;
  size_t next = 0;
  for (const LayerShape& layer : layers) {
    parameters.push_back({next, next + 1});
    next += layer.bias ? 2 : 1;
  }
  return parameters;
}

void check_ranges(const TrainingJob& job, const MemoryOptions& options) {
  const std::vector<TensorSpec> specs = specs_of(checked(job));
  const Pool pool(options.threads);
  Store::check(specs, options.store);
  Sparsity::check(job.sparsity, specs);
  Optimizer::check(job.optimizer);
  const LossScale scale(job.loss_scale);
}

MemoryX::MemoryX(const TrainingJob& job, const MemoryOptions& options)
    : job_(checked(job)),
      data_(options.data),
      pool_(options.threads),
      store_(specs_of(job), job.optimizer.moments(), GradientSum::arrays(job.micro_batches),
             options.store),
      sparsity_(job.sparsity, job.seed, store_),
      optimizer_(job.optimizer, store_, pool_),
      scale_(job.loss_scale),
      sum_(store_, pool_) {}

void MemoryX::begin() {
  Rng rng(job_.seed);
  for (size_t t = 0; t < store_.tensors(); ++t) {
    if (job_.first) {
      const std::vector<float>& values = job_.first->values.at(store_.spec(t).name);
      store_.each_window(t, [&](size_t first, size_t count) {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), count,
                    store_.weights(t, first, count).begin());
      });
      continue;
    }
    if (!store_.spec(t).matrix()) {
      const float initial = store_.spec(t).initial;
      store_.each_window(t, [&](size_t first, size_t count) {
        for (float& w : store_.weights(t, first, count)) w = initial;
      });
      continue;
    }
    const double limit = std::sqrt(6.0 / static_cast<double>(store_.spec(t).shape.back()));
    store_.each_window(t, [&](size_t first, size_t count) {
      for (float& w : store_.weights(t, first, count)) {
        w = static_cast<float>((2.0 * rng.uniform() - 1.0) * limit);
      }
    });
  }
  sparsity_.begin();
}

Optimizer::Result MemoryX::finish_step(uint64_t ignored) {
  if (sum_.count() != job_.micro_batches) {
    throw InternalError("a step ends before all its micro-batches are there");
  }
  sum_.finish();
  const uint64_t counted = std::max<uint64_t>(job_.batch() - ignored, 1);
  const float divisor = static_cast<float>(counted) * scale_.value();
  const Optimizer::Result result = optimizer_.step(step_, updates_, divisor);
  updated_ = 0;
  if (!result.skipped) {
    ++updates_;
    // Count with the masks of this update, before they change.
    for (size_t k = 0; k < store_.tensors(); ++k) updated_ += kept(k);
    sparsity_.update(step_);
  }
  scale_.update(result.skipped);
  ++step_;
  return result;
}

std::unique_ptr<MatrixSource> MemoryX::source(const StreamStep& step) const {
  if (step.parameter >= store_.tensors()) throw InternalError("a stream of no parameter");
  if (!store_.spec(step.parameter).matrix() || step.pass == Pass::Rows) return nullptr;
  const bool all = step.pass == Pass::Gradient && needs_dense(step.parameter);
  return store_matrix(store_, step.parameter, job_.type, all ? Pass::GradientOfAll : step.pass,
                      step.copies);
}

std::unique_ptr<BatchSource> MemoryX::batches(const StreamSchedule& schedule,
                                              const StreamOptions& options) const {
  return matrix_batches(
      schedule, [this](const StreamStep& step) { return source(step); }, options);
}

std::unique_ptr<WeightStream> MemoryX::stream(const StreamSchedule& schedule,
                                              const StreamOptions& options) const {
  return std::make_unique<WeightStream>(batches(schedule, options), options);
}

Weights MemoryX::weights() const {
  Weights weights;
  for (size_t k = 0; k < store_.tensors(); ++k) {
    std::vector<float>& to = weights[store_.spec(k).name];
    store_.each_window(k, [&](size_t first, size_t count) {
      const auto some = store_.weights(k, first, count);
      to.insert(to.end(), some.begin(), some.end());
    });
  }
  return weights;
}

RunState MemoryX::state() const {
  RunState s;
  s.step = step_;
  s.updates = updates_;
  s.loss_scale = scale_.value();
  s.good_steps = scale_.good_steps();
  s.job = job_keys(job_);
  s.job.insert(s.job.end(), data_.begin(), data_.end());
  return s;
}

void MemoryX::save(const std::string& path, FileCalls* calls) const {
  save_checkpoint(path, store_, state(), calls);
}

void MemoryX::load(const std::string& path) {
  if (sum_.count() != 0) throw InternalError("a checkpoint is read in the middle of a step");
  const RunState mine = state();
  const RunState there = check_checkpoint(path);
  JobKeys kept = there.job;
  if (data_.empty()) {
    const JobKeys own = job_keys(job_);  // data.sequence among them
    const auto of_data = [&own](const auto& key) {
      const auto same = [&key](const auto& mine) { return mine.first == key.first; };
      return key.first.rfind("data.", 0) == 0 && std::none_of(own.begin(), own.end(), same);
    };
    kept.erase(std::remove_if(kept.begin(), kept.end(), of_data), kept.end());
  }
  const std::string what = first_difference(kept, mine.job);
  if (!what.empty()) throw BadInput(fmt::format("{}: is of another training: {}", path, what));
  LossScale scale = scale_;
  scale.restore(there.loss_scale, there.good_steps);
  const RunState read = load_checkpoint(path, store_);
  scale_ = scale;
  step_ = read.step;
  updates_ = read.updates;
  updated_ = 0;
  sparsity_.recount();
}

SampleOrder::SampleOrder(uint64_t seed, uint64_t samples, uint64_t batch)
    : seed_(seed), batch_(batch), order_(samples) {
  if (samples == 0 || batch == 0) throw BadInput("a training without samples");
  shuffle(0);
}

void SampleOrder::shuffle(uint64_t epoch) {
  epoch_ = epoch;
  std::iota(order_.begin(), order_.end(), uint64_t{0});
  Rng rng(mix64(mix64(seed_) + epoch));
  for (size_t i = order_.size() - 1; i > 0; --i) std::swap(order_[i], order_[rng.below(i + 1)]);
}

std::vector<uint64_t> SampleOrder::of_step(uint64_t step) {
  std::vector<uint64_t> out;
  for (uint64_t p = step * batch_; out.size() < batch_; ++p) {
    const uint64_t epoch = p / order_.size();
    if (epoch != epoch_) shuffle(epoch);
    out.push_back(order_[p % order_.size()]);
  }
  return out;
}

}  // namespace ow::memoryx
