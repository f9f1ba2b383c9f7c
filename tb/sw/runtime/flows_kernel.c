// SPDX-License-Identifier: Apache-2.0
// Flows of a layout: values come by broadcast, go round by shift, add up along a chain, and are
// gathered at an edge.
#include "openwafer/tile/export.h"

enum { N = 4 };
OW_DSR(A, B, C);
OW_FLOW(v, s, c, g);
OW_EXPORT(i32, neighbour, N);
OW_EXPORT(i32, total, N);
static int32_t own[N];

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
  in(v.in, OW_ADDR(own));
  if (s.out != OW_NO_QUEUE) out(s.out, OW_ADDR(own));
  if (s.in != OW_NO_QUEUE) in(s.in, OW_ADDR(neighbour));
  ow_dsr_mem1(A, OW_I32, OW_ADDR(own), N, 4);
  ow_dsr_mem1(B, OW_I32, OW_ADDR(total), N, 4);
  if (c.in == OW_NO_QUEUE) {
    ow_mov(OW_I32, OW_CTL(B, A, OW_NONE, 0));
  } else {
    ow_dsr_fabric_in(C, OW_I32, c.in, N);
    ow_add(OW_I32, OW_CTL(B, A, C, 0));
  }
  if (c.out != OW_NO_QUEUE) out(c.out, OW_ADDR(total));
  out(g.out, OW_ADDR(total));
  ow_push_control(g.out, g.end);
}
