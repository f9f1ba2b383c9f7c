// SPDX-License-Identifier: Apache-2.0
// Sums over the features are taken in a row of the accumulator cache, joined down the column and
// sent back up. Cycles: about 5 an element, and 2 (samples + 25) for each grid row.
#include "norm.h"

uint32_t norm_rounded(uint32_t addr) {
  const uint32_t bits = *(const uint32_t*)(uintptr_t)addr;
  return half == OW_BF16 ? ow_round_bf16(bits) : ow_round_f16(bits);
}

// A row of the cache: the sum over the features, from +0. One row, which is all that there is for
// the most samples.
static void set_sum(uint32_t owned) {
  ow_dsr_mem2(NORM_OUT, OW_F32, OW_ACC_ADDR(0), samples, 4, owned, 0);
}

static void take_sum(uint32_t to) {
  set_row(NORM_OUT, OW_F32, OW_ACC_ADDR(0), samples);
  set_row(NORM_R, OW_F32, to, samples);
  ow_mov(OW_F32, OW_CTL(NORM_R, NORM_OUT, OW_NONE, 0));
}

void norm_sums(const struct ow_norm* p, uint32_t a, uint32_t b, uint32_t sums) {
  enum { A = NORM_HALF, B = NORM_X_DSR, BOTH = NORM_SUM_DSR, OTHER = NORM_SQUARES_DSR };
  set_row(BOTH, OW_F32, norm_row(p, NORM_SQUARES), sums * samples);
  set_row(OTHER, OW_F32, norm_row(p, NORM_OTHER), sums * samples);
  if (p->owned == 0) {
    ow_mov_s(OW_F32, OW_CTL(BOTH, OW_NONE, OW_NONE, 0), 0u);
  } else {
    ow_dsr_mem2(A, half_type(), a, samples, 2, p->owned, (int32_t)pitch());
    ow_dsr_mem2(B, half_type(), b, samples, 2, p->owned, (int32_t)pitch());
    set_sum(p->owned);
    OW_MIXED_DO(ow_fma, OW_CTL(NORM_OUT, A, B, 0) | OW_FRESH);
    take_sum(norm_row(p, NORM_SQUARES));
    if (sums > 1) {
      set_sum(p->owned);
      OW_MIXED_DO(ow_fma_s, OW_CTL(NORM_OUT, A, OW_NONE, 0) | OW_FRESH, 1.0);
      take_sum(norm_row(p, NORM_SUM));
    }
  }
  join_column(norm_row(p, NORM_SQUARES), BOTH, norm_row(p, NORM_OTHER), OTHER, sums * samples, 1);
  ow_mul_s(OW_F32, OW_CTL(BOTH, BOTH, OW_NONE, 0), p->share);
  set_row(NORM_SQUARES_DSR, OW_F32, norm_row(p, NORM_SQUARES), samples);
  set_row(NORM_SUM_DSR, OW_F32, norm_row(p, NORM_SUM), samples);
  set_row(NORM_X_DSR, OW_F32, norm_row(p, NORM_X), samples);
  set_row(NORM_R, OW_F32, p->scale, samples);
}

// Through bfloat16 and one step of Newton's method.
void norm_scale(const struct ow_norm* p) {
  enum { SQUARES = NORM_SQUARES_DSR, X = NORM_X_DSR, R = NORM_R, T = NORM_OUT, H = NORM_HALF };
  set_row(T, OW_F32, norm_row(p, NORM_A), samples);
  set_row(H, OW_BF16, norm_row(p, NORM_B), samples);
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

void norm_gained(const struct ow_norm* p) {
  for (uint32_t l = 0; l < p->owned; ++l) {
    const uint32_t gain = norm_rounded(p->gain + 4 * l);
    set_row(NORM_OUT, half_type(), p->y + l * pitch(), samples);
    set_row(NORM_HALF, half_type(), p->normal + l * pitch(), samples);
    OW_HALF_DO(ow_mul_s, OW_CTL(NORM_HALF, NORM_OUT, OW_NONE, 0), gain);
  }
}
