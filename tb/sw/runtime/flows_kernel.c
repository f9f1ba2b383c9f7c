// SPDX-License-Identifier: Apache-2.0
// Flows of a layout: values come by broadcast, go round by shift, add up along a chain, and are
// gathered at an edge.
#include "openwafer/tile/export.h"

enum { N = 4 };
OW_DSR(A, B, C);
OW_EXPORT(u32, v_in);
OW_EXPORT(u32, s_in);
OW_EXPORT(u32, s_out);
OW_EXPORT(u32, c_in);
OW_EXPORT(u32, c_out);
OW_EXPORT(u32, g_out);
OW_EXPORT(u32, g_end);
OW_EXPORT(i32, v, N);
OW_EXPORT(i32, neighbour, N);
OW_EXPORT(i32, total, N);

static void out(uint32_t queue, uint32_t address) {
  ow_dsr_mem1(A, OW_I32, address, N, 4);
  ow_dsr_fabric_out(B, OW_I32, queue, N, 0);
  ow_mov(OW_I32, OW_CTL(B, A, OW_NONE, 0));
}
static void in(uint32_t queue, uint32_t address) {
  ow_dsr_fabric_in(A, OW_I32, queue, N);
  ow_dsr_mem1(B, OW_I32, address, N, 4);
  ow_mov(OW_I32, OW_CTL(B, A, OW_NONE, 0));
}

OW_LAUNCH(flow) {
  in(v_in, OW_ADDR(v));
  if (s_out != OW_NO_QUEUE) out(s_out, OW_ADDR(v));
  if (s_in != OW_NO_QUEUE) in(s_in, OW_ADDR(neighbour));
  ow_dsr_mem1(A, OW_I32, OW_ADDR(v), N, 4);
  ow_dsr_mem1(B, OW_I32, OW_ADDR(total), N, 4);
  if (c_in == OW_NO_QUEUE) {
    ow_mov(OW_I32, OW_CTL(B, A, OW_NONE, 0));
  } else {
    ow_dsr_fabric_in(C, OW_I32, c_in, N);
    ow_add(OW_I32, OW_CTL(B, A, C, 0));
  }
  if (c_out != OW_NO_QUEUE) out(c_out, OW_ADDR(total));
  out(g_out, OW_ADDR(total));
  ow_push_control(g_out, g_end);
}
