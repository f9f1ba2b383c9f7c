// SPDX-License-Identifier: Apache-2.0
// Vector kernels: one instruction each. Operands, shapes, memory and cycles:
// openwafer/tile/kernels.h.
#include "k.h"

// The header's macros of these names convert `a`.
#define AXPY(name, type, bytes)                                \
  void(name)(uint32_t n, uint32_t a, uint32_t x, uint32_t y) { \
    k_vector(K_X, type, x, n, bytes);                          \
    k_vector(K_Y, type, y, n, bytes);                          \
    ow_fma_s(type, OW_CTL(K_Y, K_X, OW_NONE, 0), a);           \
  }
AXPY(ow_axpy_f16, OW_F16, 2)
AXPY(ow_axpy_bf16, OW_BF16, 2)
AXPY(ow_axpy_f32, OW_F32, 4)

#define SCAL(name, type, bytes)                      \
  void(name)(uint32_t n, uint32_t a, uint32_t x) {   \
    k_vector(K_X, type, x, n, bytes);                \
    ow_mul_s(type, OW_CTL(K_X, K_X, OW_NONE, 0), a); \
  }
SCAL(ow_scal_f16, OW_F16, 2)
SCAL(ow_scal_bf16, OW_BF16, 2)
SCAL(ow_scal_f32, OW_F32, 4)

#define COPY(name, type, bytes)                   \
  void name(uint32_t n, uint32_t x, uint32_t y) { \
    k_vector(K_X, type, x, n, bytes);             \
    k_vector(K_Y, type, y, n, bytes);             \
    ow_mov(type, OW_CTL(K_Y, K_X, OW_NONE, 0));   \
  }
COPY(ow_copy_16, OW_I16, 2)
COPY(ow_copy_32, OW_I32, 4)

#define DOT(name, type, bytes, result_type)                        \
  void name(uint32_t n, uint32_t x, uint32_t y, uint32_t result) { \
    k_vector(K_X, type, x, n, bytes);                              \
    k_vector(K_Y, type, y, n, bytes);                              \
    k_vector(K_R, result_type, result, 1, 4);                      \
    ow_dot(type, OW_CTL(K_R, K_X, K_Y, 0));                        \
  }
DOT(ow_dot_f16, OW_F16, 2, OW_F32)
DOT(ow_dot_bf16, OW_BF16, 2, OW_F32)
DOT(ow_dot_f32, OW_F32, 4, OW_F32)
DOT(ow_dot_i8, OW_I8, 1, OW_I32)

#define REDUCE(name, op, type, bytes, result_type, result_bytes) \
  void name(uint32_t n, uint32_t x, uint32_t result) {           \
    k_vector(K_X, type, x, n, bytes);                            \
    k_vector(K_R, result_type, result, 1, result_bytes);         \
    op(type, OW_CTL(K_R, K_X, OW_NONE, 0));                      \
  }
REDUCE(ow_sum_f16, ow_sum, OW_F16, 2, OW_F32, 4)
REDUCE(ow_sum_f32, ow_sum, OW_F32, 4, OW_F32, 4)
REDUCE(ow_max_f16, ow_rmax, OW_F16, 2, OW_F16, 2)
REDUCE(ow_min_f16, ow_rmin, OW_F16, 2, OW_F16, 2)
REDUCE(ow_max_f32, ow_rmax, OW_F32, 4, OW_F32, 4)
REDUCE(ow_min_f32, ow_rmin, OW_F32, 4, OW_F32, 4)
