// SPDX-License-Identifier: Apache-2.0
// The deltas of softmax cross-entropy over many outputs (N114, N65, N128). Outputs are worked on in
// panels of some rows, so an instruction has many elements. The powers lie where the deltas will,
// so an output needs no memory besides. Cycles: about 7.5 an output and
// sample.
#include "loss.h"

// Numbers of a panel, its second array, and its 16-bit one.
enum { PANEL = OW_LOSS_PANEL, PANEL_MORE = 4 * PANEL, PANEL_HALF = 8 * PANEL };
// Descriptors, between two calls of loss_rows() that name the same ones.
enum { D = P, ROW = N, H = HALF, E = N_INT, SUMS = P_INT };

// Rows of fp32 numbers, `step` bytes apart; 0: one row for all.
static __attribute__((noinline)) void set_rows(uint32_t dsr, uint32_t addr, uint32_t rows,
                                               uint32_t step) {
  ow_dsr_mem2(dsr, OW_F32, addr, samples, 4, rows, (int32_t)step);
}

// Sets the descriptors of a panel whose first output is `done`; the outputs in it.
static uint32_t set_panel(const struct ow_loss* p, uint32_t done) {
  const uint32_t left = p->owned - done, most = PANEL / samples, at = done * pitch();
  const uint32_t rows = left < most ? left : most, count = rows * samples;
  const uint32_t panel = row_addr(p, ROW_E);
  set_rows(X, panel, rows, 4 * samples);
  set_row(D, OW_F32, panel + PANEL_MORE, count);
  set_row(H, OW_F16, panel + PANEL_HALF, count);
  set_row(E, OW_F16, p->deltas + at, count);
  set_row(Z, half_type(), p->outputs + at, count);
  return rows;
}

// MAX: the largest output of each sample.
static void find_maxima(const struct ow_loss* p) {
  set_row(H, OW_I16, row_addr(p, ROW_HALF), samples);
  ow_mov_s(OW_I16, ctl(H, OW_NONE, OW_NONE), half == OW_BF16 ? 0xFF80u : 0xFC00u);  // -infinity
  if (p->owned > 0) {
    ow_dsr_mem2(H, half_type(), row_addr(p, ROW_HALF), samples, 2, p->owned, 0);
    set_row(Z, half_type(), p->outputs, samples * p->owned);
    OW_HALF_DO(ow_max, ctl(H, H, Z));
  }
  widen(MAX, row_addr(p, ROW_HALF));
  join_column(row_addr(p, ROW_MAX), MAX, row_addr(p, ROW_Q), Q, samples, 0);
}

// The powers, and their sums in the accumulator cache.
static void find_powers(const struct ow_loss* p) {
  set_row(SUMS, OW_F32, OW_ACC_ADDR(0), samples);
  ow_mov_s(OW_F32, ctl(SUMS, OW_NONE, OW_NONE), 0u);
  for (uint32_t done = 0, rows; done < p->owned; done += rows) {
    rows = set_panel(p, done);
    OW_HALF_DO(ow_cvt, ctl(X, Z, OW_NONE));
    set_rows(ROW, row_addr(p, ROW_MAX), rows, 0);
    ow_sub(OW_F32, ctl(X, X, ROW));
    ow_max_s(OW_F32, ctl(X, X, OW_NONE), -17.0f);
    ow_cvt(OW_F32, ctl(H, X, OW_NONE));
    ow_cvt(OW_F16, ctl(D, H, OW_NONE));
    ow_sub(OW_F32, ctl(X, X, D));
    ow_exp(OW_F16, ctl(H, H, OW_NONE));
    ow_cvt(OW_F16, ctl(D, H, OW_NONE));
    ow_fma(OW_F32, ctl(D, D, X));
    ow_cvt(OW_F32, ctl(E, D, OW_NONE));
    set_rows(SUMS, OW_ACC_ADDR(0), rows, 0);
    ow_fma_s(OW_MIXED, ctl(SUMS, E, OW_NONE), 1.0);
  }
  set_row(SUMS, OW_F32, OW_ACC_ADDR(0), samples);
  ow_mov(OW_F32, ctl(SUM, SUMS, OW_NONE));
  join_column(row_addr(p, ROW_SUM), SUM, row_addr(p, ROW_Q), Q, samples, 1);
}

// Calls for each sample whose class this tile owns: 16-bit numbers in the rows of the powers, and
// in the row `row`. `put`: from this row, else into it.
static void move_classes(const struct ow_loss* p, uint32_t row, int put) {
  const uint32_t mine = ow_reg_read(OW_REG_ROW);
  const int32_t* classes = (const int32_t*)p->targets;
  for (uint32_t s = 0; s < samples; ++s) {
    uint16_t* here = (uint16_t*)(row + 2 * s);
    if (classes[s] >= 0 && (uint32_t)classes[s] % grid_rows == mine) {
      uint16_t* there = (uint16_t*)(p->deltas + (uint32_t)classes[s] / grid_rows * pitch() + 2 * s);
      if (put) {
        *there = *here;
      } else {
        *here = *there;
      }
    } else if (!put) {
      *here = 0;
    }
  }
}

// The deltas in X from the powers E; ROW_N: what all have less.
static void scale_powers(const struct ow_loss* p, uint32_t rows) {
  enum { SAME = SUMS };
  ow_cvt(OW_F16, ctl(X, E, OW_NONE));
  set_rows(SAME, row_addr(p, ROW_INVERSE), rows, 0);
  ow_mul(OW_F32, ctl(X, X, SAME));
  if (p->share == 0) return;
  set_rows(SAME, row_addr(p, ROW_N), rows, 0);
  ow_sub(OW_F32, ctl(X, X, SAME));
}

OW_PHASE(vocabulary_cross_entropy, struct ow_loss, p) {
  loss_rows(p);
  find_maxima(p);
  find_powers(p);
  loss_rows(p);
  loss_inverse();
  loss_scales();
  ow_mul(OW_F32, ctl(INVERSE, INVERSE, Q));
  ow_mul_s(OW_F32, ctl(N, Q, OW_NONE), p->share);
  ow_mul_s(OW_F32, ctl(Q, Q, OW_NONE), p->own);
  // The classes' deltas, a row of their own, before their powers are replaced.
  const uint32_t panel = row_addr(p, ROW_E), row = row_addr(p, ROW_HALF);
  move_classes(p, row, 0);
  set_row(X, OW_F32, panel, samples);
  set_row(E, OW_F16, row, samples);
  scale_powers(p, 1);
  ow_sub(OW_F32, ctl(X, X, Q));
  narrow(row, X);
  for (uint32_t done = 0, rows; done < p->owned; done += rows) {
    rows = set_panel(p, done);
    scale_powers(p, rows);
    set_row(Z, half_type(), p->deltas + done * pitch(), rows * samples);
    ow_cvt(OW_F32, ctl(Z, X, OW_NONE));
  }
  move_classes(p, row, 1);
}
