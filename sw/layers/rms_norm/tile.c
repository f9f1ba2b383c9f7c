// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features of each sample, without a mean (N121).
#include "norm.h"

OW_PHASE(rms_norm, struct ow_norm, p) {
  uint32_t now;
  norm_sums(p, p->x, p->x, 1);
  norm_scale(p);
  norm_features(p, p->x, p->normal);
  norm_going(NORM_OUT_2, half_type(), p->y);
  norm_going(NORM_GAINS, OW_F32, p->gain);
  norm_going(NORM_NORMAL, half_type(), p->normal);
  for (uint32_t left = p->owned; left > 0; left -= now) {
    now = norm_next(left, OW_NORM_NUMBERS);
    norm_parameters(p, NORM_GAINS, now);
    OW_HALF_DO(ow_cvt, OW_CTL(NORM_X, NORM_IN, OW_NONE, 0));
    ow_mul(OW_F32, OW_CTL(NORM_X, NORM_X, NORM_R, 0));
    ow_cvt(OW_F32, OW_CTL(NORM_OUT, NORM_X, OW_NONE, 0));
    OW_HALF_DO(ow_mul, OW_CTL(NORM_OUT_2, NORM_NORMAL, NORM_GAIN, 0));
  }
}
