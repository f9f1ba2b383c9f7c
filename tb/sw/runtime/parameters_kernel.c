// SPDX-License-Identifier: Apache-2.0
// What ow_main makes of the program's parameters: the listing of docs/programming.md.
#include "openwafer/tile/export.h"
#include "openwafer/tile/tile.h"

enum { MAX = 16 };
OW_DSR(X, W);
OW_EXPORT(u32, length);  // parameters
OW_EXPORT(f32, weights, MAX);
OW_EXPORT(f32, x, MAX);

void ow_main(void);
void ow_main(void) {  // they are there
  ow_dsr_mem1(X, OW_F32, OW_ADDR(x), length, 4);
  ow_dsr_mem1(W, OW_F32, OW_ADDR(weights), length, 4);
}

OW_LAUNCH(scale) { ow_mul(OW_F32, OW_CTL(X, X, W, 0)); }
