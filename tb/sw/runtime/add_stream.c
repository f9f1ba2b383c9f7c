// SPDX-License-Identifier: Apache-2.0
// Adds a constant to a stream of fp32 numbers: one instruction from the fabric to the fabric.
//
// Operands: input queue 0, `count` fp32 words. Results: output queue 0, as many, then a control
// wavelet with the stream end. Memory: none. Cycles: one a word, about 40 to start.

#include "openwafer/tile/export.h"

enum { TASK_LAUNCH = OW_TASK_LOCAL(0), TASK_DONE = OW_TASK_LOCAL(1) };
OW_DSR(IN, OUT);

// Written by the host before launch: not cleared at start-up.
__attribute__((section(".noinit"), used)) uint32_t ow_count;
__attribute__((section(".noinit"), used)) uint32_t ow_addend;  // fp32 bits
uint32_t ow_runs;                                              // streams done

static void launch(uint32_t data) {
  (void)data;
  ow_dsr_fabric_in(IN, OW_F32, 0, ow_count);
  ow_dsr_fabric_out(OUT, OW_F32, 0, ow_count, OW_CLOSE(1, 0));
  // One instruction for the whole stream, on microthread 1; the core goes on.
  ow_add_s(OW_F32, OW_CTL(OUT, IN, OW_NONE, 1) | OW_THEN_ACTIVATE(TASK_DONE), ow_addend);
}

static void done(uint32_t data) {
  (void)data;
  ++ow_runs;
}

void ow_main(void);
void ow_main(void) {
  ow_task_register(TASK_LAUNCH, launch);
  ow_task_register(TASK_DONE, done);
}
