// SPDX-License-Identifier: Apache-2.0
// Exports of every element type and number of dimensions, launches and named tasks.
#include "openwafer/tile/export.h"

enum { M = 3, N = 5 };
OW_CLAIM(claimed, 10, 31, 11, 13);
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

OW_LAUNCH(all, a0, a1, a2, a3, a4, a5, a6, a7) {
  log[0] = a0;
  log[1] = a1;
  log[2] = a2;
  log[3] = a3;
  log[4] = a4;
  log[5] = a5;
  log[6] = a6;
  log[7] = a7;
}

OW_DATA_TASK(2, arrived, data) { log[9] = data; }
OW_CONTROL_TASK(2, closed, data) { log[10] = data; }
