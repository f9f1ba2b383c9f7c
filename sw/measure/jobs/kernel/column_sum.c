// SPDX-License-Identifier: Apache-2.0
// Sum of a vector over the tiles of a column, from the north to the south, one instruction a tile:
// it takes what arrives, adds the tile's own elements and sends the sums on. Each tile rounds to
// the type: s_0 = x_0, s_r = s_(r-1) + x_r.
//
// Operands: x in SRAM; sums on input queue 0, fp32 one by one, 16-bit elements in pairs. Result: on
// output queue 0 alike; in the last row in place of x.
// Memory: x. Cycles: one a wavelet in every tile at once, about 10 a row for the first one, about
// 80 to start.

#include "ow/measure/column_sum.h"
#include "openwafer/tile/tile.h"

enum { TASK_DONE = OW_TASK_LOCAL(1) };
enum { DSR_X, DSR_IN, DSR_OUT };
enum { THREAD = 1 };

__attribute__((section(".noinit"), used)) struct ow_cs_params ow_cs_params;
__attribute__((section(".noinit"), used)) struct ow_cs_times ow_cs_times;

static void task_launch(uint32_t data) {
  (void)data;
  ow_cs_times.start = ow_cycles();
  uint32_t row = ow_reg_read(OW_REG_ROW);
  uint32_t n = ow_cs_params.n;
  enum ow_type type = (enum ow_type)ow_cs_params.type;
  ow_dsr_mem1(DSR_X, type, ow_cs_params.x_addr, n, (int32_t)ow_type_bytes(type));
  ow_dsr_fabric_in(DSR_IN, type, OW_CS_INQ, n);
  ow_dsr_fabric_out(DSR_OUT, type, OW_CS_OUTQ, n, 0);
  uint32_t then = OW_THEN_ACTIVATE(TASK_DONE);
  if (row == 0) {
    uint32_t send = OW_CTL(DSR_OUT, DSR_X, OW_NONE, THREAD) | then;
    if (type == OW_F32) {
      ow_mov(OW_F32, send);
    } else {
      ow_mov(OW_F16, send);  // bits only: bfloat16, too
    }
    return;
  }
  uint32_t dst = row + 1 < ow_cs_params.rows ? DSR_OUT : DSR_X;
  uint32_t add = OW_CTL(dst, DSR_IN, DSR_X, THREAD) | then;
  switch (type) {
    case OW_F32:
      ow_add(OW_F32, add);
      break;
    case OW_BF16:
      ow_add(OW_BF16, add);
      break;
    default:
      ow_add(OW_F16, add);
      break;
  }
}

static void task_done(uint32_t data) {
  (void)data;
  ow_cs_times.done = ow_cycles();
}

void ow_main(void);
void ow_main(void) {
  ow_task_register(OW_CS_TASK_LAUNCH, task_launch);
  ow_task_register(TASK_DONE, task_done);
}
