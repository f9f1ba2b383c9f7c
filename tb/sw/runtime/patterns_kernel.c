// SPDX-License-Identifier: Apache-2.0
// Broadcasts of tiles, and parts of a stream from an edge.
#include "openwafer/tile/export.h"

enum { N = 4 };
OW_DSR(A, B);
OW_EXPORT(u32, all_in);
OW_EXPORT(u32, all_out);
OW_EXPORT(u32, row_in);
OW_EXPORT(u32, row_out);
OW_EXPORT(u32, column_in);
OW_EXPORT(u32, column_out);
OW_EXPORT(u32, part_in);
OW_EXPORT(i32, own, N);
OW_EXPORT(i32, of_all, N);
OW_EXPORT(i32, of_row, N);
OW_EXPORT(i32, of_column, N);
OW_EXPORT(i32, part, N);

static void take(uint32_t queue, uint32_t address) {
  ow_dsr_fabric_in(A, OW_I32, queue, N);
  ow_dsr_mem1(B, OW_I32, address, N, 4);
  ow_mov(OW_I32, OW_CTL(B, A, OW_NONE, 0));
}
static void exchange(uint32_t in, uint32_t out, uint32_t address) {
  if (out != OW_NO_QUEUE) {
    ow_dsr_mem1(A, OW_I32, OW_ADDR(own), N, 4);
    ow_dsr_fabric_out(B, OW_I32, out, N, 0);
    ow_mov(OW_I32, OW_CTL(B, A, OW_NONE, 0));
  } else {
    take(in, address);
  }
}

OW_LAUNCH(broadcasts) {
  exchange(all_in, all_out, OW_ADDR(of_all));
  exchange(row_in, row_out, OW_ADDR(of_row));
  exchange(column_in, column_out, OW_ADDR(of_column));
}
OW_LAUNCH(parts) { take(part_in, OW_ADDR(part)); }
