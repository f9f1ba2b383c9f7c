// SPDX-License-Identifier: Apache-2.0
// The deltas of layer_norm's input, and the gradients of gain and bias (N120).
#include "layer_norm.h"

enum { A = DSR_KERNEL, B, SUM, SQUARES, X, T, R, HALF };

// Dot products of deltas and normalised values over the samples, to the west.
OW_PHASE(layer_norm_gains, struct ow_norm, p) {
  if (p->owned == 0) return;
  ow_dsr_mem2(A, half_type(), p->y, samples, 2, p->owned, (int32_t)pitch());
  ow_dsr_mem2(B, half_type(), p->x, samples, 2, p->owned, (int32_t)pitch());
  set_row(SUM, OW_F32, p->work, p->owned);
  OW_HALF_DO(ow_dot, OW_CTL(SUM, A, B, THREAD_DRAIN));
  send_results(p->work, p->owned);
}

OW_PHASE(layer_norm_deltas, struct ow_norm, p) {
  // t = delta gain, where the deltas of the input will be.
  for (uint32_t l = 0; l < p->owned; ++l) {
    const uint32_t gain = norm_rounded(p->gain + 4 * l);
    set_row(A, half_type(), p->y + l * pitch(), samples);
    set_row(HALF, half_type(), p->normal + l * pitch(), samples);
    OW_HALF_DO(ow_mul_s, OW_CTL(HALF, A, OW_NONE, 0), gain);
  }
  norm_sums(p, p->normal, p->x);
  set_row(SQUARES, OW_F32, norm_row(p, NORM_SQUARES), samples);
  set_row(SUM, OW_F32, norm_row(p, NORM_SUM), samples);
  set_row(X, OW_F32, norm_row(p, NORM_X), samples);
  set_row(T, OW_F32, norm_row(p, NORM_A), samples);
  set_row(R, OW_F32, p->kept, samples);
  ow_mul_s(OW_F32, OW_CTL(SQUARES, SQUARES, OW_NONE, 0), -1.0f);
  for (uint32_t l = 0; l < p->owned; ++l) {
    set_row(HALF, half_type(), p->normal + l * pitch(), samples);
    OW_HALF_DO(ow_cvt, OW_CTL(T, HALF, OW_NONE, 0));
    ow_sub(OW_F32, OW_CTL(T, T, SUM, 0));
    set_row(A, half_type(), p->x + l * pitch(), samples);
    OW_HALF_DO(ow_cvt, OW_CTL(X, A, OW_NONE, 0));
    ow_fma(OW_F32, OW_CTL(T, X, SQUARES, 0));
    ow_mul(OW_F32, OW_CTL(T, T, R, 0));
    ow_cvt(OW_F32, OW_CTL(HALF, T, OW_NONE, 0));
  }
}
