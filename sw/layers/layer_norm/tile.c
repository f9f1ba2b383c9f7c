// SPDX-License-Identifier: Apache-2.0
// Normalisation over the features of each sample (N109). The sums over the features are taken in
// a row of the accumulator cache, joined down the column and sent back up. Cycles: about 5 an
// element, and 2 (samples + 25) for each grid row.
#include "layer_norm.h"

enum { A = DSR_KERNEL, B, ROW_DST, BOTH, OTHER, SUM, SQUARES, X, T, R, H, HALF };

// A row of the cache: the sum over the features, from +0. One row, which is all that there is for
// the most samples.
static void set_sum(uint32_t owned) {
  ow_dsr_mem2(ROW_DST, OW_F32, OW_ACC_ADDR(0), samples, 4, owned, 0);
}

static void take_sum(uint32_t to) {
  set_row(ROW_DST, OW_F32, OW_ACC_ADDR(0), samples);
  set_row(T, OW_F32, to, samples);
  ow_mov(OW_F32, OW_CTL(T, ROW_DST, OW_NONE, 0));
}

void norm_sums(const struct ow_norm* p, uint32_t a, uint32_t b) {
  set_row(BOTH, OW_F32, norm_row(p, NORM_SQUARES), 2 * samples);
  set_row(OTHER, OW_F32, norm_row(p, NORM_OTHER), 2 * samples);
  if (p->owned == 0) {
    ow_mov_s(OW_F32, OW_CTL(BOTH, OW_NONE, OW_NONE, 0), 0u);
  } else {
    ow_dsr_mem2(A, half_type(), a, samples, 2, p->owned, (int32_t)pitch());
    ow_dsr_mem2(B, half_type(), b, samples, 2, p->owned, (int32_t)pitch());
    set_sum(p->owned);
    OW_MIXED_DO(ow_fma, OW_CTL(ROW_DST, A, B, 0) | OW_FRESH);
    take_sum(norm_row(p, NORM_SQUARES));
    set_sum(p->owned);
    OW_MIXED_DO(ow_fma_s, OW_CTL(ROW_DST, A, OW_NONE, 0) | OW_FRESH, 1.0);
    take_sum(norm_row(p, NORM_SUM));
  }
  join_column(norm_row(p, NORM_SQUARES), BOTH, norm_row(p, NORM_OTHER), OTHER, 2 * samples, 1);
  ow_mul_s(OW_F32, OW_CTL(BOTH, BOTH, OW_NONE, 0), p->share);
}

// 1 / sqrt(variance + epsilon), through bfloat16 and one step of Newton's method, to `kept`.
static void scale(const struct ow_norm* p) {
  set_row(SQUARES, OW_F32, norm_row(p, NORM_SQUARES), samples);
  set_row(SUM, OW_F32, norm_row(p, NORM_SUM), samples);
  set_row(X, OW_F32, norm_row(p, NORM_X), samples);
  set_row(T, OW_F32, norm_row(p, NORM_A), samples);
  set_row(H, OW_BF16, norm_row(p, NORM_B), samples);
  set_row(R, OW_F32, p->kept, samples);
  ow_mul_s(OW_F32, OW_CTL(X, SUM, OW_NONE, 0), -1.0f);
  ow_fma(OW_F32, OW_CTL(SQUARES, X, SUM, 0));  // the squares less the mean's
  ow_max_s(OW_F32, OW_CTL(SQUARES, SQUARES, OW_NONE, 0), 0u);
  ow_add_s(OW_F32, OW_CTL(SQUARES, SQUARES, OW_NONE, 0), p->epsilon);
  ow_cvt(OW_F32, OW_CTL(H, SQUARES, OW_NONE, 0));
  ow_rsqrt(OW_BF16, OW_CTL(H, H, OW_NONE, 0));
  ow_cvt(OW_BF16, OW_CTL(R, H, OW_NONE, 0));
  ow_mul_s(OW_F32, OW_CTL(SQUARES, SQUARES, OW_NONE, 0), -0.5f);
  ow_mul(OW_F32, OW_CTL(T, R, R, 0));
  ow_mov_s(OW_F32, OW_CTL(X, OW_NONE, OW_NONE, 0), 0.5f);
  ow_fma(OW_F32, OW_CTL(X, SQUARES, T, 0));
  ow_mov(OW_F32, OW_CTL(T, R, OW_NONE, 0));
  ow_fma(OW_F32, OW_CTL(R, T, X, 0));
}

OW_PHASE(layer_norm, struct ow_norm, p) {
  norm_sums(p, p->x, p->x);
  scale(p);
  for (uint32_t l = 0; l < p->owned; ++l) {
    const uint32_t at = l * pitch();
    set_row(HALF, half_type(), p->x + at, samples);
    OW_HALF_DO(ow_cvt, OW_CTL(X, HALF, OW_NONE, 0));
    ow_sub(OW_F32, OW_CTL(X, X, SUM, 0));
    ow_mul(OW_F32, OW_CTL(X, X, R, 0));
    set_row(A, half_type(), p->normal + at, samples);
    ow_cvt(OW_F32, OW_CTL(A, X, OW_NONE, 0));
    set_row(B, half_type(), p->y + at, samples);
    const uint32_t gain = norm_rounded(p->gain + 4 * l), bias = norm_rounded(p->bias + 4 * l);
    OW_HALF_DO(ow_mov_s, OW_CTL(B, OW_NONE, OW_NONE, 0), bias);
    OW_HALF_DO(ow_fma_s, OW_CTL(B, A, OW_NONE, 0), gain);
  }
}
