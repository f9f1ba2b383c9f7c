// SPDX-License-Identifier: Apache-2.0
#include "ow/golden/train.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ow/base/error.h"
#include "ow/base/rng.h"
#include "ow/golden/formats.h"

namespace ow::golden {
namespace {

// Rows are contiguous. Products are written as sums of scaled rows: every element then has one
// order of additions, whatever vector length the compiler chooses.
using Matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::Array<float, 1, Eigen::Dynamic>;

struct TrainedLayer {
  Matrix weights;  // inputs x outputs
  Row bias;
  Matrix mask;  // 1 or 0
  Matrix grad, m, v;
  Row bias_grad, bias_m, bias_v;
};

// c = a * b
void multiply(const Matrix& a, const Matrix& b, Matrix* c) {
  c->setZero(a.rows(), b.cols());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index k = 0; k < a.cols(); ++k) {
      const float factor = a(i, k);
      if (factor != 0.0f) c->row(i) += factor * b.row(k);
    }
  }
}

// c = a^T * b
void multiply_transposed(const Matrix& a, const Matrix& b, Matrix* c) {
  c->setZero(a.cols(), b.cols());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index k = 0; k < a.cols(); ++k) {
      const float factor = a(i, k);
      if (factor != 0.0f) c->row(k) += factor * b.row(i);
    }
  }
}

constexpr float kBeta1 = 0.9f;
constexpr float kBeta2 = 0.999f;
constexpr float kEpsilon = 1e-8f;

// Written as a loop of scalar operations: Eigen's square root of an array may be an estimate, which
// differs between processors.
template <typename Array>
void adam(const Array& grad, float rate, float correct1, float correct2, Array* m, Array* v,
          Array* value) {
  const float* g = grad.data();
  float* first = m->data();
  float* second = v->data();
  float* w = value->data();
  for (Eigen::Index p = 0; p < grad.size(); ++p) {
    first[p] = first[p] * kBeta1 + g[p] * (1.0f - kBeta1);
    second[p] = second[p] * kBeta2 + g[p] * g[p] * (1.0f - kBeta2);
    w[p] -= rate * (first[p] * correct1) / (std::sqrt(second[p] * correct2) + kEpsilon);
  }
}

// Prunes the smallest weights of the whole network until `count` of them are zero; equal ones in
// the order of layer and position.
void prune(std::vector<TrainedLayer>* layers, size_t count) {
  struct Item {
    float score;
    size_t layer;
    Eigen::Index position;
  };
  std::vector<Item> items;
  for (size_t l = 0; l < layers->size(); ++l) {
    const TrainedLayer& layer = (*layers)[l];
    // Root mean square over the weights that are left, so that layers of different scale compare.
    double squares = 0;
    double left = 0;
    for (Eigen::Index p = 0; p < layer.weights.size(); ++p) {
      const double w = layer.weights.data()[p];
      squares += w * w;
      left += layer.mask.data()[p];
    }
    const float scale = static_cast<float>(std::sqrt(squares / std::max(left, 1.0)));
    for (Eigen::Index p = 0; p < layer.weights.size(); ++p) {
      const float w = std::fabs(layer.weights.data()[p]);
      items.push_back({layer.mask.data()[p] == 0.0f ? -1.0f : w / scale, l, p});
    }
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.score < b.score; });
  for (size_t k = 0; k < count && k < items.size(); ++k) {
    TrainedLayer& layer = (*layers)[items[k].layer];
    layer.mask.data()[items[k].position] = 0.0f;
    layer.weights.data()[items[k].position] = 0.0f;
  }
}

}  // namespace

