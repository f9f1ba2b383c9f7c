// SPDX-License-Identifier: Apache-2.0
// Matrix times vector: one instruction, or one per panel of 128 columns.
#include "k.h"

#define GEMV(name, type, bytes)                                                         \
  void name(uint32_t m, uint32_t n, uint32_t a, uint32_t lda, uint32_t x, uint32_t y) { \
    k_matrix(K_P, type, a, n, bytes, m, (lda - n) * (bytes));                           \
    k_matrix(K_Q, type, x, n, bytes, m, -(n * (bytes)));                                \
    k_vector(K_Y, type, y, m, bytes);                                                   \
    ow_dot(type, OW_CTL(K_Y, K_P, K_Q, 0));                                             \
  }
GEMV(ow_gemv_f16, OW_F16, 2)
GEMV(ow_gemv_bf16, OW_BF16, 2)
GEMV(ow_gemv_f32, OW_F32, 4)

#define PANEL 128u

// Up to 128 sums are in the accumulator cache. x is a scalar that advances once per row of A.
#define GEMV_T(name, fma_type, type, bytes)                                             \
  void name(uint32_t m, uint32_t n, uint32_t a, uint32_t lda, uint32_t x, uint32_t y) { \
    while (n != 0) {                                                                    \
      uint32_t width = n < PANEL ? n : PANEL;                                           \
      ow_dsrw(K_ROW_A, OW_DSR_DIM0, K_DIM(width, 4));                                   \
      ow_dsrw(K_ACC_A, OW_DSR_DIM0, K_DIM(width, 4));                                   \
      ow_dsrw(K_ACC_A, OW_DSR_DIM1, ow_dim_word(m, -(int32_t)(width * 4)));             \
      k_matrix(K_P, type, a, width, bytes, m, (lda - width) * (bytes));                 \
      k_matrix(K_Q, type, x, width, 0, m, bytes);                                       \
      ow_fma(fma_type, OW_CTL(K_ACC_A, K_P, K_Q, OW_K_THREAD_A) | OW_FRESH);            \
      k_vector(K_Y, type, y, width, bytes);                                             \
      k_wait(K_ACC_A);                                                                  \
      if ((type) == OW_F32) {                                                           \
        ow_mov(OW_F32, OW_CTL(K_Y, K_ROW_A, OW_NONE, 0));                               \
      } else {                                                                          \
        ow_cvt(OW_F32, OW_CTL(K_Y, K_ROW_A, OW_NONE, 0));                               \
      }                                                                                 \
      n -= width;                                                                       \
      a += width * (bytes);                                                             \
      y += width * (bytes);                                                             \
    }                                                                                   \
  }
GEMV_T(ow_gemv_t_f16, OW_MIXED, OW_F16, 2)
GEMV_T(ow_gemv_t_bf16, OW_MIXEDB, OW_BF16, 2)
GEMV_T(ow_gemv_t_f32, OW_F32, OW_F32, 4)
