// SPDX-License-Identifier: Apache-2.0
// Broadcasts of tiles, and parts of a stream from an edge.
#include "openwafer/tile/export.h"

enum { N = 4 };
OW_DSR(A, B);
OW_FLOW(all, row, column, part);
OW_EXPORT(i32, own, N);
OW_EXPORT(i32, of_all, N);
OW_EXPORT(i32, of_row, N);
OW_EXPORT(i32, of_column, N);
OW_EXPORT(i32, mine, N);

static void take(uint32_t queue, uint32_t address) {
  ow_dsr_fabric_in(A, OW_I32, queue, N);
  ow_dsr_mem1(B, OW_I32, address, N, 4);
  ow_mov(OW_I32, OW_CTL(B, A, OW_NONE, 0));
}
static void exchange(const struct ow_flow* flow, uint32_t address) {
  if (flow->out != OW_NO_QUEUE) {
    ow_dsr_mem1(A, OW_I32, OW_ADDR(own), N, 4);
    ow_dsr_fabric_out(B, OW_I32, flow->out, N, 0);
    ow_mov(OW_I32, OW_CTL(B, A, OW_NONE, 0));
  } else {
    take(flow->in, address);
  }
}

OW_LAUNCH(broadcasts) {
  exchange(&all, OW_ADDR(of_all));
  exchange(&row, OW_ADDR(of_row));
  exchange(&column, OW_ADDR(of_column));
}
OW_LAUNCH(parts) { take(part.in, OW_ADDR(mine)); }
