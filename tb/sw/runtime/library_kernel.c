// SPDX-License-Identifier: Apache-2.0
// What the library's tests run.
#include "openwafer/tile/export.h"
#include "openwafer/tile/print.h"

OW_EXPORT(f16, matrix, 4, 6);
OW_EXPORT(i32, vector, 8);
OW_EXPORT(u8, bytes, 5);
OW_EXPORT(u32, big, 2048);
OW_EXPORT(u32, place, 2);
uint32_t counter = 7;  // in .data
OW_EXPORT(u32, counted);

OW_LAUNCH(add, u32 n, i32 value) {
  for (uint32_t i = 0; i < n; ++i) vector[i] += value;
}
OW_LAUNCH(where) {
  place[0] = ow_reg_read(OW_REG_ROW);
  place[1] = ow_reg_read(OW_REG_COL);
}
OW_LAUNCH(say, u32 n) {
  for (uint32_t i = 0; i < n; ++i) ow_printf("%u of %u, %.1f", i, n, 0.5f);
}
OW_LAUNCH(count) { counted = ++counter; }
OW_LAUNCH(spin) {
  for (;;) __asm__ volatile("");
}
OW_LAUNCH(trap) { *(volatile uint32_t*)0x40000000 = 1; }
