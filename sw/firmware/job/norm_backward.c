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

void norm_delta(void) {
  OW_HALF_DO(ow_cvt, OW_CTL(NORM_MORE, NORM_NORMAL, OW_NONE, 0));
  ow_fma(OW_F32, OW_CTL(NORM_X, NORM_MORE, NORM_SQUARES_DSR, 0));
  ow_mul(OW_F32, OW_CTL(NORM_X, NORM_X, NORM_R, 0));
  ow_cvt(OW_F32, OW_CTL(NORM_OUT, NORM_X, OW_NONE, 0));
}
