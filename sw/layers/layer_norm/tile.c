// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features of each sample (N109).
#include "norm.h"

enum { HALF = NORM_HALF, OUT = NORM_OUT, X = NORM_X_DSR, R = NORM_R, SUM = NORM_SUM_DSR };

OW_PHASE(layer_norm, struct ow_norm, p) {
  norm_sums(p, p->x, p->x, 2);
  // The squares less the mean's.
  ow_mul_s(OW_F32, OW_CTL(X, SUM, OW_NONE, 0), -1.0f);
  ow_fma(OW_F32, OW_CTL(NORM_SQUARES_DSR, X, SUM, 0));
  ow_max_s(OW_F32, OW_CTL(NORM_SQUARES_DSR, NORM_SQUARES_DSR, OW_NONE, 0), 0u);
  norm_scale(p);
  for (uint32_t l = 0; l < p->owned; ++l) {
    const uint32_t at = l * pitch();
    set_row(HALF, half_type(), p->x + at, samples);
    OW_HALF_DO(ow_cvt, OW_CTL(X, HALF, OW_NONE, 0));
    ow_sub(OW_F32, OW_CTL(X, X, SUM, 0));
    ow_mul(OW_F32, OW_CTL(X, X, R, 0));
    set_row(HALF, half_type(), p->normal + at, samples);
    ow_cvt(OW_F32, OW_CTL(HALF, X, OW_NONE, 0));
    set_row(OUT, half_type(), p->y + at, samples);
    const uint32_t gain = norm_rounded(p->gain + 4 * l), bias = norm_rounded(p->bias + 4 * l);
    OW_HALF_DO(ow_mov_s, OW_CTL(OUT, OW_NONE, OW_NONE, 0), bias);
    OW_HALF_DO(ow_fma_s, OW_CTL(OUT, HALF, OW_NONE, 0), gain);
  }
}
