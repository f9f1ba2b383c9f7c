// SPDX-License-Identifier: Apache-2.0
// A program that uses the kernel library, and descriptor NUMBER in three dimensions. NAMED: also
// one with a name.
#include "openwafer/tile/export.h"
#include "openwafer/tile/kernels.h"

OW_EXPORT(f16, x, 8);
OW_EXPORT(f16, y, 8);

#ifdef NAMED
OW_DSR(X);
#endif

OW_LAUNCH(add) {
#ifdef NAMED
  ow_dsr_mem3(X, OW_F16, OW_ADDR(x), 2, 2, 2, 4, 2, 8);
#endif
  ow_dsr_mem3(NUMBER, OW_F16, OW_ADDR(x), 2, 2, 2, 4, 2, 8);
  ow_axpy_f16(8, ow_f16(1.0), OW_ADDR(x), OW_ADDR(y));
}
