// SPDX-License-Identifier: Apache-2.0
// y = a x, rounded to binary32 by the core and by the kernel library: both must agree.
#include <openwafer/tile/export.h>
#include <openwafer/tile/kernels.h>

enum { N = 48 };
OW_EXPORT(f32, x, N);
OW_EXPORT(f32, by_core, N);
OW_EXPORT(f32, by_library, N);

OW_LAUNCH(scale, f32 a) {
  for (uint32_t i = 0; i < N; ++i) by_core[i] = a * x[i];
  ow_copy_32(N, OW_ADDR(x), OW_ADDR(by_library));
  ow_scal_f32(N, a, OW_ADDR(by_library));
}