Network train(const TrainOptions& options, const Dataset& data,
              const std::function<void(int)>& progress) {
  const size_t depth = options.layers.size() - 1;
  if (options.layers.size() < 2 || options.layers.front() != data.features || data.samples() == 0 ||
      data.labels.size() != data.samples()) {
    throw InternalError("training needs samples with classes and layers that fit them");
  }
  const int features = options.layers.front();
  const int classes = options.layers.back();
  Rng rng(options.seed);
  std::vector<TrainedLayer> layers(depth);
  size_t total = 0;
  for (size_t l = 0; l < depth; ++l) {
    TrainedLayer& layer = layers[l];
    const Eigen::Index in = options.layers[l];
    const Eigen::Index out = options.layers[l + 1];
    total += static_cast<size_t>(in * out);
    const double limit = std::sqrt(6.0 / static_cast<double>(in));
    layer.weights.resize(in, out);
    for (Eigen::Index p = 0; p < layer.weights.size(); ++p) {
      layer.weights.data()[p] = static_cast<float>((2.0 * rng.uniform() - 1.0) * limit);
    }
    layer.bias.setZero(out);
    layer.mask.setOnes(in, out);
    layer.m.setZero(in, out);
    layer.v.setZero(in, out);
    layer.bias_m.setZero(out);
    layer.bias_v.setZero(out);
  }

  std::vector<size_t> order(data.samples());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<Matrix> x(depth + 1);
  Matrix delta, next_delta, transposed;
  float power1 = 1.0f;
  float power2 = 1.0f;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    const double progress_made = static_cast<double>(epoch) / options.epochs;
    const float rate = static_cast<float>(options.learning_rate * (1.0 - 0.95 * progress_made));
    const float decay = 1.0f - rate * static_cast<float>(options.weight_decay);
    for (size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[rng.below(i + 1)]);

    for (size_t first = 0; first < order.size(); first += static_cast<size_t>(options.batch)) {
      const Eigen::Index n = static_cast<Eigen::Index>(
          std::min(static_cast<size_t>(options.batch), order.size() - first));
      x[0].resize(n, features);
      for (Eigen::Index b = 0; b < n; ++b) {
        const float* sample = data.sample(order[first + static_cast<size_t>(b)]);
        for (int i = 0; i < features; ++i) x[0](b, i) = sample[i];
      }
      for (size_t l = 0; l < depth; ++l) {
        multiply(x[l], layers[l].weights, &x[l + 1]);
        x[l + 1].rowwise() += layers[l].bias;
        if (l + 1 < depth) x[l + 1] = x[l + 1].max(0.0f);
      }
      // Squared hinge: for each class the score should be beyond +1 or -1.
      delta.resize(n, classes);
      for (Eigen::Index b = 0; b < n; ++b) {
        const int label = data.labels[order[first + static_cast<size_t>(b)]];
        for (int k = 0; k < classes; ++k) {
          const float sign = k == label ? 1.0f : -1.0f;
          const float slack = 1.0f - sign * x[depth](b, k);
          delta(b, k) = slack > 0.0f ? -2.0f * sign * slack / static_cast<float>(n) : 0.0f;
        }
      }
      for (size_t l = depth; l-- > 0;) {
        TrainedLayer& layer = layers[l];
        multiply_transposed(x[l], delta, &layer.grad);
        layer.grad *= layer.mask;
        layer.bias_grad.setZero(delta.cols());
        for (Eigen::Index b = 0; b < n; ++b) layer.bias_grad += delta.row(b);
        if (l > 0) {
          transposed = layer.weights.transpose();
          multiply(delta, transposed, &next_delta);
          delta = (x[l] > 0.0f).select(next_delta, 0.0f);
        }
      }
      power1 *= kBeta1;
      power2 *= kBeta2;
      const float correct1 = 1.0f / (1.0f - power1);
      const float correct2 = 1.0f / (1.0f - power2);
      for (TrainedLayer& layer : layers) {
        layer.weights *= decay;
        adam(layer.grad, rate, correct1, correct2, &layer.m, &layer.v, &layer.weights);
        layer.weights *= layer.mask;
        adam(layer.bias_grad, rate, correct1, correct2, &layer.bias_m, &layer.bias_v, &layer.bias);
      }
    }

    const int done = epoch + 1;
    if (options.sparsity > 0 && done >= options.prune_begin &&
        (done <= options.prune_end || done == options.epochs)) {
      const double span = std::max(1, options.prune_end - options.prune_begin);
      const double left = std::max(0.0, 1.0 - (done - options.prune_begin) / span);
      const double target = options.sparsity * (1.0 - left * left * left);
      prune(&layers, static_cast<size_t>(std::ceil(target * static_cast<double>(total))));
    }
    if (progress) progress(done);
  }

  Network network;
  network.type = options.type;
  for (size_t l = 0; l < depth; ++l) {
    Layer layer;
    layer.inputs = options.layers[l];
    layer.outputs = options.layers[l + 1];
    layer.activation = l + 1 < depth ? Activation::Relu : Activation::None;
    for (Eigen::Index j = 0; j < layer.outputs; ++j) {
      for (Eigen::Index i = 0; i < layer.inputs; ++i) {
        const double w = layers[l].weights(i, j);
        const uint16_t rounded =
            options.type == HalfType::Binary16 ? round_to_f16(w) : round_to_bf16(w);
        layer.weights.push_back(half_is_zero(rounded) ? uint16_t{0} : rounded);
      }
      layer.bias_values.push_back(layers[l].bias(j));
    }
    network.layers.push_back(layer);
  }
  return network;
}

}  // namespace ow::golden
