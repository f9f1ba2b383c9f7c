// SPDX-License-Identifier: Apache-2.0
// Start-up code: global pointer, stack, limits, zero .bss, registrations of the program, ow_main
// once, then tasks forever. The entry is _start, after the word at address 0. That word is no
// instruction, so a call of a null function stops the tile.
#include "openwafer/tile/export.h"

extern const struct ow_task_table_entry ow_task_table_begin[], ow_task_table_end[];
typedef void (*ow_constructor)(void);
extern const ow_constructor ow_init_begin[], ow_init_end[];

// The stack is at the top of the tile's memory, whatever its size. Its lowest words hold a value
// that the host checks; an overflow overwrites it. The tile traps if the stack pointer goes below
// them, or if a store goes below .data. A task returns to the address that ow.next has put into ra:
// that of ow.next itself.
void _start(void);
__attribute__((naked, used, section(".text.start"))) void _start(void) {
  __asm__ volatile(
      ".option push\n"
      ".option norelax\n"
      "la gp, __global_pointer$\n"
      ".option pop\n"
      "li t0, %0\n"
      "lw t0, 0(t0)\n"
      "srli t0, t0, %1\n"
      "slli sp, t0, %2\n"
      "lui t0, %%hi(OW_STACK_BYTES)\n"
      "addi t0, t0, %%lo(OW_STACK_BYTES)\n"
      "sub t0, sp, t0\n"
      "li t2, %5\n"
      "sw t0, 0(t2)\n"
      "la t1, ow_text_end\n"
      "li t2, %6\n"
      "sw t1, 0(t2)\n"
      "lui t1, %%hi(OW_STACK_GUARD)\n"
      "addi t1, t1, %%lo(OW_STACK_GUARD)\n"
      "addi t2, t0, %%lo(OW_STACK_GUARD_BYTES)\n"
      "0: sw t1, 0(t0)\n"
      "addi t0, t0, 4\n"
      "bltu t0, t2, 0b\n"
      "la t0, ow_bss_begin\n"
      "la t1, ow_bss_end\n"
      "1: bgeu t0, t1, 2f\n"
      "sw zero, 0(t0)\n"
      "addi t0, t0, 4\n"
      "j 1b\n"
      "2: call ow_start\n"
      "3: .insn i %3, %4, x0, 0(x0)\n"  // ow.next
      "j 3b\n" ::"i"(OW_TILE_REGS + OW_REG_CONFIG),
      "i"(OW_CONFIG_SRAM_LSB), "i"(__builtin_ctz(OW_CONFIG_SRAM_UNIT)), "i"(OW_OPCODE_SYSTEM),
      "i"(OW_SYS_NEXT), "i"(OW_TILE_REGS + OW_REG_STACK_LIMIT),
      "i"(OW_TILE_REGS + OW_REG_TEXT_LIMIT));
}
_Static_assert((OW_CONFIG_SRAM_MASK >> 31) == 1, "nothing lies above the SRAM's size in CONFIG");

__attribute__((weak)) void ow_main(void) {}

void ow_start(void);
__attribute__((section(".text.start.c"))) void ow_start(void) {
  for (const struct ow_task_table_entry* t = ow_task_table_begin; t != ow_task_table_end; ++t) {
    ow_task_register(t->task, t->entry);
  }
  for (const ow_constructor* f = ow_init_begin; f != ow_init_end; ++f) (*f)();
  ow_main();
}
