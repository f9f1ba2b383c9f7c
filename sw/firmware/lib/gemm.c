// SPDX-License-Identifier: Apache-2.0
// Matrix times matrix. A panel of up to 64 columns of a row of C is one fma over all of k, then a
// rounding to C. Rows alternate between two microthreads, each with its half of the accumulator
// cache. The core only advances A and C.
#include "k.h"

#define PANEL 64u

// The sums of a row start from +0 (OW_FRESH) or from C.
#define LOAD(half, type)                                                                 \
  do {                                                                                   \
    if (g->add) {                                                                        \
      ow_dsrw(K_OUT_##half, OW_DSR_ADDRESS, c);                                          \
      if ((type) == OW_F32) {                                                            \
        ow_mov(OW_F32, OW_CTL(K_ROW_##half, K_OUT_##half, OW_NONE, OW_K_THREAD_##half)); \
      } else {                                                                           \
        ow_cvt(type, OW_CTL(K_ROW_##half, K_OUT_##half, OW_NONE, OW_K_THREAD_##half));   \
      }                                                                                  \
    }                                                                                    \
  } while (0)

#define ROW(half, fma_type, type)                                                          \
  do {                                                                                     \
    LOAD(half, type);                                                                      \
    ow_dsrw(K_SRC_##half, OW_DSR_ADDRESS, a);                                              \
    ow_fma(fma_type, OW_CTL(K_ACC_##half, K_P, K_SRC_##half, OW_K_THREAD_##half) | fresh); \
  } while (0)

#define STORE(half, type)                                                              \
  do {                                                                                 \
    ow_dsrw(K_OUT_##half, OW_DSR_ADDRESS, c);                                          \
    if ((type) == OW_F32) {                                                            \
      ow_mov(OW_F32, OW_CTL(K_OUT_##half, K_ROW_##half, OW_NONE, OW_K_THREAD_##half)); \
    } else {                                                                           \
      ow_cvt(OW_F32, OW_CTL(K_OUT_##half, K_ROW_##half, OW_NONE, OW_K_THREAD_##half)); \
    }                                                                                  \
  } while (0)

// The descriptors of one half; the sums of B follow those of A.
#define HALF(half, type, bytes)                                                \
  do {                                                                         \
    ow_dsrw(K_ACC_##half, OW_DSR_DIM0, K_DIM(width, 4));                       \
    ow_dsrw(K_ACC_##half, OW_DSR_DIM1, ow_dim_word(k, -(int32_t)(width * 4))); \
    k_matrix(K_SRC_##half, type, a, width, 0, k, bytes);                       \
  } while (0)

// A panel takes two functions, so that the registers of a loop are saved and restored while the
// engine works.
//
// The first row is cut in two. After that, a row always ends in the middle of the other one, which
// hides the end and the next start. The sums of row i are stored after the fma of row i + 1 has
// started on the other thread.
#define GEMM(name, fma_type, type, bytes)                                                     \
  static __attribute__((noinline)) void name##_start(const struct ow_gemm* g, uint32_t j) {   \
    uint32_t width = g->n - j < PANEL ? g->n - j : PANEL;                                     \
    uint32_t c = g->c + j * (bytes);                                                          \
    ow_dsrw(K_ROW_A, OW_DSR_DIM0, K_DIM(width, 4));                                           \
    k_vector(K_OUT_A, type, c, width, bytes);                                                 \
    LOAD(A, type);                                                                            \
    uint32_t a = g->a;                                                                        \
    uint32_t k = g->k;                                                                        \
    uint32_t part = g->m < 2 || k < 2 ? k : k / 2;                                            \
    uint32_t b = g->b + j * (bytes);                                                          \
    uint32_t b_step = (g->ldb - width) * (bytes);                                             \
    HALF(A, type, bytes);                                                                     \
    ow_dsrw(K_ACC_A, OW_DSR_DIM1, ow_dim_word(part, -(int32_t)(width * 4)));                  \
    k_matrix(K_P, type, b, width, bytes, k, b_step);                                          \
    ow_fma(fma_type, OW_CTL(K_ACC_A, K_P, K_SRC_A, OW_K_THREAD_A) | (g->add ? 0 : OW_FRESH)); \
    ow_dsrw(K_ROW_B, OW_DSR_ADDRESS, OW_ACC_ADDR(PANEL));                                     \
    ow_dsrw(K_ROW_B, OW_DSR_DIM0, K_DIM(width, 4));                                           \
    ow_dsrw(K_ACC_B, OW_DSR_ADDRESS, OW_ACC_ADDR(PANEL));                                     \
    HALF(B, type, bytes);                                                                     \
    k_vector(K_OUT_B, type, c, width, bytes);                                                 \
    if (part != k) {                                                                          \
      k_matrix(K_Q, type, b + part * g->ldb * (bytes), width, bytes, k - part, b_step);       \
      ow_dsrw(K_SRC_A, OW_DSR_ADDRESS, a + part * (bytes));                                   \
      ow_dsrw(K_ACC_A, OW_DSR_DIM1, ow_dim_word(k - part, -(int32_t)(width * 4)));            \
      ow_fma(fma_type, OW_CTL(K_ACC_A, K_Q, K_SRC_A, OW_K_THREAD_A));                         \
    }                                                                                         \
  }                                                                                           \
  static __attribute__((noinline)) void name##_rows(const struct ow_gemm* g, uint32_t j) {    \
    uint32_t width = g->n - j < PANEL ? g->n - j : PANEL;                                     \
    uint32_t a = g->a;                                                                        \
    uint32_t c = g->c + j * (bytes);                                                          \
    uint32_t a_step = g->lda * (bytes);                                                       \
    uint32_t c_step = g->ldc * (bytes);                                                       \
    uint32_t fresh = g->add ? 0 : OW_FRESH;                                                   \
    for (uint32_t rows = g->m;;) {                                                            \
      a += a_step;                                                                            \
      c += c_step;                                                                            \
      if (rows > 1) ROW(B, fma_type, type);                                                   \
      c -= c_step;                                                                            \
      STORE(A, type);                                                                         \
      if (rows <= 1) break;                                                                   \
      ow_dsrw(K_ACC_A, OW_DSR_DIM1, ow_dim_word(g->k, -(int32_t)(width * 4)));                \
      a += a_step;                                                                            \
      c += 2 * c_step;                                                                        \
      if (rows > 2) ROW(A, fma_type, type);                                                   \
      c -= c_step;                                                                            \
      STORE(B, type);                                                                         \
      if (rows <= 2) break;                                                                   \
      c += c_step;                                                                            \
      rows -= 2;                                                                              \
    }                                                                                         \
  }                                                                                           \
  void name(const struct ow_gemm* g) {                                                        \
    for (uint32_t j = 0; j < g->n; j += PANEL) {                                              \
      name##_start(g, j);                                                                     \
      name##_rows(g, j);                                                                      \
      k_wait(K_OUT_A);                                                                        \
      k_wait(K_OUT_B);                                                                        \
    }                                                                                         \
  }
GEMM(ow_gemm_f16, OW_MIXED, OW_F16, 2)
GEMM(ow_gemm_bf16, OW_MIXEDB, OW_BF16, 2)
GEMM(ow_gemm_f32, OW_F32, OW_F32, 4)
