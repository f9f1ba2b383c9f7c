// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features of each sample, without a mean (N121).
#include "norm.h"

enum { HALF = NORM_HALF, OUT = NORM_OUT, X = NORM_X_DSR };

OW_PHASE(rms_norm, struct ow_norm, p) {
  norm_sums(p, p->x, p->x, 1);
  norm_scale(p);
  for (uint32_t l = 0; l < p->owned; ++l) {
    const uint32_t at = l * pitch();
    set_row(HALF, half_type(), p->x + at, samples);
    OW_HALF_DO(ow_cvt, OW_CTL(X, HALF, OW_NONE, 0));
    ow_mul(OW_F32, OW_CTL(X, X, NORM_R, 0));
    set_row(HALF, half_type(), p->normal + at, samples);
    ow_cvt(OW_F32, OW_CTL(HALF, X, OW_NONE, 0));
    set_row(OUT, half_type(), p->y + at, samples);
    OW_HALF_DO(ow_mul_s, OW_CTL(OUT, HALF, OW_NONE, 0), norm_rounded(p->gain + 4 * l));
  }
}
