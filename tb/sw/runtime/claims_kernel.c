// SPDX-License-Identifier: Apache-2.0
// Uses the kernel library, and has as many descriptors of its own as the library leaves. ELEVENTH:
// one more.
#include "openwafer/tile/export.h"
#include "openwafer/tile/kernels.h"

enum { LENGTH = 8 };
OW_EXPORT(f16, x, LENGTH);
OW_EXPORT(f16, y, LENGTH);
OW_EXPORT(f16, z, LENGTH);

OW_DSR(A, B, C, D, E, F, G, H);
OW_DSR(I, J);
#ifdef ELEVENTH
OW_DSR(K);
#endif

// y = x + y by the library, z = y + y by the program.
OW_LAUNCH(add) {
  ow_dsr_mem1(A, OW_F16, OW_ADDR(z), LENGTH, 2);
  ow_dsr_mem1(J, OW_F16, OW_ADDR(y), LENGTH, 2);
  ow_axpy_f16(LENGTH, ow_f16(1.0), OW_ADDR(x), OW_ADDR(y));
  ow_add(OW_F16, OW_CTL(A, J, J, 0));
}
