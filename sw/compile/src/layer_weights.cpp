// SPDX-License-Identifier: Apache-2.0
// How many weights of each output of a stream each grid row has: counted, or drawn by a density.
#include <algorithm>
#include <cmath>
#include <memory>

#include "ow/base/rng.h"
#include "ow/compile/estimate.h"
#include "ow/compile/lowering.h"
#include "ow/memoryx/sparsity.h"
#include "ow/tensor/distribution.h"

namespace ow::jobs {
namespace {

// The output that stands at place p of a stream: owner by owner.
int output_at(int outputs, int rows, int p) {
  for (int owner = 0;; ++owner) {
    const int count = owned_elements(outputs, owner, rows);
    if (p < count) return p * rows + owner;
    p -= count;
  }
}

// Counts by place in the stream and grid row.
struct Counts {
  int rows = 0;
  std::vector<uint32_t> number;
  uint32_t at(int row, int p) const {
    return number[static_cast<size_t>(p) * static_cast<size_t>(rows) + static_cast<size_t>(row)];
  }
};

WeightCount counted(std::shared_ptr<const Counts> counts) {
  return [counts](int row, int p) { return counts->at(row, p); };
}

// How many of n weights are kept: a sum of draws if n is small, else from the normal distribution.
uint32_t draw_kept(Rng* rng, int n, double density) {
  constexpr int kFew = 32, kUniforms = 12;
  if (density >= 1) return static_cast<uint32_t>(n);
  if (n <= kFew) {
    uint32_t kept = 0;
    for (int k = 0; k < n; ++k) kept += rng->uniform() < density ? 1 : 0;
    return kept;
  }
  double normal = -kUniforms / 2.0;
  for (int k = 0; k < kUniforms; ++k) normal += rng->uniform();
  const double value = n * density + normal * std::sqrt(n * density * (1 - density));
  return static_cast<uint32_t>(std::lround(std::clamp(value, 0.0, static_cast<double>(n))));
}

WeightCount drawn(int inputs, int outputs, int rows, double density, Rng* rng) {
  auto counts = std::make_shared<Counts>();
  counts->rows = rows;
  counts->number.reserve(static_cast<size_t>(outputs) * static_cast<size_t>(rows));
  for (int p = 0; p < outputs; ++p) {
    for (int r = 0; r < rows; ++r) {
      counts->number.push_back(draw_kept(rng, owned_elements(inputs, r, rows), density));
    }
  }
  return counted(counts);
}

}  // namespace

namespace {

// Of a matrix of whose rows each one stands there `copies` times.
LayerWeights counted_weights(const LayerShape& layer, const std::vector<bool>& sent, int copies,
                             int rows) {
  auto forward = std::make_shared<Counts>();
  auto delta = std::make_shared<Counts>();
  forward->rows = delta->rows = rows;
  const auto many = static_cast<size_t>(rows);
  const auto inputs = static_cast<size_t>(layer.inputs);
  forward->number.assign(many * static_cast<size_t>(layer.outputs), 0);
  delta->number.assign(many * inputs, 0);
  std::vector<size_t> place(inputs);
  for (int p = 0; p < layer.inputs; ++p) {
    place[static_cast<size_t>(output_at(layer.inputs, rows, p))] = static_cast<size_t>(p);
  }
  LayerWeights w;
  for (int p = 0; p < layer.outputs; ++p) {
    const int j = output_at(layer.outputs, rows, p);
    for (size_t i = 0; i < inputs; ++i) {
      if (!sent[static_cast<size_t>(j / copies) * inputs + i]) continue;
      ++forward->number[static_cast<size_t>(p) * many + i % many];
      ++delta->number[place[i] * many + static_cast<size_t>(j % rows)];
      ++w.kept;
    }
  }
  w.forward = counted(forward);
  w.delta = counted(delta);
  return w;
}

}  // namespace

std::vector<LayerWeights> weights_of(const TrainingJob& job, bool dense) {
  const Graph graph = graph_of(job);
  std::vector<LayerWeights> weights;
  for (const Op& op : graph.ops) {
    if (find_lowering(op.kind)->streamed == nullptr) continue;
    const Parameter& matrix = graph.parameters[op.parameters.front()];
    const std::vector<float>& values = job.first->values.at(matrix.name);
    std::vector<bool> sent(values.size(), true);
    for (size_t i = 0; i < values.size() && !dense; ++i) {
      sent[i] = !half_is_zero(to_half(job.type, static_cast<double>(values[i])));
    }
    const LayerShape& layer = job.layers[weights.size()];
    const int copies = layer.outputs / static_cast<int>(matrix.rows);
    weights.push_back(counted_weights(layer, sent, copies, job.grid_rows));
  }
  return weights;
}

uint64_t stream_weights(const LayerShape& layer, const LayerWeights& weights, int row) {
  uint64_t all = 0;
  for (int p = 0; p < layer.outputs; ++p) all += weights.forward(row, p);
  return all;
}

uint64_t LayerBound::cycles() const { return std::max({stream, engine, reducer}); }

LayerBound layer_bound(const Plan& plan, size_t layer, const LayerWeights& weights) {
  LayerBound bound;
  const auto samples = static_cast<uint64_t>(plan.samples);
  const uint64_t beats = samples / static_cast<uint64_t>(plan.tile.lanes);
  const auto ends = static_cast<uint64_t>(plan.layers[layer].outputs);
  for (int row = 0; row < plan.grid.rows; ++row) {
    const uint64_t sent = stream_weights(plan.layers[layer], weights, row);
    bound.stream = std::max(bound.stream, sent + ends);
    bound.engine = std::max(bound.engine, sent * beats + ends);
  }
  bound.reducer = samples * ends;
  return bound;
}

LayerWeights drawn_weights(const LayerShape& layer, int rows, double density, uint64_t seed) {
  Rng rng(seed);
  LayerWeights w;
  w.forward = drawn(layer.inputs, layer.outputs, rows, density, &rng);
  w.delta = drawn(layer.outputs, layer.inputs, rows, density, &rng);
  w.kept = memoryx::whole_share(
      density, static_cast<size_t>(layer.inputs) * static_cast<size_t>(layer.outputs));
  return w;
}

std::vector<LayerWeights> training_weights(const TrainingJob& job, uint64_t step) {
  std::vector<LayerWeights> weights;
  for (size_t k = 0; k < job.layers.size(); ++k) {
    const LayerShape& layer = job.layers[k];
    weights.push_back(drawn_weights(layer, job.grid_rows, density_at(job, k, step), job.seed + k));
  }
  return weights;
}

}  // namespace ow::jobs
