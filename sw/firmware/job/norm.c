// SPDX-License-Identifier: Apache-2.0
// Sums over the features are taken in a row of the accumulator cache, joined down the column and
// sent back up. Cycles: about 3 an element, and 2 (samples + 25) for each grid row.
#include "norm.h"

// A row of the cache: the sum over the features, from +0. One row, which is all that there is for
// the most samples.
static void set_sum(uint32_t owned) {
  ow_dsr_mem2(NORM_X, OW_F32, OW_ACC_ADDR(0), samples, 4, owned, 0);
}

static void take_sum(uint32_t to) {
  set_row(NORM_X, OW_F32, OW_ACC_ADDR(0), samples);
  set_row(NORM_TO, OW_F32, to, samples);
  ow_mov(OW_F32, OW_CTL(NORM_TO, NORM_X, OW_NONE, 0));
}

static void set_repeated(uint32_t dsr, uint32_t addr) {
  ow_dsr_mem2(dsr, OW_F32, addr, samples, 4, 1, 0);
}

void norm_sums(const struct ow_norm* p, uint32_t a, uint32_t b, uint32_t sums) {
  enum { A = NORM_IN, B = NORM_OUT, BOTH = NORM_SUM_DSR, OTHER = NORM_SQUARES_DSR };
  set_row(BOTH, OW_F32, norm_row(p, NORM_SQUARES), sums * samples);
  set_row(OTHER, OW_F32, norm_row(p, NORM_OTHER), sums * samples);
  if (p->owned == 0) {
    ow_mov_s(OW_F32, OW_CTL(BOTH, OW_NONE, OW_NONE, 0), 0u);
  } else {
    set_row(A, half_type(), a, samples);
    set_row(B, half_type(), b, samples);
    set_sum(p->owned);
    OW_MIXED_DO(ow_fma, OW_CTL(NORM_X, A, B, 0) | OW_FRESH);
    take_sum(norm_row(p, NORM_SQUARES));
    if (sums > 1) {
      set_sum(p->owned);
      OW_MIXED_DO(ow_fma_s, OW_CTL(NORM_X, A, OW_NONE, 0) | OW_FRESH, 1.0);
      take_sum(norm_row(p, NORM_SUM));
    }
  }
  join_column(norm_row(p, NORM_SQUARES), BOTH, norm_row(p, NORM_OTHER), OTHER, sums * samples, 1);
  ow_mul_s(OW_F32, OW_CTL(BOTH, BOTH, OW_NONE, 0), p->share);
  set_repeated(NORM_SQUARES_DSR, norm_row(p, NORM_SQUARES));
  set_repeated(NORM_SUM_DSR, norm_row(p, NORM_SUM));
  set_repeated(NORM_R, p->scale);
}

// Through bfloat16 and one step of Newton's method.
void norm_scale(const struct ow_norm* p) {
  enum { SQUARES = NORM_SQUARES_DSR, X = NORM_MORE, R = NORM_R, T = NORM_OUT, H = NORM_IN };
  set_row(X, OW_F32, norm_row(p, NORM_NUMBERS), samples);
  set_row(T, OW_F32, norm_row(p, NORM_NUMBERS + 1), samples);
  set_row(H, OW_BF16, norm_row(p, NORM_NUMBERS + 2), samples);
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

void norm_going(uint32_t dsr, enum ow_type type, uint32_t addr) {
  set_row(dsr, type, addr, samples);
  ow_dsrw(dsr, OW_DSR_KIND, OW_WORD_MEM(type) | OW_SAVE_ADDRESS);
}

void norm_features(const struct ow_norm* p, uint32_t in, uint32_t out) {
  set_row(NORM_X, OW_F32, norm_row(p, NORM_NUMBERS), samples);
  norm_going(NORM_IN, half_type(), in);
  norm_going(NORM_OUT, half_type(), out);
}

uint32_t norm_next(uint32_t left, uint32_t numbers) {
  const uint32_t most = numbers / samples, now = most < left ? most : left;
  ow_dsrw(NORM_X, OW_DSR_DIM1, now);  // rows that follow one another: the step is 0
  ow_dsrw(NORM_MORE, OW_DSR_DIM1, now);
  ow_dsrw(NORM_OUT, OW_DSR_DIM1, now);
  ow_dsrw(NORM_OUT_2, OW_DSR_DIM1, now);
  return now;
}

void norm_parameters(const struct ow_norm* p, uint32_t from, uint32_t count) {
  const uint32_t second = from - NORM_GAINS;
  const uint32_t to =
      norm_row(p, NORM_NUMBERS) + 4 * OW_NORM_NUMBERS + second * OW_NORM_PARAMETER_BYTES;
  set_row(NORM_TO, half_type(), to, count);
  ow_dsr_mem2(NORM_GAIN + second, half_type(), to, samples, 0, count, 2);
  ow_cvt(OW_F32, OW_CTL(NORM_TO, from, OW_NONE, 0));
}

void norm_gained(const struct ow_norm* p) {
  uint32_t now;
  norm_features(p, p->y, p->normal);
  norm_going(NORM_GAINS, OW_F32, p->gain);
  for (uint32_t left = p->owned; left > 0; left -= now) {
    now = norm_next(left, OW_NORM_NUMBERS);
    norm_parameters(p, NORM_GAINS, now);
    OW_HALF_DO(ow_mul, OW_CTL(NORM_OUT, NORM_IN, NORM_GAIN, 0));
  }
}
