// SPDX-License-Identifier: Apache-2.0
// The passes of a reference training: forward, loss, delta, gradient.
#include "ow/golden/train.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/golden/formats.h"
#include "ow/golden/network.h"
#include "ow/golden/nonlinear.h"
#include "ow/golden/tile_ops.h"
#include "train_rules.h"

// The loops below are compiled a second time for processors that have a fused multiply-add, which
// is what they ask for; the bits are the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define OW_FUSED_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define OW_FUSED_CLONES
#endif

namespace ow::golden {
namespace {

uint16_t narrow(HalfType type, uint32_t x) {
  return type == HalfType::Binary16 ? f32_to_f16(x) : f32_to_bf16(x);
}

uint32_t widen(HalfType type, uint16_t x) {
  return type == HalfType::Binary16 ? f16_to_f32(x) : bf16_to_f32(x);
}

std::vector<float> values_of(HalfType type, const Activations& a) {
  std::vector<float> out;
  out.reserve(a.values.size());
  for (const uint16_t x : a.values) out.push_back(bits_to_float(widen(type, x)));
  return out;
}

// Samples of a grid row: `columns` tiles of `samples` each.
struct Row {
  size_t samples;
  size_t columns;
  size_t width() const { return samples * columns; }
};

float plus(float a, float b) { return a + b; }

// The host's arithmetic keeps the sign of what made a NaN; the machine has one NaN (N1).
float one_nan(float x) { return x != x ? bits_to_float(0x7FC00000) : x; }

// Dot products of a delta with those inputs whose mask is set (null: all): in each tile by N6, then
// from the last column to the first. A product of two binary16 numbers is exact in fp32.
OW_FUSED_CLONES
void row_of_gradients(bool fused, const float* delta, const float* inputs, size_t count, Row row,
                      const uint8_t* mask, float* out) {
  for (size_t i = 0; i < count; ++i) {
    if (mask != nullptr && mask[i] == 0) continue;
    const float* input = inputs + i * row.width();
    float along = 0;
    for (size_t c = row.columns; c-- > 0;) {
      const float* a = delta + c * row.samples;
      const float* b = input + c * row.samples;
      float p[kPartials] = {};
      for (size_t s = 0; s < row.samples; s += kPartials) {
        const size_t n = std::min(kPartials, row.samples - s);
        if (fused) {
          for (size_t q = 0; q < n; ++q) p[q] = std::fma(a[s + q], b[s + q], p[q]);
        } else {
          for (size_t q = 0; q < n; ++q) p[q] = a[s + q] * b[s + q] + p[q];
        }
      }
      const float g = join_partials(p, plus);
      along = c + 1 == row.columns ? g : g + along;
    }
    out[i] = one_nan(along);
  }
}

// The same of sums: what a bias gets.
float gradient_of_bias(const float* delta, Row row) {
  float along = 0;
  for (size_t c = row.columns; c-- > 0;) {
    float p[kPartials] = {};
    for (size_t s = 0; s < row.samples; ++s) p[s % kPartials] += delta[c * row.samples + s];
    const float g = join_partials(p, plus);
    along = c + 1 == row.columns ? g : g + along;
  }
  return one_nan(along);
}

// N13 for one sample: the last layer's outputs z, the target and the scale give deltas in fp32.
void softmax_deltas(const std::vector<uint32_t>& z, int target, uint32_t scale, size_t rows,
                    std::vector<uint32_t>* deltas) {
  uint32_t most = z.front();
  for (const uint32_t x : z) most = f32_max(most, x);
  std::vector<uint32_t> e(z.size());
  for (size_t j = 0; j < z.size(); ++j) e[j] = f32_exp(f32_sub(z[j], most));
  uint32_t sum = 0;
  for (size_t r = 0; r < rows; ++r) {
    uint32_t own = 0;
    for (size_t j = r; j < z.size(); j += rows) own = f32_add(own, e[j]);
    sum = r == 0 ? own : f32_add(own, sum);
  }
  const uint32_t inverse = f32_rcp(sum);
  for (size_t j = 0; j < z.size(); ++j) {
    const uint32_t t = float_to_bits(static_cast<int>(j) == target ? 1.0f : 0.0f);
    (*deltas)[j] = f32_mul(f32_sub(f32_mul(e[j], inverse), t), scale);
  }
}

double softmax_loss(const std::vector<uint32_t>& z, int target) {
  double most = -INFINITY;
  for (const uint32_t x : z) most = std::max<double>(most, bits_to_float(x));
  double sum = 0;
  for (const uint32_t x : z) sum += std::exp(bits_to_float(x) - most);
  return std::log(sum) + most - bits_to_float(z[static_cast<size_t>(target)]);
}

// Deltas of the last layer for all samples, and the loss.
Activations loss_deltas(const TrainingJob& job, const Activations& out, const Targets& targets,
                        float scale, double* loss) {
  Activations deltas = Activations::zero(out.features, out.samples);
  const auto outputs = static_cast<size_t>(out.features);
  std::vector<uint32_t> z(outputs), d(outputs);
  const uint32_t factor =
      float_to_bits(static_cast<float>(2.0 * scale / static_cast<double>(outputs)));
  *loss = 0;
  for (int s = 0; s < out.samples; ++s) {
    for (int j = 0; j < out.features; ++j) {
      z[static_cast<size_t>(j)] = widen(job.type, out.at(j, s));
    }
    if (job.loss == Loss::SoftmaxCrossEntropy) {
      const int target = targets.classes[static_cast<size_t>(s)];
      softmax_deltas(z, target, float_to_bits(scale), static_cast<size_t>(job.grid_rows), &d);
      *loss += softmax_loss(z, target) / out.samples;
    } else {
      for (size_t j = 0; j < outputs; ++j) {
        const uint32_t t = widen(job.type, targets.values.at(static_cast<int>(j), s));
        const uint32_t off = f32_sub(z[j], t);
        d[j] = f32_mul(off, factor);
        const double x = bits_to_float(off);
        *loss += x * x / static_cast<double>(outputs) / out.samples;
      }
    }
    for (int j = 0; j < out.features; ++j) {
      deltas.at(j, s) = narrow(job.type, d[static_cast<size_t>(j)]);
    }
  }
  return deltas;
}

// The weights the other way round, without a bias.
Layer transposed(const Layer& layer) {
  Layer t;
  t.inputs = layer.outputs;
  t.outputs = layer.inputs;
  t.bias = false;
  t.weights.resize(layer.weights.size());
  for (int j = 0; j < layer.outputs; ++j) {
    for (int i = 0; i < layer.inputs; ++i) {
      t.weights[static_cast<size_t>(i) * static_cast<size_t>(t.inputs) + static_cast<size_t>(j)] =
          layer.weight(j, i);
    }
  }
  return t;
}

int rows_of(const TrainingJob& job, const std::vector<SumOrder>& orders, size_t layer) {
  return !orders.empty() && orders[layer] == SumOrder::Whole ? 1 : job.grid_rows;
}

void good(bool condition, const char* what) {
  if (!condition) throw InternalError(std::string("golden training: ") + what);
}

}  // namespace

std::vector<int> forward_rows(const TrainingJob& job) {
  std::vector<int> rows;
  for (size_t k = 0; k < job.layers.size(); ++k) rows.push_back(rows_of(job, job.forward, k));
  return rows;
}

size_t Parameter::kept() const {
  if (mask.empty()) return value.size();
  return static_cast<size_t>(std::count(mask.begin(), mask.end(), 1));
}

Trainer::Trainer(const TrainingJob& job)
    : job_(job), scale_(static_cast<float>(job.loss_scale.initial)) {
  good(!job.layers.empty() && job.layers.back().activation == Activation::None,
       "the last layer's activation is the loss");
  good(job.grid_rows > 0 && job.grid_cols > 0 && job.samples > 0 && job.micro_batches > 0,
       "a batch of nothing");
  Rng rng(job.seed);
  for (size_t k = 0; k < job.layers.size(); ++k) {
    const LayerShape& shape = job.layers[k];
    Parameter w;
    w.name = weight_name(k);
    w.rows = static_cast<size_t>(shape.outputs);
    w.columns = static_cast<size_t>(shape.inputs);
    w.matrix = true;
    const double limit = std::sqrt(6.0 / shape.inputs);
    w.value.resize(w.rows * w.columns);
    for (float& x : w.value) x = static_cast<float>((2.0 * rng.uniform() - 1.0) * limit);
    for (size_t g = job.sparsity.size(); g-- > 0;) {
      if (fnmatch(job.sparsity[g].pattern.c_str(), w.name.c_str(), 0) == 0) {
        w.group = static_cast<int>(g);
      }
    }
    weights_.push_back(parameters_.size());
    parameters_.push_back(std::move(w));
    biases_.push_back(shape.bias ? static_cast<int>(parameters_.size()) : -1);
    if (!shape.bias) continue;
    Parameter b;
    b.name = bias_name(k);
    b.rows = static_cast<size_t>(shape.outputs);
    b.columns = 1;
    b.value.resize(b.rows);
    parameters_.push_back(std::move(b));
  }
  for (size_t k = 0; k < parameters_.size(); ++k) {
    Parameter& p = parameters_[k];
    if (job.optimizer.moments() > 0) p.first.resize(p.value.size());
    if (job.optimizer.moments() > 1) p.second.resize(p.value.size());
    if (p.group < 0) continue;
    p.mask = first_mask(job.sparsity[static_cast<size_t>(p.group)], p, job.seed, k);
    for (size_t i = 0; i < p.value.size(); ++i) p.value[i] = p.mask[i] != 0 ? p.value[i] : 0.0f;
  }
}

void Trainer::restore(std::vector<Parameter> parameters, uint64_t step, uint64_t updates,
                      float loss_scale, uint64_t good_steps) {
  good(parameters.size() == parameters_.size(), "a state of another network");
  for (size_t k = 0; k < parameters.size(); ++k) {
    good(parameters[k].name == parameters_[k].name &&
             parameters[k].value.size() == parameters_[k].value.size(),
         "a state of another network");
  }
  parameters_ = std::move(parameters);
  step_ = step;
  updates_ = updates;
  scale_ = loss_scale;
  good_ = good_steps;
}

Layer Trainer::layer(size_t k) const {
  Layer layer;
  static_cast<LayerShape&>(layer) = job_.layers[k];
  const Parameter& w = parameters_[weights_[k]];
  layer.weights.reserve(w.value.size());
  for (const float x : w.value) {
    const uint16_t half = narrow(job_.type, float_to_bits(x));
    layer.weights.push_back(half_is_zero(half) ? uint16_t{0} : half);
  }
  if (layer.bias) layer.bias_values = parameters_[static_cast<size_t>(biases_[k])].value;
  return layer;
}

Network Trainer::network() const {
  Network network;
  network.type = job_.type;
  for (size_t k = 0; k < job_.layers.size(); ++k) network.layers.push_back(layer(k));
  return network;
}

std::vector<Activations> Trainer::forward(const Activations& x) const {
  return run_layers(network(), x, forward_rows(job_));
}

bool Trainer::wants_dense(size_t parameter) const {
  const Parameter& p = parameters_[parameter];
  if (p.group < 0) return true;
  const SparsityGroup& group = job_.sparsity[static_cast<size_t>(p.group)];
  return group.algorithm == SparsityGroup::Algorithm::Rigl && is_due(group.update, step_);
}

MicroBatch Trainer::run(const Activations& x, const Targets& targets) const {
  good(x.features == job_.layers.front().inputs &&
           static_cast<uint64_t>(x.samples) == job_.micro_batch(),
       "samples that do not fit the layers or the grid");
  good(job_.loss == Loss::SoftmaxCrossEntropy
           ? targets.classes.size() == static_cast<size_t>(x.samples)
           : targets.values.features == job_.layers.back().outputs &&
                 targets.values.samples == x.samples,
       "targets that do not fit the samples");
  const size_t depth = job_.layers.size();
  MicroBatch batch;
  batch.outputs = forward(x);
  batch.deltas.resize(depth);
  batch.gradients.resize(parameters_.size());
  Activations delta = loss_deltas(job_, batch.outputs.back(), targets, scale_, &batch.loss);
  const Row row{static_cast<size_t>(job_.samples), static_cast<size_t>(job_.grid_cols)};
  for (size_t k = depth; k-- > 0;) {
    const Activations& input = k == 0 ? x : batch.outputs[k - 1];
    const Parameter& w = parameters_[weights_[k]];
    const std::vector<float> d = values_of(job_.type, delta);
    const std::vector<float> in = values_of(job_.type, input);
    std::vector<float>& gradient = batch.gradients[weights_[k]];
    gradient.assign(w.value.size(), 0.0f);
    const bool all = wants_dense(weights_[k]);
    for (size_t j = 0; j < w.rows; ++j) {
      row_of_gradients(job_.type == HalfType::Bfloat16, &d[j * row.width()], in.data(), w.columns,
                       row, all ? nullptr : &w.mask[j * w.columns], &gradient[j * w.columns]);
    }
    if (biases_[k] >= 0) {
      for (size_t j = 0; j < w.rows; ++j) {
        batch.gradients[static_cast<size_t>(biases_[k])].push_back(
            gradient_of_bias(&d[j * row.width()], row));
      }
    }
    batch.deltas[k] = std::move(delta);
    if (k == 0) break;
    delta =
        run_layer(job_.type, transposed(layer(k)), batch.deltas[k], rows_of(job_, job_.delta, k));
    if (job_.layers[k - 1].activation != Activation::Relu) continue;
    for (size_t i = 0; i < delta.values.size(); ++i) {
      if (static_cast<int16_t>(input.values[i]) <= 0) delta.values[i] = 0;
    }
  }
  return batch;
}

}  // namespace ow::golden
