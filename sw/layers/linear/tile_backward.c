// SPDX-License-Identifier: Apache-2.0
// The gradients of a matrix and of a bias (docs/numerics.md, N15), which leave at the west edge. No
// position is kept. Cycles: samples / lanes for a position, at least 4.
#include "job.h"

void send_results(uint32_t addr, uint32_t words) {
  set_row(DSR_A, OW_F32, addr, words);
  ow_dsr_fabric_out(DSR_OUT, OW_F32, result.out, words, 0);
  if (result.in == OW_NO_QUEUE) {  // the last column
    ow_mov(OW_F32, OW_CTL(DSR_OUT, DSR_A, OW_NONE, THREAD_DRAIN));
    return;
  }
  ow_dsr_fabric_in(DSR_IN, OW_F32, result.in, words);
  ow_add(OW_F32, OW_CTL(DSR_OUT, DSR_A, DSR_IN, THREAD_DRAIN));
}

void bias_gradients(uint32_t deltas, uint32_t rows, uint32_t work, uint32_t room) {
  enum { BIAS = DSR_KERNEL, SUMS };
  while (rows > 0) {
    const uint32_t now = rows < room ? rows : room;
    ow_dsr_mem2(BIAS, half_type(), deltas, samples, 2, now, (int32_t)pitch());
    set_row(SUMS, OW_F32, work, now);
    OW_HALF_DO(ow_sum, OW_CTL(SUMS, BIAS, OW_NONE, THREAD_DRAIN));
    send_results(work, now);
    deltas += now * pitch();
    rows -= now;
  }
}

// Descriptors in use cannot be written.
OW_PHASE(settle, struct ow_settle, p) {
  (void)p;
  ow_dsrw(DSR_A, OW_DSR_DIM3, 0);
}

OW_PHASE(biases, struct ow_biases, p) { bias_gradients(p->deltas, p->rows, p->work, p->room); }

// The products are rows for the reducer, which adds what comes from the east and sends the sums to
// the west.
static void set_reducer(void) {
  uint32_t action = OW_RED_ENABLE | OW_RED_OUT(result.out);
  if (result.in != OW_NO_QUEUE) action |= OW_RED_IN0(result.in);
  ow_reg_write(OW_REG_RED_ACC, OW_RED_ACC_SAMPLES(lanes) | OW_RED_ACC_RING(OW_ACC_LINES));
  ow_reg_write(OW_REG_RED_PHASE, OW_RED_PHASE_PERIOD(1) | OW_RED_PHASE_PIVOT(1));
  ow_reg_write(OW_REG_RED_START, 0);
  ow_reg_write(OW_REG_RED_ACT_LT, action);
  ow_reg_write(OW_REG_RED_ACT_EQ, 0);
  ow_reg_write(OW_REG_RED_ACT_GT, 0);
}

OW_PHASE(gradient, struct ow_gradient, p) {
  static OW_NOINIT uint32_t positions;
  if (p->flags & OW_GRADIENT_FIRST) {
    ow_dsr_indexed_t(DSR_ROWS, half_type(), p->x, samples, p->inputs, (int32_t)pitch());
    set_reducer();
  }
  receive_words(OW_ADDR(&positions), weights.in, 1);
  const uint32_t rows = (positions + lanes - 1) / lanes;
  parts_left = 1;
  if (rows > 0) {
    parts_left = 2;
    ow_reg_write(OW_REG_RED_COUNT, OW_RED_COUNT_ROWS(rows));
    ow_drain(OW_CTL(OW_NONE, OW_NONE, OW_NONE, THREAD_DRAIN) |
             OW_THEN_ACTIVATE(OW_TASK_ID(drain_done)));
  }
  ow_dsr_vectors(DSR_INDICES, half_type(), weights.in, p->outputs, (int32_t)pitch());
  if (p->flags & OW_GRADIENT_GATHERED) wait_gathered();
  OW_MIXED_DO(ow_dotw,
              OW_CTL(DSR_RESULT, DSR_ROWS, DSR_INDICES, THREAD_WEIGHTS) |
                  OW_THEN_ACTIVATE(OW_TASK_ID(weights_done)),
              p->deltas);
}
