// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector. A slice is: one fmag a segment, store. Values and
// indices are walked by saved addresses and the table holds descriptor words, so that a segment
// costs the core two loads, two descriptor words and an instruction. The tool makes the first slice
// of A a short one: from then on a slice of one stream ends in the middle of one of the other,
// which hides what it takes to end it and to start the next.
#include "k.h"

enum { stream_A, stream_B };

#define STREAM(s, type, bytes)                                      \
  do {                                                              \
    ow_dsrw(K_SRC_##s, OW_DSR_ADDRESS, head->values[stream_##s]);   \
    ow_dsrw(K_IDX_##s, OW_DSR_ADDRESS, head->indices[stream_##s]);  \
    ow_dsrw(K_SRC_##s, OW_DSR_KIND, K_MEM(type) | OW_SAVE_ADDRESS); \
    ow_dsrw(K_SRC_##s, OW_DSR_DIM0, K_DIM(1, bytes));               \
    ow_dsrw(K_SRC_##s, OW_DSR_DIM1, 0);                             \
  } while (0)

// The first segment of a slice covers all of its sums and takes them as +0.
#define FIRST(s, fma_type)                                                                     \
  do {                                                                                         \
    ow_dsrw(K_ACC_##s, OW_DSR_DIM0, segment[stream_##s].dim0);                                 \
    ow_dsrw(K_ACC_##s, OW_DSR_DIM1, segment[stream_##s].dim1);                                 \
    ow_fmag(fma_type, OW_CTL(K_ACC_##s, K_SRC_##s, K_IDX_##s, OW_K_THREAD_##s) | OW_FRESH, x); \
  } while (0)

// The words of both streams are loaded before the first of them waits for its descriptor.
#define SEGMENT(s, fma_type, dim0, dim1)                                              \
  do {                                                                                \
    if ((dim0) != 0) {                                                                \
      ow_dsrw(K_ACC_##s, OW_DSR_DIM0, dim0);                                          \
      ow_dsrw(K_ACC_##s, OW_DSR_DIM1, dim1);                                          \
      ow_fmag(fma_type, OW_CTL(K_ACC_##s, K_SRC_##s, K_IDX_##s, OW_K_THREAD_##s), x); \
    }                                                                                 \
  } while (0)

#define STORE(s, type)                                                       \
  do {                                                                       \
    uint32_t at = y + slice[stream_##s].y_offset;                            \
    uint32_t y_dim = slice[stream_##s].y_dim;                                \
    uint32_t long_row = slice[stream_##s].long_row;                          \
    __asm__ volatile("" : "+r"(at), "+r"(y_dim), "+r"(long_row));            \
    ow_dsrw(K_OUT_##s, OW_DSR_ADDRESS, at);                                  \
    ow_dsrw(K_OUT_##s, OW_DSR_DIM0, y_dim);                                  \
    if (long_row) {                                                          \
      ow_dsrw(K_ACC_##s, OW_DSR_DIM0, slice[stream_##s].dim);                \
      ow_dsrw(K_ACC_##s, OW_DSR_DIM1, 0);                                    \
      ow_sum(OW_F32, OW_CTL(K_OUT_##s, K_ACC_##s, K_NONE, OW_K_THREAD_##s)); \
    } else if ((type) == OW_F32) {                                           \
      ow_mov(OW_F32, OW_CTL(K_OUT_##s, K_ACC_##s, K_NONE, OW_K_THREAD_##s)); \
    } else {                                                                 \
      ow_cvt(OW_F32, OW_CTL(K_OUT_##s, K_ACC_##s, K_NONE, OW_K_THREAD_##s)); \
    }                                                                        \
  } while (0)

#define SPMV(name, fma_type, type, bytes)                                            \
  void name(uint32_t matrix, uint32_t x, uint32_t y) {                               \
    const struct ow_spmv_head* head = (const struct ow_spmv_head*)(uintptr_t)matrix; \
    const struct ow_spmv_slice* slice = (const struct ow_spmv_slice*)(head + 1);     \
    const struct ow_spmv_segment* segment = (const void*)(slice + OW_SPMV_STREAMS);  \
    STREAM(A, type, bytes);                                                          \
    FIRST(A, fma_type);                                                              \
    ow_dsrw(K_ACC_B, OW_DSR_ADDRESS, OW_ACC_ADDR(OW_SPMV_SLICE));                    \
    STREAM(B, type, bytes);                                                          \
    if (slice[stream_B].dim != 0) FIRST(B, fma_type);                                \
    ow_dsrw(K_OUT_A, OW_DSR_KIND, K_MEM(type));                                      \
    ow_dsrw(K_OUT_B, OW_DSR_KIND, K_MEM(type));                                      \
    uint32_t round = head->rounds;                                                   \
    uint32_t left = slice->segments;                                                 \
    for (;;) {                                                                       \
      while (__builtin_expect(--left != 0, 1)) {                                     \
        segment += OW_SPMV_STREAMS;                                                  \
        uint32_t a0 = segment[stream_A].dim0, a1 = segment[stream_A].dim1;           \
        uint32_t b0 = segment[stream_B].dim0, b1 = segment[stream_B].dim1;           \
        __asm__ volatile("" : "+r"(a0), "+r"(a1), "+r"(b0), "+r"(b1));               \
        SEGMENT(A, fma_type, a0, a1);                                                \
        SEGMENT(B, fma_type, b0, b1);                                                \
      }                                                                              \
      STORE(A, type);                                                                \
      if (slice[stream_B].dim != 0) STORE(B, type);                                  \
      if (--round == 0) break;                                                       \
      slice = (const void*)(segment + OW_SPMV_STREAMS);                              \
      segment = (const void*)(slice + OW_SPMV_STREAMS);                              \
      left = slice->segments;                                                        \
      FIRST(A, fma_type);                                                            \
      if (slice[stream_B].dim != 0) FIRST(B, fma_type);                              \
    }                                                                                \
    k_wait(K_OUT_A);                                                                 \
    k_wait(K_OUT_B);                                                                 \
  }
SPMV(ow_spmv_f16, OW_MIXED, OW_F16, 2)
SPMV(ow_spmv_f32, OW_F32, OW_F32, 4)
