// SPDX-License-Identifier: Apache-2.0
// The kinds of layers, one per folder, for the table.
#ifndef OW_COMPILE_SRC_LAYERS_KINDS_H_
#define OW_COMPILE_SRC_LAYERS_KINDS_H_

#include "layer_kind.h"

namespace ow::jobs {

const LayerKind& linear_kind();
const LayerKind& relu_kind();
const LayerKind& add_kind();
const LayerKind& softmax_cross_entropy_kind();
const LayerKind& mean_squared_error_kind();

}  // namespace ow::jobs

#endif  // OW_COMPILE_SRC_LAYERS_KINDS_H_
