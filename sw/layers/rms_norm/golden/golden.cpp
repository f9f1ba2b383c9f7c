// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features of each sample; steps and their roundings: N109.
#include "ow/golden/norm.h"

namespace ow::golden {
namespace {

Activations forward(const LayerPass& pass) { return norm_forward(pass, NormForm::Uncentred); }
Backward backward(const LayerPass& pass, const Activations& delta) {
  return norm_backward(pass, delta, NormForm::Uncentred);
}

}  // namespace

const LayerKind& rms_norm_layer_kinds() {
  static const LayerKind kind{"rms_norm", forward, backward};
  return kind;
}

}  // namespace ow::golden
