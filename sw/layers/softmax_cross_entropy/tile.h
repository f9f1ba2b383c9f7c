// SPDX-License-Identifier: Apache-2.0
// Softmax cross-entropy: a part of train_loss.c. The maximum and the sum over the outputs go around
// the column twice: once to be joined, once as results. Memory: one more row of fp32 per owned
// output, after the others. Cycles: about 20 fp32 instructions of `samples` elements per output, 2
// elements per cycle.
#ifndef OW_LAYERS_SOFTMAX_CROSS_ENTROPY_TILE_H_
#define OW_LAYERS_SOFTMAX_CROSS_ENTROPY_TILE_H_

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

// 1 / SUM to INVERSE.
static void reciprocal(void) {
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

// Joins a row of all tiles of the column, from the first grid row to the last. All tiles get the
// result.
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
  ow_mov_s(OW_F32, ctl(MAX, OW_NONE, OW_NONE), 0xFF800000u);  // -infinity
  for (uint32_t l = 0; l < owned; ++l) {
    widen(X, out->addr + l * pitch);
    ow_max(OW_F32, ctl(MAX, MAX, X));
  }
  join(ROW_MAX, MAX, 0);
  ow_mov_s(OW_F32, ctl(SUM, OW_NONE, OW_NONE), 0u);
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
    ow_cmpeq_s(OW_I32, ctl(N_INT, CLASS, OW_NONE), l * ow_train_params.grid_rows + row);
    ow_cvt(OW_I32, ctl(P, N_INT, OW_NONE));
    ow_sub(OW_F32, ctl(X, X, P));
    ow_mul_s(OW_F32, ctl(X, X, OW_NONE), ow_train_run.scale);
    narrow(deltas + l * pitch, X);
  }
}

#endif  // OW_LAYERS_SOFTMAX_CROSS_ENTROPY_TILE_H_
