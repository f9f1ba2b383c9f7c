// SPDX-License-Identifier: Apache-2.0
// y = a * x + y in binary16, one rounding an element: the example of docs/programming.md.
//
// Operands: x comes in on queue 0 (pairs), y lies in SRAM (symbol ow_axpy_y), a is a parameter.
// Result: y, in SRAM and on output queue 0, closed by a control wavelet.
// Memory: 4 bytes an element. Cycles: n / 2 to receive, n / 8 or a little more to compute, n / 2 to
// send; about 100 in all for the tasks between them.

#include "ow/axpy.h"
#include "ow/tile.h"

enum { TASK_RECEIVED = OW_TASK_LOCAL(1) };
enum { DSR_IN, DSR_X, DSR_Y, DSR_OUT, DSR_NONE = 31 };

__attribute__((section(".noinit"), used)) struct ow_axpy_params ow_axpy_params;
__attribute__((section(".noinit"), used, aligned(64))) uint16_t ow_axpy_y[OW_AXPY_MAX];
// 16 bytes apart from y in the banks, so that a beat reads x and y and writes y without a conflict.
__attribute__((section(".noinit"), used, aligned(64))) static uint16_t x_space[OW_AXPY_MAX + 8];

static void task_launch(uint32_t data) {
  (void)data;
  uint32_t n = ow_axpy_params.n;
  uint32_t x = (uint32_t)(uintptr_t)&x_space[8];
  ow_dsr_fabric_in(DSR_IN, OW_F16, OW_AXPY_INQ_X, n);
  ow_dsr_mem1(DSR_X, OW_F16, x, n, 2);
  ow_dsr_mem1(DSR_Y, OW_F16, (uint32_t)(uintptr_t)ow_axpy_y, n, 2);
  ow_dsr_fabric_out(DSR_OUT, OW_F16, OW_AXPY_OUTQ_Y, n, OW_CLOSE(1, 0));
  // Microthread 1 waits for the fabric; the core goes back to sleep until it is done.
  ow_mov(OW_F16, OW_CTL(DSR_X, DSR_IN, DSR_NONE, 1) | OW_THEN_ACTIVATE(TASK_RECEIVED));
}

static void task_received(uint32_t data) {
  (void)data;
  // On the task thread: the core waits here until y is complete.
  ow_fma_s(OW_F16, OW_CTL(DSR_Y, DSR_X, DSR_NONE, 0), ow_axpy_params.a);
  ow_mov(OW_F16, OW_CTL(DSR_OUT, DSR_Y, DSR_NONE, 1));
}

void ow_main(void);
void ow_main(void) {
  ow_task_register(OW_AXPY_TASK_LAUNCH, task_launch);
  ow_task_register(TASK_RECEIVED, task_received);
}
