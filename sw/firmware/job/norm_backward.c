// SPDX-License-Identifier: Apache-2.0
// What the deltas of both norms share.
#include "norm.h"

// Dot products of deltas and normalised values over the samples, to the west.
OW_PHASE(norm_gains, struct ow_norm, p) {
  enum { A = NORM_HALF, B = NORM_OUT, SUM = NORM_X_DSR };
  if (p->owned == 0) return;
  ow_dsr_mem2(A, half_type(), p->y, samples, 2, p->owned, (int32_t)pitch());
  ow_dsr_mem2(B, half_type(), p->x, samples, 2, p->owned, (int32_t)pitch());
  set_row(SUM, OW_F32, p->work, p->owned);
  OW_HALF_DO(ow_dot, OW_CTL(SUM, A, B, THREAD_DRAIN));
  send_results(p->work, p->owned);
}

// NORM_HALF names the row of t at 16 bits; NORM_SQUARES has the negative share.
void norm_delta(const struct ow_norm* p, uint32_t at) {
  enum { T = NORM_X_DSR, A = NORM_OUT, X = NORM_DSRS };
  set_row(A, half_type(), p->x + at, samples);
  set_row(X, OW_F32, norm_row(p, NORM_A), samples);
  OW_HALF_DO(ow_cvt, OW_CTL(X, A, OW_NONE, 0));
  ow_fma(OW_F32, OW_CTL(T, X, NORM_SQUARES_DSR, 0));
  ow_mul(OW_F32, OW_CTL(T, T, NORM_R, 0));
  ow_cvt(OW_F32, OW_CTL(NORM_HALF, T, OW_NONE, 0));
}
