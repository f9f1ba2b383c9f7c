// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector. A slice is: clear its sums, one fmag a segment, store. Slices of the
// two streams run on two microthreads; values and indices are walked by saved addresses, so that a
// segment costs the core two descriptor words and an instruction.
#include "k.h"

#define SAVED(dsr, type, addr, bytes)               \
  do {                                              \
    ow_dsrw(dsr, 0, K_MEM(type) | OW_SAVE_ADDRESS); \
    ow_dsrw(dsr, 1, addr);                          \
    ow_dsrw(dsr, 2, K_DIM(1, bytes));               \
    ow_dsrw(dsr, 3, 0);                             \
  } while (0)

#define STREAM(half, type, bytes)                                \
  do {                                                           \
    uint32_t acc = OW_ACC_ADDR(half_##half * OW_SPMV_SLICE);     \
    SAVED(K_SRC_##half, type, head->values[half_##half], bytes); \
    SAVED(K_IDX_##half, OW_I16, head->indices[half_##half], 2);  \
    k_vector(K_ROW_##half, OW_F32, acc, 0, 4);                   \
    ow_dsrw(K_ROW_##half, 3, 0);                                 \
    k_vector(K_ACC_##half, OW_F32, acc, 0, 4);                   \
    k_vector(K_OUT_##half, type, 0, 0, bytes);                   \
    ow_dsrw(K_OUT_##half, 3, 0);                                 \
  } while (0)

#define CLEAR(half)                                                                  \
  do {                                                                               \
    if (slice_##half->pieces != 0) {                                                 \
      ow_dsrw(K_ROW_##half, 2, K_DIM(slice_##half->pieces, 4));                      \
      ow_mov_s(OW_F32, OW_CTL(K_ROW_##half, K_NONE, K_NONE, OW_K_THREAD_##half), 0); \
    }                                                                                \
  } while (0)

#define SEGMENT(half, fma_type)                                                                   \
  do {                                                                                            \
    uint32_t dim0 = segment->dim0;                                                                \
    uint32_t dim1 = segment->dim1;                                                                \
    ++segment;                                                                                    \
    if (dim0 != 0) {                                                                              \
      ow_dsrw(K_ACC_##half, 2, dim0);                                                             \
      ow_dsrw(K_ACC_##half, 3, dim1);                                                             \
      ow_fmag(fma_type, OW_CTL(K_ACC_##half, K_SRC_##half, K_IDX_##half, OW_K_THREAD_##half), x); \
    }                                                                                             \
  } while (0)

#define STORE(half, type, bytes)                                                          \
  do {                                                                                    \
    if (slice_##half->pieces != 0) {                                                      \
      ow_dsrw(K_OUT_##half, 1, y + slice_##half->y_offset * (bytes));                     \
      if (slice_##half->long_row) {                                                       \
        ow_dsrw(K_OUT_##half, 2, K_DIM(1, bytes));                                        \
        ow_sum(OW_F32, OW_CTL(K_OUT_##half, K_ROW_##half, K_NONE, OW_K_THREAD_##half));   \
      } else {                                                                            \
        ow_dsrw(K_OUT_##half, 2, K_DIM(slice_##half->pieces, bytes));                     \
        if ((type) == OW_F32) {                                                           \
          ow_mov(OW_F32, OW_CTL(K_OUT_##half, K_ROW_##half, K_NONE, OW_K_THREAD_##half)); \
        } else {                                                                          \
          ow_cvt(OW_F32, OW_CTL(K_OUT_##half, K_ROW_##half, K_NONE, OW_K_THREAD_##half)); \
        }                                                                                 \
      }                                                                                   \
    }                                                                                     \
  } while (0)

enum { half_A = 0, half_B = 1 };

#define SPMV(name, fma_type, type, bytes)                                            \
  void name(uint32_t matrix, uint32_t x, uint32_t y) {                               \
    const struct ow_spmv_head* head = (const struct ow_spmv_head*)(uintptr_t)matrix; \
    const void* next = head + 1;                                                     \
    STREAM(A, type, bytes);                                                          \
    STREAM(B, type, bytes);                                                          \
    for (uint32_t pair = head->pairs; pair != 0; --pair) {                           \
      const struct ow_spmv_slice* slice_A = next;                                    \
      const struct ow_spmv_slice* slice_B = slice_A + 1;                             \
      const struct ow_spmv_segment* segment = (const void*)(slice_B + 1);            \
      CLEAR(A);                                                                      \
      CLEAR(B);                                                                      \
      for (uint32_t k = slice_A->segments; k != 0; --k) {                            \
        SEGMENT(A, fma_type);                                                        \
        SEGMENT(B, fma_type);                                                        \
      }                                                                              \
      STORE(A, type, bytes);                                                         \
      STORE(B, type, bytes);                                                         \
      next = segment;                                                                \
    }                                                                                \
    k_wait(K_OUT_A);                                                                 \
    k_wait(K_OUT_B);                                                                 \
  }
SPMV(ow_spmv_f16, OW_MIXED, OW_F16, 2)
SPMV(ow_spmv_f32, OW_F32, OW_F32, 4)
