// SPDX-License-Identifier: Apache-2.0
// Counts values by their remainder: a task runs for each wavelet.
#include "openwafer/tile/export.h"

enum { BINS = 16 };
OW_EXPORT(u32, bins, BINS);
OW_FLOW(value);

static void count(uint32_t data) { ++bins[data % BINS]; }

void ow_main(void);
void ow_main(void) {
  for (int i = 0; i < BINS; ++i) bins[i] = 0;
  ow_task_register(OW_TASK_DATA(value.in), count);
}
