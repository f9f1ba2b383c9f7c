// SPDX-License-Identifier: Apache-2.0
// Prints of every kind, and more of them than the ring holds.
#include "openwafer/tile/export.h"
#include "openwafer/tile/print.h"

OW_PRINT_RECORDS(4);

OW_LAUNCH(kinds, u32 n) {
  const float third = 1.0f / 3;
  ow_printf("plain\n");
  ow_printf("%d %i %u 0x%08x %c%%", -5, (int32_t)-n, n, n << 28 | n, 'q');
  ow_printf("%f|%8.3f|%-8.2e|%g", third, -third, 1.5, 2.0f);
  ow_printf("%s of (%u, %u)", "row", ow_reg_read(OW_REG_ROW), ow_reg_read(OW_REG_COL));
}

OW_LAUNCH(many, u32 n) {
  for (uint32_t i = 0; i < n; ++i) ow_printf("%u: %u %u %u %u %u", i, 1, 2, 3, 4, 5);
}
