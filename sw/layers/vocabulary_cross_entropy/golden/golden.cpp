// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of the softmax of many outputs, with smoothed targets, and its derivative (N114).
#include <algorithm>
#include <cmath>

#include "ow/golden/formats.h"
#include "ow/golden/kind.h"
#include "ow/golden/nonlinear.h"
#include "ow/golden/tile_ops.h"

namespace ow::golden {
namespace {

double smoothing_of(const ow::Op& op) {
  const auto found = op.attributes.find("smoothing");
  return found == op.attributes.end() ? 0 : found->second;
}

struct Sample {
  std::vector<uint32_t> z, deltas;
  int target;
  uint32_t scale;
};

void find_deltas(double smoothing, size_t rows, Sample* s) {
  uint32_t most = s->z.front();
  for (const uint32_t x : s->z) most = f32_max(most, x);
  std::vector<uint32_t> e(s->z.size());
  for (size_t j = 0; j < e.size(); ++j) {
    const uint32_t x = f32_max(f32_sub(s->z[j], most), float_to_bits(-17.0f));
    e[j] = widen(HalfType::Binary16, narrow(HalfType::Binary16, f32_exp_by_f16(x)));
  }
  uint32_t sum = 0;
  for (size_t r = 0; r < rows; ++r) {
    uint32_t own = 0;
    for (size_t j = r; j < e.size(); j += rows) own = f32_add(own, e[j]);
    sum = r == 0 ? own : f32_add(own, sum);
  }
  const auto share = static_cast<float>(smoothing / static_cast<double>(e.size()));
  const uint32_t all = f32_mul(float_to_bits(share), s->scale);
  const uint32_t own = f32_mul(float_to_bits(static_cast<float>(1 - smoothing)), s->scale);
  const uint32_t factor = f32_mul(f32_rcp(sum), s->scale);
  for (size_t j = 0; j < e.size(); ++j) {
    uint32_t d = f32_mul(e[j], factor);
    if (smoothing != 0) d = f32_sub(d, all);
    if (static_cast<int>(j) == s->target) d = f32_sub(d, own);
    s->deltas[j] = d;
  }
}

double loss_of(double smoothing, const Sample& s) {
  double most = -INFINITY, sum = 0, mean = 0;
  for (const uint32_t x : s.z) most = std::max<double>(most, bits_to_float(x));
  for (const uint32_t x : s.z) {
    sum += std::exp(bits_to_float(x) - most);
    mean += bits_to_float(x) / static_cast<double>(s.z.size());
  }
  const double hit = bits_to_float(s.z[static_cast<size_t>(s.target)]);
  return std::log(sum) + most - (1 - smoothing) * hit - smoothing * mean;
}

Activations loss_deltas(const ow::Op& op, const Numerics& numerics, const Activations& out,
                        const Targets& targets, float scale, double* loss) {
  require(targets.classes.size() == static_cast<size_t>(out.samples),
          "targets that do not fit the samples");
  const double smoothing = smoothing_of(op);
  Activations deltas = Activations::zero(out.features, out.samples);
  Sample one;
  one.z.resize(static_cast<size_t>(out.features));
  one.deltas.resize(one.z.size());
  const auto ignored = std::count(targets.classes.begin(), targets.classes.end(), kNoToken);
  *loss = 0;
  for (int s = 0; s < out.samples; ++s) {
    for (int j = 0; j < out.features; ++j) {
      one.z[static_cast<size_t>(j)] = widen(numerics.type, out.at(j, s));
    }
    one.target = targets.classes[static_cast<size_t>(s)];
    one.scale = one.target == kNoToken ? 0 : float_to_bits(scale);
    find_deltas(smoothing, static_cast<size_t>(numerics.rows), &one);
    if (one.target != kNoToken) {
      *loss += loss_of(smoothing, one) / static_cast<double>(out.samples - ignored);
    }
    for (int j = 0; j < out.features; ++j) {
      deltas.at(j, s) = narrow(numerics.type, one.deltas[static_cast<size_t>(j)]);
    }
  }
  return deltas;
}

}  // namespace

const LayerKind& vocabulary_cross_entropy_layer_kinds() {
  static const LayerKind kind{
      "vocabulary_cross_entropy", nullptr, nullptr, nullptr, nullptr, loss_deltas};
  return kind;
}

}  // namespace ow::golden
