// SPDX-License-Identifier: Apache-2.0
// What layer_norm and rms_norm share (N109).
#ifndef OW_GOLDEN_NORM_H_
#define OW_GOLDEN_NORM_H_

#include "ow/golden/kind.h"

namespace ow::golden {

// Centred: the mean is taken off, and a bias follows the gain. Uncentred: neither.
enum class NormForm { Centred, Uncentred };

Activations norm_forward(const LayerPass& pass, NormForm form);
Backward norm_backward(const LayerPass& pass, const Activations& delta, NormForm form);

}  // namespace ow::golden

#endif  // OW_GOLDEN_NORM_H_
