// SPDX-License-Identifier: Apache-2.0
// The loss of a training, on the tiles that own the last layer's outputs: its derivative by each
// output, step by step as docs/numerics.md has it (N10, N13).
//
// Operands: the last tensor's activations, the targets. Results: its deltas. The maximum and the
// sum over the outputs go round the column twice, once joined and once as they came out.
// Memory: OW_TR_LOSS_ROWS rows of fp32 in the work area, and for the softmax one an owned output.
// Cycles: about 20 fp32 instructions of `samples` elements an output, with 2 elements a cycle.

#include "train.h"

// Rows of the work area; E is the first of one an output.
enum { ROW_X, ROW_N, ROW_P, ROW_Q, ROW_MAX, ROW_SUM, ROW_INVERSE, ROW_HALF, ROW_E };
// loss_deltas asks for softmax alone: there is no third one to be taken for squares.
_Static_assert(OW_TR_LOSSES == 2, "a loss that loss_deltas does not know");
_Static_assert(ROW_E == OW_TR_LOSS_ROWS, "the host makes room for all rows");

// A descriptor for each row, and an integer one of those that are read as integers, too.
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

// A constant where it stands: smaller than a call.
static inline __attribute__((always_inline)) uint32_t ctl(uint32_t dst, uint32_t a, uint32_t b) {
  return OW_CTL(dst, a, b, 0);
}

// dst in fp32 from 16 bits at addr.
static void widen(uint32_t dst, uint32_t addr) {
  if (ow_train_params.bf16) {
    set_row(Z, OW_BF16, addr);
    ow_cvt(OW_BF16, ctl(dst, Z, DSR_NONE));
  } else {
    set_row(Z, OW_F16, addr);
    ow_cvt(OW_F16, ctl(dst, Z, DSR_NONE));
  }
}

// The delta at addr from fp32, rounded once.
static void narrow(uint32_t addr, uint32_t from) {
  set_row(Z, ow_train_params.bf16 ? OW_BF16 : OW_F16, addr);
  ow_cvt(OW_F32, ctl(Z, from, DSR_NONE));
}

// e^X to E.
static void exponential(void) {
  static const float kInverseFactorial[] = {1.0f,      1.0f,       1.0f / 2,  1.0f / 6,
                                            1.0f / 24, 1.0f / 120, 1.0f / 720};
  ow_max_s(OW_F32, ctl(X, X, DSR_NONE), -87.0f);
  ow_min_s(OW_F32, ctl(X, X, DSR_NONE), 88.0f);
  ow_mul_s(OW_F32, ctl(P, X, DSR_NONE), 0x1.715476p+0f);  // log2 e
  ow_cvt(OW_F32, ctl(N_INT, P, DSR_NONE));
  ow_cvt(OW_I32, ctl(P, N_INT, DSR_NONE));
  ow_fma_s(OW_F32, ctl(X, P, DSR_NONE), -0x1.62e4p-1f);  // ln 2 in two parts
  ow_fma_s(OW_F32, ctl(X, P, DSR_NONE), -0x1.7f7d1cp-20f);
  uint32_t p = P, next = Q;
  ow_mov_s(OW_F32, ctl(p, DSR_NONE, DSR_NONE), kInverseFactorial[6]);
  ow_fma_s(OW_F32, ctl(p, X, DSR_NONE), 1.0f / 5040);
  for (int k = 5; k >= 0; --k) {
    ow_mov_s(OW_F32, ctl(next, DSR_NONE, DSR_NONE), kInverseFactorial[k]);
    ow_fma(OW_F32, ctl(next, p, X));
    uint32_t swap = p;
    p = next;
    next = swap;
  }
  // An even number of exchanges: the polynomial is in P.
  ow_sll_s(OW_I32, ctl(N_INT, N_INT, DSR_NONE), 23);
  ow_add(OW_I32, ctl(E, P_INT, N_INT));
}

