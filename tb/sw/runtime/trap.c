/* SPDX-License-Identifier: Apache-2.0 */
/* Stops the tile at a known line: by a load from outside memory; with TENSOR, by a tensor
   instruction that does not exist; with WILD, by a call of an address where there is no program. */
#include "openwafer/tile/isa.h"
__attribute__((naked)) void _start(void) { __asm__ volatile("li sp, 4096\n j begin\n"); }
__attribute__((noinline)) static int read_it(volatile int* p) { return *p; /* line 6 */ }

__attribute__((used)) static void begin(void) {
#ifdef TENSOR
  __asm__ volatile(".insn r %0, 0, 100, x0, x0, x0\n" ::"i"(OW_OPCODE_TENSOR)); /* line 10 */
  for (;;) __asm__ volatile("wfi");
#elif defined(WILD)
  for (;;) ((void (*)(void))0x80000000)(); /* line 13 */
#else
  for (;;) read_it((volatile int*)0x40000000);
#endif
}
