// SPDX-License-Identifier: Apache-2.0
// y = A x with a sparse A that the host packs.
#include "openwafer/tile/export.h"
#include "openwafer/tile/kernels.h"

enum { WORDS = 1024, N = 256 };
// ow_spmv is fastest if both begin at multiples of 64 bytes.
extern uint32_t matrix[WORDS] __attribute__((aligned(64)));
extern uint16_t x[N] __attribute__((aligned(64)));
OW_EXPORT(u32, matrix, WORDS);
OW_EXPORT(f16, x, N);
OW_EXPORT(f16, y, N);

OW_LAUNCH(multiply) { ow_spmv_f16(OW_ADDR(matrix), OW_ADDR(x), OW_ADDR(y)); }