// 1 / SUM to INVERSE.
static void reciprocal(void) {
  ow_cvt(OW_F32, ctl(HALF, SUM, DSR_NONE));
  ow_rcp(OW_BF16, ctl(HALF, HALF, DSR_NONE));
  ow_cvt(OW_BF16, ctl(INVERSE, HALF, DSR_NONE));
  ow_mul_s(OW_F32, ctl(N, SUM, DSR_NONE), -1.0f);
  for (int step = 0; step < 2; ++step) {
    ow_mov_s(OW_F32, ctl(Q, DSR_NONE, DSR_NONE), 1.0f);
    ow_fma(OW_F32, ctl(Q, N, INVERSE));
    ow_mov(OW_F32, ctl(P, INVERSE, DSR_NONE));
    ow_fma(OW_F32, ctl(INVERSE, P, Q));
  }
}

// Joins a row of all tiles of the column, from the first grid row to the last; all of them get it.
static void join(uint32_t row, uint32_t dsr, int sum) {
  uint32_t rows = ow_train_params.grid_rows;
  uint32_t mine = ow_reg_read(OW_REG_ROW);
  uint32_t words = ow_train_params.samples;
  if (rows == 1) return;
  if (mine > 0) {
    ring_receive(row_addr(ROW_Q), words);
    if (sum) {
      ow_add(OW_F32, ctl(dsr, dsr, Q));
    } else {
      ow_max(OW_F32, ctl(dsr, dsr, Q));
    }
  }
  ring_send(row_addr(row), words);
  if (mine + 1 == rows) return;
  ring_receive(row_addr(row), words);
  if (mine + 2 < rows) ring_send(row_addr(row), words);
}

static void softmax(const struct ow_train_tensor* out, uint32_t owned) {
  uint32_t deltas = own_deltas(out);
  uint32_t row = ow_reg_read(OW_REG_ROW);
  uint32_t pitch = ow_train_params.samples * 2;
  ow_mov_s(OW_F32, ctl(MAX, DSR_NONE, DSR_NONE), 0xFF800000u);  // -infinity
  for (uint32_t l = 0; l < owned; ++l) {
    widen(X, out->addr + l * pitch);
    ow_max(OW_F32, ctl(MAX, MAX, X));
  }
  join(ROW_MAX, MAX, 0);
  ow_mov_s(OW_F32, ctl(SUM, DSR_NONE, DSR_NONE), 0u);
  for (uint32_t l = 0; l < owned; ++l) {
    widen(X, out->addr + l * pitch);
    ow_sub(OW_F32, ctl(X, X, MAX));
    set_row(E, OW_I32, row_addr(ROW_E + l));
    exponential();
    set_row(E, OW_F32, row_addr(ROW_E + l));
    ow_add(OW_F32, ctl(SUM, SUM, E));
  }
  join(ROW_SUM, SUM, 1);
  reciprocal();
  for (uint32_t l = 0; l < owned; ++l) {
    set_row(E, OW_F32, row_addr(ROW_E + l));
    ow_mul(OW_F32, ctl(X, E, INVERSE));
    ow_cmpeq_s(OW_I32, ctl(N_INT, CLASS, DSR_NONE), l * ow_train_params.grid_rows + row);
    ow_cvt(OW_I32, ctl(P, N_INT, DSR_NONE));
    ow_sub(OW_F32, ctl(X, X, P));
    ow_mul_s(OW_F32, ctl(X, X, DSR_NONE), ow_train_run.scale);
    narrow(deltas + l * pitch, X);
  }
}

static void squares(const struct ow_train_tensor* out, uint32_t owned) {
  uint32_t deltas = own_deltas(out);
  uint32_t pitch = ow_train_params.samples * 2;
  for (uint32_t l = 0; l < owned; ++l) {
    widen(X, out->addr + l * pitch);
    widen(P, ow_train_params.targets_addr + l * pitch);
    ow_sub(OW_F32, ctl(X, X, P));
    ow_mul_s(OW_F32, ctl(X, X, DSR_NONE), ow_train_run.scale);
    narrow(deltas + l * pitch, X);
  }
}

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
