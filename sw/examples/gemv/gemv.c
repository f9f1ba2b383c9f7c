// SPDX-License-Identifier: Apache-2.0
// y = A x in binary16 on one tile.
#include "openwafer/tile/export.h"
#include "openwafer/tile/kernels.h"

enum { M = 64, N = 96 };
OW_EXPORT(f16, A, M, N);
OW_EXPORT(f16, x, N);
OW_EXPORT(f16, y, M);

OW_LAUNCH(compute) { ow_gemv_f16(M, N, OW_ADDR(A), N, OW_ADDR(x), OW_ADDR(y)); }
