// SPDX-License-Identifier: Apache-2.0
// What fits a tile of `mini`: x comes from the north, sums go from the west to the east.
#include "openwafer/tile/export.h"

enum { N = 8 };
OW_DSR(X, IN, OUT);
OW_FLOW(x, sum);
static uint16_t part[N];

OW_LAUNCH(add) {
  ow_dsr_fabric_in(IN, OW_F16, x.in, N);
  ow_dsr_mem1(X, OW_F16, OW_ADDR(part), N, 2);
  ow_mov(OW_F16, OW_CTL(X, IN, OW_NONE, 0));
  ow_dsr_fabric_out(OUT, OW_F16, sum.out, N, 0);
  if (sum.in == OW_NO_QUEUE) {
    ow_mov(OW_F16, OW_CTL(OUT, X, OW_NONE, 0));
  } else {
    ow_dsr_fabric_in(IN, OW_F16, sum.in, N);
    ow_add(OW_F16, OW_CTL(OUT, IN, X, 0));
  }
}

// It never ends.
OW_LAUNCH(spin) {
  for (volatile uint16_t* x = part;;) x[0] = (uint16_t)(3 * x[0] + 1);
}

// An element that has been asked for is given up.
OW_LAUNCH(beyond) {
  ow_dsr_mem1(X, OW_F16, OW_ADDR(part), N, 2);
  ow_dsr_mem1(OUT, OW_F16, 0x100000, N, 2);
  ow_add(OW_F16, OW_CTL(OUT, X, X, 0));
}
