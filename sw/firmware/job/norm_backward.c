// SPDX-License-Identifier: Apache-2.0
// What the deltas of both norms share.
#include "norm.h"

// Dot products of deltas and normalised values over the samples, to the west.
OW_PHASE(norm_gains, struct ow_norm, p) {
  enum { A = NORM_IN, B = NORM_OUT, SUM = NORM_TO };
  if (p->owned == 0) return;
  ow_dsr_mem2(A, half_type(), p->y, samples, 2, p->owned, (int32_t)pitch());
  ow_dsr_mem2(B, half_type(), p->x, samples, 2, p->owned, (int32_t)pitch());
  set_row(SUM, OW_F32, p->work, p->owned);
  OW_HALF_DO(ow_dot, OW_CTL(SUM, A, B, THREAD_DRAIN));
  send_results(p->work, p->owned);
}

// Half of the fp32 numbers are t less what it shares with all, the others the normalised values.
void norm_deltas(const struct ow_norm* p, uint32_t sums) {
  enum { NUMBERS = OW_NORM_NUMBERS / 2 };
  uint32_t now;
  norm_gained(p);
  norm_sums(p, p->normal, p->x, sums);
  ow_mul_s(OW_F32, OW_CTL(NORM_SQUARES_DSR, NORM_SQUARES_DSR, OW_NONE, 0), -1.0f);
  norm_features(p, p->normal, p->normal);
  set_row(NORM_MORE, OW_F32, norm_row(p, NORM_NUMBERS) + 4 * NUMBERS, samples);
  norm_going(NORM_NORMAL, half_type(), p->x);
  for (uint32_t left = p->owned; left > 0; left -= now) {
    now = norm_next(left, NUMBERS);
    OW_HALF_DO(ow_cvt, OW_CTL(NORM_X, NORM_IN, OW_NONE, 0));
    if (sums > 1) ow_sub(OW_F32, OW_CTL(NORM_X, NORM_X, NORM_SUM_DSR, 0));
    OW_HALF_DO(ow_cvt, OW_CTL(NORM_MORE, NORM_NORMAL, OW_NONE, 0));
    ow_fma(OW_F32, OW_CTL(NORM_X, NORM_MORE, NORM_SQUARES_DSR, 0));
    ow_mul(OW_F32, OW_CTL(NORM_X, NORM_X, NORM_R, 0));
    ow_cvt(OW_F32, OW_CTL(NORM_OUT, NORM_X, OW_NONE, 0));
  }
}
