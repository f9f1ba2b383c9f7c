// SPDX-License-Identifier: Apache-2.0
// Dot products that indices trigger, summed along a row of tiles from the east to the west: each
// tile multiplies the row of its matrix that an index names with the vector that row ends select;
// its reducer adds what comes from the east, s_c = x_c + s_(c+1), each sum rounded to binary32.
//
// Operands: matrix and vectors in SRAM, indices on input queue 0, sums on input queue 1. Result: on
// output queue 0; in the first tile in SRAM.
// Memory: matrix, vectors, 4 bytes a result in the first tile. Cycles: samples / lanes a result, at
// least 4; about 150 to start and, for each tile, some 10 until the last sum is through.

#include "ow/measure/dot_rows.h"
#include "openwafer/tile/tile.h"

enum { TASK_PART_DONE = OW_TASK_LOCAL(1) };
enum { DSR_MATRIX, DSR_INDICES, DSR_RESULT };
enum { THREAD_DOTS = 1, THREAD_DRAIN = 2 };

__attribute__((section(".noinit"), used)) struct ow_dr_params ow_dr_params;
__attribute__((section(".noinit"), used)) struct ow_dr_times ow_dr_times;

static uint32_t parts_left;

static void task_launch(uint32_t data) {
  (void)data;
  ow_dr_times.start = ow_cycles();
  uint32_t col = ow_reg_read(OW_REG_COL);
  uint32_t lanes = ow_dr_params.lanes;
  uint32_t samples = ow_dr_params.samples;
  uint32_t pitch = samples * 2;
  uint32_t action = OW_RED_ENABLE;
  action |= col > 0 ? OW_RED_OUT(OW_DR_OUTQ_WEST) : OW_RED_TO_MEMORY;
  if (col + 1 < ow_dr_params.cols) action |= OW_RED_IN0(OW_DR_INQ_EAST);
  parts_left = 2;
  ow_reg_write(OW_REG_RED_ACC, OW_RED_ACC_SAMPLES(lanes) | OW_RED_ACC_RING(OW_ACC_LINES));
  ow_reg_write(OW_REG_RED_COUNT, OW_RED_COUNT_ROWS((ow_dr_params.results + lanes - 1) / lanes));
  ow_reg_write(OW_REG_RED_PHASE, OW_RED_PHASE_PERIOD(1) | OW_RED_PHASE_PIVOT(1));
  ow_reg_write(OW_REG_RED_START, 0);
  ow_reg_write(OW_REG_RED_ACT_LT, action);
  ow_reg_write(OW_REG_RED_ACT_EQ, 0);
  ow_reg_write(OW_REG_RED_ACT_GT, 0);
  ow_reg_write(OW_REG_RED_DST, ow_dr_params.sum_addr);
  ow_reg_write(OW_REG_RED_PITCH, OW_RED_PITCH_PITCH(lanes * 4));
  ow_dsr_indexed(DSR_MATRIX, ow_dr_params.x_addr, samples, ow_dr_params.indices, (int32_t)pitch);
  ow_dsr_vectors(DSR_INDICES, OW_F16, OW_DR_INQ_INDICES, ow_dr_params.vectors, (int32_t)pitch);
  ow_dsr_mem2(DSR_RESULT, OW_F32, OW_ACC_ADDR(0), lanes, 4, OW_ACC_LINES, (int32_t)lanes * 4);
  ow_drain(OW_CTL(OW_NONE, OW_NONE, OW_NONE, THREAD_DRAIN) | OW_THEN_ACTIVATE(TASK_PART_DONE));
  ow_dotw(
      OW_MIXED,
      OW_CTL(DSR_RESULT, DSR_MATRIX, DSR_INDICES, THREAD_DOTS) | OW_THEN_ACTIVATE(TASK_PART_DONE),
      ow_dr_params.v_addr);
}

static void task_part_done(uint32_t data) {
  (void)data;
  if (--parts_left == 0) ow_dr_times.done = ow_cycles();
}

void ow_main(void);
void ow_main(void) {
  ow_task_register(OW_DR_TASK_LAUNCH, task_launch);
  ow_task_register(TASK_PART_DONE, task_part_done);
}
