// SPDX-License-Identifier: Apache-2.0
// One tile of a layer y = A x in binary32: a part of x arrives, the tile multiplies it by its block
// of A, and sums go from west to east. The last tile of a row sends its part of y on.
#include "openwafer/tile/export.h"
#include "openwafer/tile/kernels.h"

enum { M = 16 };
OW_EXPORT(f32, A, M, M);
OW_FLOW(x, sum);
OW_DSR(X, X_IN, Y, SUM_IN, OUT);
static float part[M], y[M];

OW_LAUNCH(layer) {
  ow_dsr_fabric_in(X_IN, OW_F32, x.in, M);
  ow_dsr_mem1(X, OW_F32, OW_ADDR(part), M, 4);
  ow_mov(OW_F32, OW_CTL(X, X_IN, OW_NONE, 0));  // waits until x is here
  ow_gemv_f32(M, M, OW_ADDR(A), M, OW_ADDR(part), OW_ADDR(y));

  ow_dsr_mem1(Y, OW_F32, OW_ADDR(y), M, 4);
  ow_dsr_fabric_out(OUT, OW_F32, sum.out != OW_NO_QUEUE ? sum.out : x.out, M, 0);
  if (sum.in == OW_NO_QUEUE) {
    ow_mov(OW_F32, OW_CTL(OUT, Y, OW_NONE, 0));
  } else {
    ow_dsr_fabric_in(SUM_IN, OW_F32, sum.in, M);
    ow_add(OW_F32, OW_CTL(OUT, SUM_IN, Y, 0));
  }
}
