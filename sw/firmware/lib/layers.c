// SPDX-License-Identifier: Apache-2.0
// Softmax and layer normalisation; openwafer/tile/kernels.h has the exact steps.
#include "k.h"

static uint32_t half_at(uint32_t addr) { return *(volatile uint16_t*)(uintptr_t)addr; }
static uint32_t word_at(uint32_t addr) { return *(volatile uint32_t*)(uintptr_t)addr; }

void ow_softmax_f16(uint32_t n, uint32_t x, uint32_t y, uint32_t work) {
  k_vector(K_X, OW_F16, x, n, 2);
  k_vector(K_Y, OW_F16, y, n, 2);
  k_vector(K_R, OW_F16, work, 1, 2);
  ow_rmax(OW_F16, OW_CTL(K_R, K_X, OW_NONE, 0));
  ow_sub_s(OW_F16, OW_CTL(K_Y, K_X, OW_NONE, 0), half_at(work));
  ow_exp(OW_F16, OW_CTL(K_Y, K_Y, OW_NONE, 0));
  ow_sum(OW_F16, OW_CTL(K_R, K_Y, OW_NONE, 0));
  ow_rcp(OW_F16, OW_CTL(K_R, K_R, OW_NONE, 0));
  ow_mul_s(OW_F16, OW_CTL(K_Y, K_Y, OW_NONE, 0), half_at(work));
}

void ow_layernorm_f16(const struct ow_layernorm* l) {
  uint32_t n = l->n;
  uint32_t r = l->work;      // fp32: mean, then 1 / sqrt(v)
  uint32_t v = l->work + 4;  // fp32: v
  uint32_t h = l->work + 8;  // bfloat16
  uint32_t t = l->work + 12;
  uint32_t d = l->work + 16;

  // mean
  k_vector(K_X, OW_F16, l->x, n, 2);
  k_vector(K_R, OW_F32, r, 1, 4);
  ow_sum(OW_F16, OW_CTL(K_R, K_X, OW_NONE, 0));
  ow_mul_s(OW_F32, OW_CTL(K_R, K_R, OW_NONE, 0), l->inv_n);
  // d = x - mean, and its variance
  k_vector(K_Y, OW_F32, d, n, 4);
  ow_cvt(OW_F16, OW_CTL(K_Y, K_X, OW_NONE, 0));
  ow_sub_s(OW_F32, OW_CTL(K_Y, K_Y, OW_NONE, 0), word_at(r));
  k_vector(K_P, OW_F32, v, 1, 4);
  ow_dsrw(K_P, OW_DSR_DIM1, 0);
  ow_dot(OW_F32, OW_CTL(K_P, K_Y, K_Y, 0));
  ow_mul_s(OW_F32, OW_CTL(K_P, K_P, OW_NONE, 0), l->inv_n);
  ow_add_s(OW_F32, OW_CTL(K_P, K_P, OW_NONE, 0), l->eps);
  // r = 1 / sqrt(v)
  k_vector(K_Q, OW_BF16, h, 1, 2);
  ow_dsrw(K_Q, OW_DSR_DIM1, 0);
  ow_cvt(OW_F32, OW_CTL(K_Q, K_P, OW_NONE, 0));
  ow_rsqrt(OW_BF16, OW_CTL(K_Q, K_Q, OW_NONE, 0));
  ow_cvt(OW_BF16, OW_CTL(K_R, K_Q, OW_NONE, 0));
  k_vector(K_X, OW_F32, t, 1, 4);
  ow_mul(OW_F32, OW_CTL(K_X, K_R, K_R, 0));
  ow_mul(OW_F32, OW_CTL(K_X, K_X, K_P, 0));
  ow_mul_s(OW_F32, OW_CTL(K_X, K_X, OW_NONE, 0), 0xBF000000u);  // -0.5
  ow_add_s(OW_F32, OW_CTL(K_X, K_X, OW_NONE, 0), 0x3FC00000u);  // 1.5
  ow_mul(OW_F32, OW_CTL(K_R, K_R, K_X, 0));
  // z = d * r, rounded to binary16 in the lower half of d's space
  ow_mul_s(OW_F32, OW_CTL(K_Y, K_Y, OW_NONE, 0), word_at(r));
  k_vector(K_X, OW_F16, d, n, 2);
  ow_cvt(OW_F32, OW_CTL(K_X, K_Y, OW_NONE, 0));
  // y = z * gain + bias
  k_vector(K_Y, OW_F16, l->y, n, 2);
  k_vector(K_R, OW_F16, l->bias, n, 2);
  ow_mov(OW_F16, OW_CTL(K_Y, K_R, OW_NONE, 0));
  k_vector(K_R, OW_F16, l->gain, n, 2);
  ow_fma(OW_F16, OW_CTL(K_Y, K_X, K_R, 0));
}
