// SPDX-License-Identifier: Apache-2.0
// y = a * x + y in binary16, rounded once per element: the example of docs/programming.md.
//
// Operands: x arrives on flow x (pairs), y is in SRAM, n (even, up to MAX) and a are arguments.
// Result: y, in SRAM and on flow sum, closed by a control wavelet. Memory: 4 bytes per element.
// Cycles: n / 2 to receive, n / 8 or a little more to compute, n / 2 to send; about 100 in all for
// the tasks in between.
#include "openwafer/tile/export.h"
#include "openwafer/tile/tile.h"

enum { MAX = 2048 };
OW_EXPORT(f16, y, MAX);
OW_FLOW(x, sum);
static OW_NOINIT uint16_t buffer[MAX];
static uint16_t scale;

OW_DSR(IN, X, Y, OUT);

OW_TASK(received) {
  // On the task thread: the core waits here until y is complete.
  ow_fma_s(OW_F16, OW_CTL(Y, X, OW_NONE, 0), scale);
  ow_mov(OW_F16, OW_CTL(OUT, Y, OW_NONE, 1));
}

OW_LAUNCH(axpy, u32 n, f16 a) {
  scale = a;
  ow_dsr_fabric_in(IN, OW_F16, x.in, n);
  ow_dsr_mem1(X, OW_F16, OW_ADDR(buffer), n, 2);
  ow_dsr_mem1(Y, OW_F16, OW_ADDR(y), n, 2);
  ow_dsr_fabric_out(OUT, OW_F16, sum.out, n, OW_CLOSE(1, 0));
  // Microthread 1 waits for the fabric; the core goes back to sleep until it is done.
  ow_mov(OW_F16, OW_CTL(X, IN, OW_NONE, 1) | OW_THEN_ACTIVATE(OW_TASK_ID(received)));
}
