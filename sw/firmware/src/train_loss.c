// SPDX-License-Identifier: Apache-2.0
// The loss of a training, on the tiles that own the last layer's outputs: its derivative by each
// output, step by step as docs/numerics.md defines it (N10, N13).
//
// Operands: the last tensor's activations, and the targets. Results: its deltas. The folder of each
// loss (sw/layers) has its steps; loss_deltas selects one. Memory: OW_TR_LOSS_ROWS rows of fp32 in
// the work area, plus what the loss needs.

#include "train.h"

// Rows of the work area. E is the first of one row per output.
enum { ROW_X, ROW_N, ROW_P, ROW_Q, ROW_MAX, ROW_SUM, ROW_INVERSE, ROW_HALF, ROW_E };
// loss_deltas tests for softmax only, so a third loss would be taken for squares.
_Static_assert(OW_TR_LOSSES == 2, "a loss that loss_deltas does not know");
_Static_assert(ROW_E == OW_TR_LOSS_ROWS, "the host makes room for all rows");

// A descriptor for each row, and an integer one for rows that are also read as integers.
enum {
  X = DSR_PASS,
  N,
  P,
  Q,
  MAX,
  SUM,
  INVERSE,
  HALF,  // bfloat16
  N_INT,
  P_INT,
  CLASS,
  E,
  Z  // an output, its target or its delta
};

static uint32_t row_addr(uint32_t row) {
  return ow_train_params.work_addr + row * ow_train_params.samples * 4;
}

static void set_row(uint32_t dsr, enum ow_type type, uint32_t addr) {
  ow_dsr_mem1(dsr, type, addr, ow_train_params.samples, (int32_t)ow_type_bytes(type));
}

// A constant at the place of use: smaller than a call.
static inline __attribute__((always_inline)) uint32_t ctl(uint32_t dst, uint32_t a, uint32_t b) {
  return OW_CTL(dst, a, b, 0);
}

// dst in fp32 from 16 bits at addr.
static void widen(uint32_t dst, uint32_t addr) {
  if (ow_train_params.bf16) {
    set_row(Z, OW_BF16, addr);
    ow_cvt(OW_BF16, ctl(dst, Z, OW_NONE));
  } else {
    set_row(Z, OW_F16, addr);
    ow_cvt(OW_F16, ctl(dst, Z, OW_NONE));
  }
}

// The delta at addr from fp32, rounded once.
static void narrow(uint32_t addr, uint32_t from) {
  set_row(Z, ow_train_params.bf16 ? OW_BF16 : OW_F16, addr);
  ow_cvt(OW_F32, ctl(Z, from, OW_NONE));
}

#include "softmax_cross_entropy/tile.h"

#include "mean_squared_error/tile.h"

void loss_deltas(void) {
  const struct ow_train_tensor* out = &ow_train_params.tensor[ow_train_params.layers];
  uint32_t owned = pass_owned(out->all.share, out->all.left, ow_reg_read(OW_REG_ROW));
  set_row(X, OW_F32, row_addr(ROW_X));
  set_row(N, OW_F32, row_addr(ROW_N));
  set_row(P, OW_F32, row_addr(ROW_P));
  set_row(Q, OW_F32, row_addr(ROW_Q));
  set_row(MAX, OW_F32, row_addr(ROW_MAX));
  set_row(SUM, OW_F32, row_addr(ROW_SUM));
  set_row(INVERSE, OW_F32, row_addr(ROW_INVERSE));
  set_row(HALF, OW_BF16, row_addr(ROW_HALF));
  set_row(N_INT, OW_I32, row_addr(ROW_N));
  set_row(P_INT, OW_I32, row_addr(ROW_P));
  set_row(CLASS, OW_I32, ow_train_params.targets_addr);
  if (ow_train_params.loss != OW_TR_LOSS_SOFTMAX) {
    squares(out, owned);
  } else {
    softmax(out, owned);
  }
}
