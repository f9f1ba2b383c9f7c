// SPDX-License-Identifier: Apache-2.0
// The deltas of layer_norm's input (N120).
#include "norm.h"

OW_PHASE(layer_norm_deltas, struct ow_norm, p) { norm_deltas(p, 2); }
