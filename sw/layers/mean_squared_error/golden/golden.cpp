// SPDX-License-Identifier: Apache-2.0
// The mean over the outputs of their squared distances from the targets, and its derivative (N13).
#include "ow/golden/formats.h"
#include "ow/golden/kind.h"
#include "ow/golden/tile_ops.h"

namespace ow::golden {
namespace {

Activations loss_deltas(const ow::Op& /*op*/, const Numerics& numerics, const Activations& out,
                        const Targets& targets, float scale, double* loss) {
  require(targets.values.features == out.features && targets.values.samples == out.samples,
          "targets that do not fit the samples");
  Activations deltas = Activations::zero(out.features, out.samples);
  const double outputs = out.features;
  const uint32_t factor = float_to_bits(static_cast<float>(2.0 * scale / outputs));
  *loss = 0;
  for (int s = 0; s < out.samples; ++s) {
    for (int j = 0; j < out.features; ++j) {
      const uint32_t off = f32_sub(widen(numerics.type, out.at(j, s)),
                                   widen(numerics.type, targets.values.at(j, s)));
      deltas.at(j, s) = narrow(numerics.type, f32_mul(off, factor));
      const double x = bits_to_float(off);
      *loss += x * x / outputs / out.samples;
    }
  }
  return deltas;
}

}  // namespace

const LayerKind& mean_squared_error_layer_kinds() {
  static const LayerKind kind{"mean_squared_error", nullptr, nullptr, nullptr, nullptr,
                              loss_deltas};
  return kind;
}

}  // namespace ow::golden
