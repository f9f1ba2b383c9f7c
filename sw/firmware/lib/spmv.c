// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector. A slice is one fmag per segment, then a store. Values and indices
// advance by saved addresses and the table holds descriptor words, so a segment costs the core two
// loads, two descriptor words and an instruction. The host tool makes the first slice of A short.
// After that, a slice of one stream always ends in the middle of one of the other, which hides the
// end and the next start.
#include "k.h"

enum { stream_A, stream_B };

// Control words. Each also names its destination for ow_dsrw_dst.
#define FMA_A OW_CTL(K_ACC_A, K_SRC_A, K_IDX_A, OW_K_THREAD_A)
#define FMA_B OW_CTL(K_ACC_B, K_SRC_B, K_IDX_B, OW_K_THREAD_B)
#define STORE_A OW_CTL(K_OUT_A, K_ACC_A, OW_NONE, OW_K_THREAD_A)
#define STORE_B OW_CTL(K_OUT_B, K_ACC_B, OW_NONE, OW_K_THREAD_B)

// From here on these values stay in registers. Otherwise the compiler would move a load next to its
// use, which would wait for it.
#define LOADED2(a, b) __asm__ volatile("" : "+r"(a), "+r"(b))
#define LOADED3(a, b, c) __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c))
#define LOADED4(a, b, c, d) __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d))

