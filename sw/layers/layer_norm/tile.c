// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features of each sample (N109).
#include "norm.h"

OW_PHASE(layer_norm, struct ow_norm, p) {
  enum { SUM = NORM_SUM_DSR, SQUARES = NORM_SQUARES_DSR, X = NORM_X };
  uint32_t now;
  norm_sums(p, p->x, p->x, 2);
  // The squares less the mean's.
  set_row(X, OW_F32, norm_row(p, NORM_NUMBERS), samples);
  ow_mul_s(OW_F32, OW_CTL(X, SUM, OW_NONE, 0), -1.0f);
  ow_fma(OW_F32, OW_CTL(SQUARES, X, SUM, 0));
  ow_max_s(OW_F32, OW_CTL(SQUARES, SQUARES, OW_NONE, 0), 0u);
  norm_scale(p);
  norm_features(p, p->x, p->normal);
  norm_going(NORM_OUT_2, half_type(), p->y);
  norm_going(NORM_GAINS, OW_F32, p->gain);
  norm_going(NORM_BIASES, OW_F32, p->bias);
  norm_going(NORM_NORMAL, half_type(), p->normal);
  norm_going(NORM_AGAIN, half_type(), p->y);
  for (uint32_t left = p->owned; left > 0; left -= now) {
    now = norm_next(left, OW_NORM_NUMBERS);
    ow_dsrw(NORM_AGAIN, OW_DSR_DIM1, now);
    norm_parameters(p, NORM_GAINS, now);
    norm_parameters(p, NORM_BIASES, now);
    OW_HALF_DO(ow_cvt, OW_CTL(NORM_X, NORM_IN, OW_NONE, 0));
    ow_sub(OW_F32, OW_CTL(NORM_X, NORM_X, SUM, 0));
    ow_mul(OW_F32, OW_CTL(NORM_X, NORM_X, NORM_R, 0));
    ow_cvt(OW_F32, OW_CTL(NORM_OUT, NORM_X, OW_NONE, 0));
    OW_HALF_DO(ow_mov, OW_CTL(NORM_OUT_2, NORM_BIAS, OW_NONE, 0));
    OW_HALF_DO(ow_fma, OW_CTL(NORM_AGAIN, NORM_NORMAL, NORM_GAIN, 0));
  }
}
