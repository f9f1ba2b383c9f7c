// SPDX-License-Identifier: Apache-2.0
// Uses the kernel library, and has a descriptor of its own.
#include "openwafer/tile/export.h"
#include "openwafer/tile/kernels.h"

OW_CLAIM(claims_kernel, 4, 5, 1, 2);
OW_EXPORT(f16, x, 8);
OW_EXPORT(f16, y, 8);
OW_EXPORT(u32, a);
OW_EXPORT(u32, b);
OW_EXPORT(u32, c);
OW_EXPORT(u32, d);
OW_EXPORT(u32, e);

OW_TASK(idle) {}
OW_LAUNCH(add) { ow_axpy_f16(8, ow_f16(1.0), OW_ADDR(x), OW_ADDR(y)); }
