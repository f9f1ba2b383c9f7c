// SPDX-License-Identifier: Apache-2.0
// The deltas of rms_norm's input (N121).
#include "norm.h"

OW_PHASE(rms_norm_deltas, struct ow_norm, p) {
  uint32_t now;
  norm_gained(p);
  norm_sums(p, p->normal, p->x, 1);
  ow_mul_s(OW_F32, OW_CTL(NORM_SQUARES_DSR, NORM_SQUARES_DSR, OW_NONE, 0), -1.0f);
  norm_features(p, p->normal, p->normal);
  set_row(NORM_MORE, OW_F32, norm_row(p, NORM_NUMBERS) + 4 * NORM_DELTAS, samples);
  norm_going(NORM_NORMAL, half_type(), p->x);
  for (uint32_t left = p->owned; left > 0; left -= now) {
    now = norm_next(left, NORM_DELTAS);
    OW_HALF_DO(ow_cvt, OW_CTL(NORM_X, NORM_IN, OW_NONE, 0));
    norm_delta();
  }
}
