// SPDX-License-Identifier: Apache-2.0
// The deltas of rms_norm's input (N121).
#include "norm.h"

enum { HALF = NORM_HALF, T = NORM_X_DSR };

OW_PHASE(rms_norm_deltas, struct ow_norm, p) {
  norm_gained(p);
  norm_sums(p, p->normal, p->x, 1);
  ow_mul_s(OW_F32, OW_CTL(NORM_SQUARES_DSR, NORM_SQUARES_DSR, OW_NONE, 0), -1.0f);
  for (uint32_t l = 0; l < p->owned; ++l) {
    const uint32_t at = l * pitch();
    set_row(HALF, half_type(), p->normal + at, samples);
    OW_HALF_DO(ow_cvt, OW_CTL(T, HALF, OW_NONE, 0));
    norm_delta(p, at);
  }
}
