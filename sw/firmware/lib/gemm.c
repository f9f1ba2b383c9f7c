// SPDX-License-Identifier: Apache-2.0
// Matrix times matrix. A panel of up to 64 columns of a row of C is: clear (or load) the sums, one
// fma over all of k, round to C. Rows go in turns to two microthreads, each with its half of the
// accumulator cache; the core only advances A and C.
#include "k.h"

#define PANEL 64u

#define ROW(half, fma_type, type)                                                       \
  do {                                                                                  \
    ow_dsrw(K_SRC_##half, 1, a);                                                        \
    if (g->add) {                                                                       \
      ow_dsrw(K_OUT_##half, 1, c);                                                      \
      if ((type) == OW_F32) {                                                           \
        ow_mov(OW_F32, OW_CTL(K_ROW_##half, K_OUT_##half, K_NONE, OW_K_THREAD_##half)); \
      } else {                                                                          \
        ow_cvt(type, OW_CTL(K_ROW_##half, K_OUT_##half, K_NONE, OW_K_THREAD_##half));   \
      }                                                                                 \
    } else {                                                                            \
      ow_mov_s(OW_F32, OW_CTL(K_ROW_##half, K_NONE, K_NONE, OW_K_THREAD_##half), 0);    \
    }                                                                                   \
    ow_fma(fma_type, OW_CTL(K_ACC_##half, K_P, K_SRC_##half, OW_K_THREAD_##half));      \
  } while (0)

#define STORE(half, type)                                                             \
  do {                                                                                \
    ow_dsrw(K_OUT_##half, 1, c);                                                      \
    if ((type) == OW_F32) {                                                           \
      ow_mov(OW_F32, OW_CTL(K_OUT_##half, K_ROW_##half, K_NONE, OW_K_THREAD_##half)); \
    } else {                                                                          \
      ow_cvt(OW_F32, OW_CTL(K_OUT_##half, K_ROW_##half, K_NONE, OW_K_THREAD_##half)); \
    }                                                                                 \
  } while (0)

#define HALF(half, type, bytes)                                        \
  do {                                                                 \
    uint32_t acc = OW_ACC_ADDR(half_##half * PANEL);                   \
    k_vector(K_ROW_##half, OW_F32, acc, width, 4);                     \
    k_matrix(K_ACC_##half, OW_F32, acc, width, 4, g->k, -(width * 4)); \
    k_matrix(K_SRC_##half, type, 0, width, 0, g->k, bytes);            \
    k_vector(K_OUT_##half, type, 0, width, bytes);                     \
  } while (0)

enum { half_A = 0, half_B = 1 };

// The sums of row i are stored when the fma of row i + 1 has been started on the other thread.
#define GEMM(name, fma_type, type, bytes)                                                      \
  void name(const struct ow_gemm* g) {                                                         \
    for (uint32_t j = 0; j < g->n; j += PANEL) {                                               \
      uint32_t width = g->n - j < PANEL ? g->n - j : PANEL;                                    \
      k_matrix(K_P, type, g->b + j * (bytes), width, bytes, g->k, (g->ldb - width) * (bytes)); \
      HALF(A, type, bytes);                                                                    \
      uint32_t a = g->a;                                                                       \
      uint32_t c = g->c + j * (bytes);                                                         \
      uint32_t a_step = g->lda * (bytes);                                                      \
      uint32_t c_step = g->ldc * (bytes);                                                      \
      ROW(A, fma_type, type);                                                                  \
      HALF(B, type, bytes);                                                                    \
      for (uint32_t i = g->m;;) {                                                              \
        uint32_t c_next = c + c_step;                                                          \
        a += a_step;                                                                           \
        if (i > 1) {                                                                           \
          uint32_t c_now = c;                                                                  \
          c = c_next;                                                                          \
          ROW(B, fma_type, type);                                                              \
          c = c_now;                                                                           \
        }                                                                                      \
        STORE(A, type);                                                                        \
        if (i <= 1) break;                                                                     \
        c = c_next;                                                                            \
        c_next = c + c_step;                                                                   \
        a += a_step;                                                                           \
        if (i > 2) {                                                                           \
          uint32_t c_now = c;                                                                  \
          c = c_next;                                                                          \
          ROW(A, fma_type, type);                                                              \
          c = c_now;                                                                           \
        }                                                                                      \
        STORE(B, type);                                                                        \
        if (i <= 2) break;                                                                     \
        c = c_next;                                                                            \
        i -= 2;                                                                                \
      }                                                                                        \
      k_wait(K_OUT_A);                                                                         \
      k_wait(K_OUT_B);                                                                         \
    }                                                                                          \
  }
GEMM(ow_gemm_f16, OW_MIXED, OW_F16, 2)
GEMM(ow_gemm_bf16, OW_MIXEDB, OW_BF16, 2)
GEMM(ow_gemm_f32, OW_F32, OW_F32, 4)
