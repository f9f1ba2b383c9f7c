// SPDX-License-Identifier: Apache-2.0
// Waits for more words than arrive.
#include "openwafer/tile/export.h"

enum { N = 16 };
OW_DSR(IN, X);
OW_FLOW(x);
static float buffer[N];

OW_LAUNCH(take) {
  ow_dsr_fabric_in(IN, OW_F32, x.in, N);
  ow_dsr_mem1(X, OW_F32, OW_ADDR(buffer), N, 4);
  ow_mov(OW_F32, OW_CTL(X, IN, OW_NONE, 0));
}

OW_LAUNCH(spin) {
  for (;;) __asm__ volatile("");
}
