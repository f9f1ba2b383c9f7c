// SPDX-License-Identifier: Apache-2.0
// What losses share: rows of the work area, with `samples` fp32 numbers each, and conversions. A
// loss computes its deltas output by output, step by step as docs/numerics.md defines it.
#ifndef OW_JOB_LOSS_H_
#define OW_JOB_LOSS_H_

#include "job.h"

// Rows of the work area. E is the first of one row per output.
enum { ROW_X, ROW_N, ROW_P, ROW_Q, ROW_MAX, ROW_SUM, ROW_INVERSE, ROW_HALF, ROW_E };
_Static_assert(ROW_E == OW_LOSS_ROWS, "the host makes room for all rows");

// A descriptor for each row.
enum { X = DSR_KERNEL, P, LOSS_DSRS };
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

#endif  // OW_JOB_LOSS_H_
