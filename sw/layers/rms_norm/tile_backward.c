// SPDX-License-Identifier: Apache-2.0
// The deltas of rms_norm's input (N121).
#include "norm.h"

OW_PHASE(rms_norm_deltas, struct ow_norm, p) { norm_deltas(p, 1); }
