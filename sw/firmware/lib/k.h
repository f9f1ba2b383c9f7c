// SPDX-License-Identifier: Apache-2.0
// What the kernels share: their descriptors, and short functions to load them.
#ifndef OW_LIB_K_H_
#define OW_LIB_K_H_

#include "openwafer/tile/kernels.h"
#include "openwafer/tile/tile.h"

// A reference without code: a program with a kernel also gets the library's set-up (init.c).
__asm__(".reloc ., R_RISCV_NONE, ow_kernels_start");

// One-dimensional operands: words 3 to 5 are zero from the start.
enum {
  K_X = OW_K_DSR_FIRST,
  K_Y,
  K_R,
  // Two dimensions: words 4 and 5 are zero.
  K_P,
  K_Q,
  // fp32 sums in the accumulator cache, repeated and once. Word 0 is set, and word 1 of A: the
  // begin of the cache.
  K_ACC_A,
  K_ACC_B,
  K_ROW_A,
  K_ROW_B,
  K_SRC_A,
  K_SRC_B,
  K_IDX_A,
  K_IDX_B,
  K_OUT_A,
  K_OUT_B,
  // Kept from one call to the next.
  K_KEEP_OUT,
  K_KEEP_V,
  K_KEEP_X,
  K_KEEP_W,
  K_KEEP_ACC,
  K_KEEP_Y
};
_Static_assert(K_KEEP_Y == 30, "the library's descriptors end at 30");

#define K_MEM(type) (OW_DSR0_KIND(OW_KIND_MEM) | OW_DSR0_TY(type))
// A length that is known to fit, so no mask is needed.
#define K_DIM(length, step) (((uint32_t)(length) << OW_DIM_LENGTH_LSB) | OW_DIM_STEP(step))

// A vector in memory; `dsr`, `type` and `bytes` are constants.
#define k_vector(dsr, type, addr, n, bytes)     \
  do {                                          \
    ow_dsrw(dsr, OW_DSR_KIND, K_MEM(type));     \
    ow_dsrw(dsr, OW_DSR_ADDRESS, addr);         \
    ow_dsrw(dsr, OW_DSR_DIM0, K_DIM(n, bytes)); \
  } while (0)

// Two dimensions. step1 is the hardware's step, added at the end of dimension 0.
#define k_matrix(dsr, type, addr, n0, step0, n1, step1)           \
  do {                                                            \
    ow_dsrw(dsr, OW_DSR_KIND, K_MEM(type));                       \
    ow_dsrw(dsr, OW_DSR_ADDRESS, addr);                           \
    ow_dsrw(dsr, OW_DSR_DIM0, ow_dim_word(n0, (int32_t)(step0))); \
    ow_dsrw(dsr, OW_DSR_DIM1, ow_dim_word(n1, (int32_t)(step1))); \
  } while (0)

// Waits until no running thread uses the descriptor, by writing to it. The results of that thread
// can then be read.
#define k_wait(dsr)                    \
  do {                                 \
    ow_dsrw(dsr, OW_DSR_DIM3, 0);      \
    __asm__ volatile("" ::: "memory"); \
  } while (0)

#endif  // OW_LIB_K_H_
