// SPDX-License-Identifier: Apache-2.0
// Six flows of any kind: each tile sends what it has for a flow and keeps what comes.
#include "openwafer/tile/export.h"

enum { FLOWS = 6, N = 4 };
OW_CLAIM(regions_kernel, 0, 4 * FLOWS, 1, 1 + 2 * FLOWS);
OW_EXPORT(u32, f0_in);
OW_EXPORT(u32, f0_out);
OW_EXPORT(u32, f1_in);
OW_EXPORT(u32, f1_out);
OW_EXPORT(u32, f2_in);
OW_EXPORT(u32, f2_out);
OW_EXPORT(u32, f3_in);
OW_EXPORT(u32, f3_out);
OW_EXPORT(u32, f4_in);
OW_EXPORT(u32, f4_out);
OW_EXPORT(u32, f5_in);
OW_EXPORT(u32, f5_out);
OW_EXPORT(i32, own, FLOWS, N);
OW_EXPORT(i32, got, FLOWS, N);
OW_EXPORT(u32, place, 2);

// Flow k receives with thread k + 1 and sends with thread k + 7, so none waits for another.
static void flow(uint32_t k, uint32_t in, uint32_t out) {
  if (in != OW_NO_QUEUE) {
    ow_dsr_fabric_in(4 * k, OW_I32, in, N);
    ow_dsr_mem1(4 * k + 1, OW_I32, OW_ADDR(got[k]), N, 4);
    ow_mov(OW_I32, OW_CTL(4 * k + 1, 4 * k, OW_NONE, k + 1));
  }
  if (out != OW_NO_QUEUE) {
    ow_dsr_mem1(4 * k + 2, OW_I32, OW_ADDR(own[k]), N, 4);
    ow_dsr_fabric_out(4 * k + 3, OW_I32, out, N, 0);
    ow_mov(OW_I32, OW_CTL(4 * k + 3, 4 * k + 2, OW_NONE, k + 7));
  }
}

OW_LAUNCH(exchange) {
  place[0] = ow_reg_read(OW_REG_ROW);
  place[1] = ow_reg_read(OW_REG_COL);
  flow(0, f0_in, f0_out);
  flow(1, f1_in, f1_out);
  flow(2, f2_in, f2_out);
  flow(3, f3_in, f3_out);
  flow(4, f4_in, f4_out);
  flow(5, f5_in, f5_out);
}
