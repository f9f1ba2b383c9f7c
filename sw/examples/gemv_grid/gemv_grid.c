// SPDX-License-Identifier: Apache-2.0
// One tile of y = A x in binary32: a block of A, a part of x from the north, partial sums from west
// to east.
#include "openwafer/tile/export.h"
#include "openwafer/tile/kernels.h"

enum { M = 16, N = 24 };
OW_EXPORT(f32, A, M, N);
OW_FLOW(x, sum);
OW_DSR(PART, X_IN, Y, SUM_IN, SUM_OUT);
static float part[N], y[M];

OW_LAUNCH(compute) {
  ow_dsr_fabric_in(X_IN, OW_F32, x.in, N);
  ow_dsr_mem1(PART, OW_F32, OW_ADDR(part), N, 4);
  ow_mov(OW_F32, OW_CTL(PART, X_IN, OW_NONE, 0));  // waits until x is here
  ow_gemv_f32(M, N, OW_ADDR(A), N, OW_ADDR(part), OW_ADDR(y));

  ow_dsr_mem1(Y, OW_F32, OW_ADDR(y), M, 4);
  ow_dsr_fabric_out(SUM_OUT, OW_F32, sum.out, M, 0);
  if (sum.in == OW_NO_QUEUE) {
    ow_mov(OW_F32, OW_CTL(SUM_OUT, Y, OW_NONE, 0));
  } else {
    ow_dsr_fabric_in(SUM_IN, OW_F32, sum.in, M);
    ow_add(OW_F32, OW_CTL(SUM_OUT, SUM_IN, Y, 0));
  }
}
