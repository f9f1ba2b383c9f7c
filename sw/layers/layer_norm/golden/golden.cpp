// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features of each sample; steps and their roundings: N109.
#include "ow/golden/norm.h"

namespace ow::golden {
namespace {

Activations forward(const LayerPass& pass) { return norm_forward(pass, NormForm::Centred); }
Backward backward(const LayerPass& pass, const Activations& delta) {
  return norm_backward(pass, delta, NormForm::Centred);
}

}  // namespace

const LayerKind& layer_norm_layer_kinds() {
  static const LayerKind kind{"layer_norm", forward, backward};
  return kind;
}

}  // namespace ow::golden
