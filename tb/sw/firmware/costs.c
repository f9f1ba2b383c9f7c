// SPDX-License-Identifier: Apache-2.0
// Cycles of what docs/programming.md gives figures for, each as the difference to an empty run.
#include "openwafer/tile/export.h"
#include "openwafer/tile/print.h"

OW_EXPORT(u32, cycles, 8);

void ow_main(void) { ow_emulate_misaligned(); }

static volatile float f = 1.1f, g = 2.3f;
static volatile double d = 1.1, e = 2.3;
static volatile uint8_t bytes[8] __attribute__((aligned(4)));

#define COST(n, statement)                     \
  do {                                         \
    uint32_t start = ow_cycles();              \
    uint32_t nothing = ow_cycles() - start;    \
    start = ow_cycles();                       \
    statement;                                 \
    cycles[n] = ow_cycles() - start - nothing; \
  } while (0)

OW_LAUNCH(measure) {
  COST(0, f = f + g);
  COST(1, f = f * g);
  COST(2, f = f / g);
  COST(3, d = d + e);
  COST(4, d = d * e);
  COST(5, ow_printf("%f %u", f, 3));
  COST(6, __asm__ volatile("lw zero, 0(%0)" ::"r"(&bytes[1])));
  COST(7, f = ow_float_of_f16(ow_f16(f)));
}
