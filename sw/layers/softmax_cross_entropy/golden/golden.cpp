// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of the softmax of the outputs, and its derivative (N13). Ignored targets: N128.
#include <algorithm>
#include <cmath>

#include "ow/golden/formats.h"
#include "ow/golden/kind.h"
#include "ow/golden/nonlinear.h"
#include "ow/golden/tile_ops.h"

namespace ow::golden {
namespace {

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

Activations loss_deltas(const ow::Op& /*op*/, const Numerics& numerics, const Activations& out,
                        const Targets& targets, float scale, double* loss) {
  require(targets.classes.size() == static_cast<size_t>(out.samples),
          "targets that do not fit the samples");
  Activations deltas = Activations::zero(out.features, out.samples);
  std::vector<uint32_t> z(static_cast<size_t>(out.features)), d(z.size());
  const auto left_out = std::count(targets.classes.begin(), targets.classes.end(), kNoToken);
  const double counted = static_cast<double>(out.samples - left_out);
  *loss = 0;
  for (int s = 0; s < out.samples; ++s) {
    for (size_t j = 0; j < z.size(); ++j)
      z[j] = widen(numerics.type, out.at(static_cast<int>(j), s));
    const int target = targets.classes[static_cast<size_t>(s)];
    const bool ignored = target == kNoToken;
    softmax_deltas(z, target, ignored ? 0 : float_to_bits(scale),
                   static_cast<size_t>(numerics.rows), &d);
    if (!ignored) *loss += softmax_loss(z, target) / counted;
    for (size_t j = 0; j < d.size(); ++j) {
      deltas.at(static_cast<int>(j), s) = narrow(numerics.type, d[j]);
    }
  }
  return deltas;
}

}  // namespace

const LayerKind& softmax_cross_entropy_layer_kinds() {
  static const LayerKind kind{
      "softmax_cross_entropy", nullptr, nullptr, nullptr, nullptr, loss_deltas};
  return kind;
}

}  // namespace ow::golden
