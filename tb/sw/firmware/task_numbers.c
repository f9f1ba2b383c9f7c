// SPDX-License-Identifier: Apache-2.0
// Named tasks beside tasks that the program numbers by itself. NAMES: how many have names; NUMBERS:
// how many have numbers, from OW_TASK_LOCAL(0) up; TWICE: two tasks for the data of queue 3.
#include "openwafer/tile/export.h"

static void numbered(uint32_t data) { (void)data; }

OW_LAUNCH(begin) {}
OW_TASK(second) {}
OW_TASK(third) {}
#if NAMES > 3
OW_TASK(task4) {}
OW_TASK(task5) {}
OW_TASK(task6) {}
OW_TASK(task7) {}
OW_TASK(task8) {}
OW_TASK(task9) {}
OW_TASK(task10) {}
OW_TASK(task11) {}
OW_TASK(task12) {}
#endif

OW_DATA_TASK(3, received, data) { (void)data; }
#ifdef TWICE
OW_DATA_TASK(3, also_received, data) { (void)data; }
#endif

void ow_main(void) {
  ow_task_register(OW_TASK_LOCAL(0), numbered);
#if NUMBERS > 1
  ow_task_register(OW_TASK_LOCAL(1), numbered);
  ow_task_register(OW_TASK_LOCAL(2), numbered);
  ow_task_register(OW_TASK_LOCAL(3), numbered);
  ow_task_register(OW_TASK_LOCAL(4), numbered);
  ow_task_register(OW_TASK_LOCAL(5), numbered);
#endif
#if NUMBERS > 6
  ow_task_register(OW_TASK_LOCAL(12), numbered);
#endif
}
