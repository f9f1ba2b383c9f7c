// SPDX-License-Identifier: Apache-2.0
// y = f(W x + b) in a tile, with weights that arrive as wavelets, and none is kept. The deltas of x
// are the same with the transposed weights. docs/numerics.md defines every bit (N12 to N14).
//
// Cycles: samples / lanes for a weight and 1 for an output in the engine, 1 for a sample and output
// in the reducer; the larger counts. About 20 more where the owner of the outputs changes from one
// grid row to the next.
#include "job.h"

// The weights go into the accumulator cache. The reducer takes its rows: sums of outputs of other
// grid rows go on round the column, from the row below the owner to the owner; the tile's own end
// in memory. So a row begins the sums of the row above it (sends, adds nothing); then come its own,
// then all others (it adds what arrives, and sends).
OW_PHASE(pass, struct ow_pass, p) {
  const uint32_t flags = p->flags;
  if (p->outputs == 0) {  // it would wait for words still being sent
    if (flags & OW_PASS_GATHERED) wait_sent();
    return;
  }
  uint32_t send = OW_RED_ENABLE, add = send;
  if (!(flags & OW_PASS_ALONE)) {
    send |= OW_RED_OUT(sums.out);
    add = send | OW_RED_IN0(sums.in);
  }
  uint32_t store = (add & ~OW_RED_OUT(7)) | OW_RED_TO_MEMORY;
  store |= half == OW_BF16 ? OW_RED_ROUND_BF16 : OW_RED_ROUND_F16;
  if (flags & OW_PASS_BIAS) store |= OW_RED_ADD_BIAS;
  if (flags & OW_PASS_RELU) store |= OW_RED_RELU;
  ow_reg_write(OW_REG_RED_ACC, OW_RED_ACC_SAMPLES(samples) | OW_RED_ACC_RING(ring));
  ow_reg_write(OW_REG_RED_COUNT, OW_RED_COUNT_ROWS(p->outputs));
  ow_reg_write(OW_REG_RED_PHASE, p->phase);
  ow_reg_write(OW_REG_RED_START, p->start);
  ow_reg_write(OW_REG_RED_ACT_LT, send);
  ow_reg_write(OW_REG_RED_ACT_EQ, flags & OW_PASS_OWNS ? store : add);
  ow_reg_write(OW_REG_RED_ACT_GT, add);
  ow_reg_write(OW_REG_RED_BIAS, p->bias);
  ow_reg_write(OW_REG_RED_DST, p->y);
  ow_reg_write(OW_REG_RED_PITCH, OW_RED_PITCH_PITCH(pitch()));
  ow_dsr_indexed_t(DSR_X, half_type(), p->x, samples, p->indices, (int32_t)pitch());
  if (flags & OW_PASS_GATHERED) wait_gathered();
  parts_left = 2;
  ow_drain(OW_CTL(OW_NONE, OW_NONE, OW_NONE, THREAD_DRAIN) |
           OW_THEN_ACTIVATE(OW_TASK_ID(drain_done)));
  OW_MIXED_DO(ow_axpyw_t, OW_CTL(DSR_ACC, DSR_X, DSR_WEIGHTS, THREAD_WEIGHTS) |
                              OW_THEN_ACTIVATE(OW_TASK_ID(weights_done)));
}
