// SPDX-License-Identifier: Apache-2.0
// The deltas of softmax cross-entropy (N13, N65, N128). The maximum and the sum over the outputs go
// round the column twice: once to be joined, once as results. Memory: one more row of fp32 per
// owned output, after the others. Cycles: about 20 fp32 instructions of `samples` elements per
// output, 2 elements per cycle.
#include "loss.h"

enum { E = LOSS_DSRS };  // of a row

// e^X to E.
static void exponential(void) {
  static const float kInverseFactorial[] = {1.0f,      1.0f,       1.0f / 2,  1.0f / 6,
                                            1.0f / 24, 1.0f / 120, 1.0f / 720};
  ow_max_s(OW_F32, ctl(X, X, OW_NONE), -87.0f);
  ow_min_s(OW_F32, ctl(X, X, OW_NONE), 88.0f);
  ow_mul_s(OW_F32, ctl(P, X, OW_NONE), 0x1.715476p+0f);  // log2 e
  ow_cvt(OW_F32, ctl(N_INT, P, OW_NONE));
  ow_cvt(OW_I32, ctl(P, N_INT, OW_NONE));
  ow_fma_s(OW_F32, ctl(X, P, OW_NONE), -0x1.62e4p-1f);  // ln 2 in two parts
  ow_fma_s(OW_F32, ctl(X, P, OW_NONE), -0x1.7f7d1cp-20f);
  uint32_t p = P, next = Q;
  ow_mov_s(OW_F32, ctl(p, OW_NONE, OW_NONE), kInverseFactorial[6]);
  ow_fma_s(OW_F32, ctl(p, X, OW_NONE), 1.0f / 5040);
  for (int k = 5; k >= 0; --k) {
    ow_mov_s(OW_F32, ctl(next, OW_NONE, OW_NONE), kInverseFactorial[k]);
    ow_fma(OW_F32, ctl(next, p, X));
    uint32_t swap = p;
    p = next;
    next = swap;
  }
  // After an even number of exchanges the polynomial is in P.
  ow_sll_s(OW_I32, ctl(N_INT, N_INT, OW_NONE), 23);
  ow_add(OW_I32, ctl(E, P_INT, N_INT));
}

OW_PHASE(softmax_cross_entropy, struct ow_loss, p) {
  const uint32_t row = ow_reg_read(OW_REG_ROW);
  loss_rows(p);
  ow_mov_s(OW_F32, ctl(MAX, OW_NONE, OW_NONE), 0xFF800000u);  // -infinity
  for (uint32_t l = 0; l < p->owned; ++l) {
    widen(X, p->outputs + l * pitch());
    ow_max(OW_F32, ctl(MAX, MAX, X));
  }
  join_column(row_addr(p, ROW_MAX), MAX, row_addr(p, ROW_Q), Q, samples, 0);
  ow_mov_s(OW_F32, ctl(SUM, OW_NONE, OW_NONE), 0u);
  for (uint32_t l = 0; l < p->owned; ++l) {
    widen(X, p->outputs + l * pitch());
    ow_sub(OW_F32, ctl(X, X, MAX));
    set_row(E, OW_I32, row_addr(p, ROW_E + l), samples);
    exponential();
    set_row(E, OW_F32, row_addr(p, ROW_E + l), samples);
    ow_add(OW_F32, ctl(SUM, SUM, E));
  }
  join_column(row_addr(p, ROW_SUM), SUM, row_addr(p, ROW_Q), Q, samples, 1);
  loss_inverse();
  loss_scales();
  for (uint32_t l = 0; l < p->owned; ++l) {
    set_row(E, OW_F32, row_addr(p, ROW_E + l), samples);
    ow_mul(OW_F32, ctl(X, E, INVERSE));
    ow_cmpeq_s(OW_I32, ctl(N_INT, CLASS, OW_NONE), l * grid_rows + row);
    ow_cvt(OW_I32, ctl(P, N_INT, OW_NONE));
    ow_sub(OW_F32, ctl(X, X, P));
    ow_mul(OW_F32, ctl(X, X, Q));
    narrow(p->deltas + l * pitch(), X);
  }
}
