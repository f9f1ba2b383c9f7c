// SPDX-License-Identifier: Apache-2.0
// Exports of every element type and number of dimensions, launches and named tasks.
#include "openwafer/tile/export.h"

enum { M = 3, N = 5 };
OW_CLAIM(claimed, 10, 31, 11, 13);
OW_DSR(NAMED);
OW_FLOW(stream);
OW_EXPORT(f16, a, M, N);
OW_EXPORT(bf16, b, 2, 3, 4);
OW_EXPORT(f32, c, 7);
OW_EXPORT(i16, d, 1, 2, 3, 4);
OW_EXPORT(i32, e);
OW_EXPORT(i8, odd_name, 9);
OW_EXPORT(u16, g, 2);
OW_EXPORT(u32, log, 16);
OW_EXPORT(u8, i, 1);

OW_TASK(later) { log[8] = 0x1A7E4; }

OW_LAUNCH(nothing) { ow_task_activate(OW_TASK_ID(later)); }

OW_LAUNCH(all, u32 a0, i32 a1, u16 a2, i16 a3, u8 a4, i8 a5, f32 a6, bf16 a7) {
  log[0] = a0;
  log[1] = (uint32_t)a1;
  log[2] = a2;
  log[3] = (uint32_t)a3;
  log[4] = a4;
  log[5] = (uint32_t)a5;
  log[6] = ow_f32(a6);
  log[7] = a7;
}

OW_DATA_TASK(2, arrived, data) { log[9] = data; }
OW_CONTROL_TASK(2, closed, data) { log[10] = data; }
