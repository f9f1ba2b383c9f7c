// SPDX-License-Identifier: Apache-2.0
// Six flows of any kind: each tile sends what it has for a flow and keeps what comes.
#include "openwafer/tile/export.h"

enum { FLOWS = 6, N = 4 };
OW_CLAIM(regions_kernel, 0, 4 * FLOWS, 1, 1 + 2 * FLOWS);
OW_FLOW(f0, f1, f2, f3, f4, f5);
OW_EXPORT(i32, own, FLOWS, N);
OW_EXPORT(i32, got, FLOWS, N);
OW_EXPORT(u32, place, 2);

// Flow k receives with thread k + 1 and sends with thread k + 7, so none waits for another.
static void flow(uint32_t k, const struct ow_flow* f) {
  if (f->in != OW_NO_QUEUE) {
    ow_dsr_fabric_in(4 * k, OW_I32, f->in, N);
    ow_dsr_mem1(4 * k + 1, OW_I32, OW_ADDR(got[k]), N, 4);
    ow_mov(OW_I32, OW_CTL(4 * k + 1, 4 * k, OW_NONE, k + 1));
  }
  if (f->out != OW_NO_QUEUE) {
    ow_dsr_mem1(4 * k + 2, OW_I32, OW_ADDR(own[k]), N, 4);
    ow_dsr_fabric_out(4 * k + 3, OW_I32, f->out, N, 0);
    ow_mov(OW_I32, OW_CTL(4 * k + 3, 4 * k + 2, OW_NONE, k + 7));
  }
}

OW_LAUNCH(exchange) {
  place[0] = ow_reg_read(OW_REG_ROW);
  place[1] = ow_reg_read(OW_REG_COL);
  flow(0, &f0);
  flow(1, &f1);
  flow(2, &f2);
  flow(3, &f3);
  flow(4, &f4);
  flow(5, &f5);
}