#define STREAM(s, type, bytes, values, indices)                     \
  do {                                                              \
    ow_dsrw(K_SRC_##s, OW_DSR_KIND, K_MEM(type) | OW_SAVE_ADDRESS); \
    ow_dsrw(K_SRC_##s, OW_DSR_DIM0, K_DIM(1, bytes));               \
    ow_dsrw(K_SRC_##s, OW_DSR_DIM1, 0);                             \
    ow_dsrw(K_SRC_##s, OW_DSR_ADDRESS, values);                     \
    ow_dsrw(K_IDX_##s, OW_DSR_ADDRESS, indices);                    \
  } while (0)

// A segment whose dimensions are in its two words. The first segment of a slice covers all sums and
// reads them as +0 (`fresh`: OW_FRESH, else 0).
#define SEGMENT(s, fma_type, dim0, dim1, fresh)        \
  do {                                                 \
    ow_dsrw_dst(FMA_##s | (fresh), OW_DSR_DIM0, dim0); \
    ow_dsrw_dst(FMA_##s | (fresh), OW_DSR_DIM1, dim1); \
    ow_fmag(fma_type, FMA_##s | (fresh), x);           \
  } while (0)

#define RESULTS(s, at, y_dim)                   \
  do {                                          \
    ow_dsrw_dst(STORE_##s, OW_DSR_ADDRESS, at); \
    ow_dsrw_dst(STORE_##s, OW_DSR_DIM0, y_dim); \
  } while (0)

#define STORE(s, type, long_row)                                \
  do {                                                          \
    if (__builtin_expect(long_row, 0)) {                        \
      ow_dsrw_dst(FMA_##s, OW_DSR_DIM0, slice[stream_##s].dim); \
      ow_dsrw_dst(FMA_##s, OW_DSR_DIM1, 0);                     \
      ow_sum(OW_F32, STORE_##s);                                \
    } else if ((type) == OW_F32) {                              \
      ow_mov(OW_F32, STORE_##s);                                \
    } else {                                                    \
      ow_cvt(OW_F32, STORE_##s);                                \
    }                                                           \
  } while (0)

#define SPMV(name, fma_type, type, bytes)                                            \
  void name(uint32_t matrix, uint32_t x, uint32_t y) {                               \
    const struct ow_spmv_head* head = (const struct ow_spmv_head*)(uintptr_t)matrix; \
    const struct ow_spmv_slice* slice = (const struct ow_spmv_slice*)(head + 1);     \
    const struct ow_spmv_segment* segment = (const void*)(slice + OW_SPMV_STREAMS);  \
    uint32_t value_a = head->values[stream_A], index_a = head->indices[stream_A];    \
    uint32_t a0 = segment[stream_A].dim0, a1 = segment[stream_A].dim1;               \
    LOADED4(value_a, index_a, a0, a1);                                               \
    value_a += matrix, index_a += matrix;                                            \
    STREAM(A, type, bytes, value_a, index_a);                                        \
    SEGMENT(A, fma_type, a0, a1, OW_FRESH);                                          \
    uint32_t value_b = head->values[stream_B], index_b = head->indices[stream_B];    \
    uint32_t b0 = segment[stream_B].dim0, b1 = segment[stream_B].dim1;               \
    LOADED4(value_b, index_b, b0, b1);                                               \
    value_b += matrix, index_b += matrix;                                            \
    uint32_t round = head->rounds, left = slice->segments;                           \
    LOADED2(round, left);                                                            \
    ow_dsrw(K_ACC_B, OW_DSR_ADDRESS, OW_ACC_ADDR(OW_SPMV_SLICE));                    \
    STREAM(B, type, bytes, value_b, index_b);                                        \
    if (b0 != 0) SEGMENT(B, fma_type, b0, b1, OW_FRESH);                             \
    ow_dsrw_dst(STORE_A, OW_DSR_KIND, K_MEM(type));                                  \
    ow_dsrw_dst(STORE_B, OW_DSR_KIND, K_MEM(type));                                  \
    for (;;) {                                                                       \
      while (__builtin_expect(--left != 0, 1)) {                                     \
        segment += OW_SPMV_STREAMS;                                                  \
        a0 = segment[stream_A].dim0, a1 = segment[stream_A].dim1;                    \
        b0 = segment[stream_B].dim0, b1 = segment[stream_B].dim1;                    \
        LOADED4(a0, a1, b0, b1);                                                     \
        if (a0 != 0) SEGMENT(A, fma_type, a0, a1, 0);                                \
        if (b0 != 0) SEGMENT(B, fma_type, b0, b1, 0);                                \
      }                                                                              \
      uint32_t at_a = slice[stream_A].y_offset, y_dim_a = slice[stream_A].y_dim;     \
      uint32_t long_a = slice[stream_A].long_row, dim_b = slice[stream_B].dim;       \
      LOADED4(at_a, y_dim_a, long_a, dim_b);                                         \
      RESULTS(A, y + at_a, y_dim_a);                                                 \
      /* Loaded before the core waits for the last segment of A. */                  \
      uint32_t at_b = slice[stream_B].y_offset, y_dim_b = slice[stream_B].y_dim;     \
      uint32_t long_b = slice[stream_B].long_row;                                    \
      LOADED3(at_b, y_dim_b, long_b);                                                \
      STORE(A, type, long_a);                                                        \
      RESULTS(B, y + at_b, y_dim_b);                                                 \
      if (dim_b != 0) STORE(B, type, long_b);                                        \
      if (--round == 0) break;                                                       \
      slice = (const void*)(segment + OW_SPMV_STREAMS);                              \
      segment = (const void*)(slice + OW_SPMV_STREAMS);                              \
      left = slice->segments;                                                        \
      a0 = segment[stream_A].dim0, a1 = segment[stream_A].dim1;                      \
      b0 = segment[stream_B].dim0, b1 = segment[stream_B].dim1;                      \
      LOADED4(a0, a1, b0, b1);                                                       \
      SEGMENT(A, fma_type, a0, a1, OW_FRESH);                                        \
      if (b0 != 0) SEGMENT(B, fma_type, b0, b1, OW_FRESH);                           \
    }                                                                                \
    k_wait(K_OUT_A);                                                                 \
    k_wait(K_OUT_B);                                                                 \
  }
SPMV(ow_spmv_f16, OW_MIXED, OW_F16, 2)
SPMV(ow_spmv_f32, OW_F32, OW_F32, 4)
