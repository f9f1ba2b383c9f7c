// SPDX-License-Identifier: Apache-2.0
// What losses share: rows of the work area, with `samples` fp32 numbers each, and conversions. A
// loss computes its deltas output by output, step by step as docs/numerics.md defines it.
#ifndef OW_JOB_LOSS_H_
#define OW_JOB_LOSS_H_

#include "job.h"

// Rows of the work area. E is the first of one row per output.
enum { ROW_X, ROW_N, ROW_P, ROW_Q, ROW_MAX, ROW_SUM, ROW_INVERSE, ROW_HALF, ROW_E };
_Static_assert(ROW_E == OW_LOSS_ROWS, "the host makes room for all rows");

// A descriptor for each row, integer ones for rows that are also read as integers, and the classes.
enum { X = DSR_KERNEL, P, N, Q, MAX, SUM, INVERSE, HALF, N_INT, P_INT, CLASS, LOSS_DSRS };
// An output, its target or its delta.
enum { Z = DSR_IN };

static inline uint32_t row_addr(const struct ow_loss* p, uint32_t row) {
  return p->work + row * samples * 4;
}

// A constant at the place of use: smaller than a call.
OW_ALWAYS_INLINE uint32_t ctl(uint32_t dst, uint32_t a, uint32_t b) { return OW_CTL(dst, a, b, 0); }

// dst in fp32 from the row of 16-bit values at addr.
void widen(uint32_t dst, uint32_t addr);
// The row of deltas at addr from fp32, rounded once.
void narrow(uint32_t addr, uint32_t from);

// In each loss that uses them: smaller than calls where there is one.
// Sets the descriptors above.
static inline void loss_rows(const struct ow_loss* p) {
  static const struct {
    uint8_t dsr, type, row;
  } kRows[] = {{X, OW_F32, ROW_X},
               {N, OW_F32, ROW_N},
               {P, OW_F32, ROW_P},
               {Q, OW_F32, ROW_Q},
               {MAX, OW_F32, ROW_MAX},
               {SUM, OW_F32, ROW_SUM},
               {INVERSE, OW_F32, ROW_INVERSE},
               {HALF, OW_BF16, ROW_HALF},
               {N_INT, OW_I32, ROW_N},
               {P_INT, OW_I32, ROW_P}};
  for (uint32_t k = 0; k < sizeof kRows / sizeof kRows[0]; ++k) {
    set_row(kRows[k].dsr, (enum ow_type)kRows[k].type, row_addr(p, kRows[k].row), samples);
  }
  set_row(CLASS, OW_I32, p->targets, samples);
}

// 1 / SUM to INVERSE (N94); uses HALF, N, P and Q.
static inline void loss_inverse(void) {
  ow_cvt(OW_F32, ctl(HALF, SUM, OW_NONE));
  ow_rcp(OW_BF16, ctl(HALF, HALF, OW_NONE));
  ow_cvt(OW_BF16, ctl(INVERSE, HALF, OW_NONE));
  ow_mul_s(OW_F32, ctl(N, SUM, OW_NONE), -1.0f);
  for (int step = 0; step < 2; ++step) {
    ow_mov_s(OW_F32, ctl(Q, OW_NONE, OW_NONE), 1.0f);
    ow_fma(OW_F32, ctl(Q, N, INVERSE));
    ow_mov(OW_F32, ctl(P, INVERSE, OW_NONE));
    ow_fma(OW_F32, ctl(INVERSE, P, Q));
  }
}

// The loss scale of each sample to Q: +0 if its target is ignored (N128). Uses N_INT.
static inline void loss_scales(void) {
  ow_cmpne_s(OW_I32, ctl(N_INT, CLASS, OW_NONE), ~0u);
  ow_cvt(OW_I32, ctl(Q, N_INT, OW_NONE));
  ow_mul_s(OW_F32, ctl(Q, Q, OW_NONE), ow_float_bits(loss_scale));
}

#endif  // OW_JOB_LOSS_H_
