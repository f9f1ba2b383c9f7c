// SPDX-License-Identifier: Apache-2.0
// Misaligned loads and stores, done byte by byte in a trap handler, for programs that call
// ow_emulate_misaligned. About 160 cycles each. Any other trap stops the tile, as it would without
// the handler. A program with its own handler passes causes 4 and 6 on to ow_misaligned_trap, with
// all registers unchanged.
#include "openwafer/tile/tile.h"

// x0 to x31 of the program, then the handler's stack. The handler does not use the program's stack.
// Its own stack lies below the program's limit, so the limit is saved and restored.
uint32_t ow_trap_frame[32 + 32 + 4] __attribute__((aligned(16)));

void ow_misaligned_access(uint32_t* x, uint32_t cause, uint32_t pc, uint32_t addr);
void ow_misaligned_access(uint32_t* x, uint32_t cause, uint32_t pc, uint32_t addr) {
  const uint32_t insn = *(const uint32_t*)(uintptr_t)pc;
  const uint32_t funct3 = insn >> 12 & 7;
  const uint32_t bytes = 1u << (funct3 & 3);
  volatile uint8_t* const at = (volatile uint8_t*)(uintptr_t)addr;
  if (cause == OW_TRAP_LOAD_MISALIGNED) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes; ++i) value |= (uint32_t)at[i] << (8 * i);
    if (funct3 == 1) value = (uint32_t)(int32_t)(int16_t)value;
    const uint32_t rd = insn >> 7 & 31;
    if (rd != 0) x[rd] = value;  // x[0] is what a store of zero takes
  } else if (cause == OW_TRAP_STORE_MISALIGNED) {
    const uint32_t value = x[insn >> 20 & 31];
    for (uint32_t i = 0; i < bytes; ++i) at[i] = (uint8_t)(value >> (8 * i));
  } else {
    __asm__ volatile("csrw mtvec, zero");  // the same trap once more, and nothing takes it
    return;
  }
  __asm__ volatile("csrw mepc, %0" ::"r"(pc + 4));
}

void ow_misaligned_trap(void);
__attribute__((naked, aligned(4))) void ow_misaligned_trap(void) {
  __asm__ volatile(
      ".option push\n"
      ".option norelax\n"  // gp may be the program's own business
      "csrw mscratch, x5\n"
      "la x5, ow_trap_frame\n"
      ".irp n, 1,2,3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
      "sw x\\n, 4*\\n(x5)\n"
      ".endr\n"
      "csrr x6, mscratch\n"
      "sw x6, 20(x5)\n"
      "li x6, %0\n"
      "lw x7, 0(x6)\n"
      "sw x7, 256(x5)\n"
      "sw zero, 0(x6)\n"
      "mv a0, x5\n"
      "addi sp, x5, 256\n"
      "csrr a1, mcause\n"
      "csrr a2, mepc\n"
      "csrr a3, mtval\n"
      "call ow_misaligned_access\n"
      "la x5, ow_trap_frame\n"
      "lw x7, 256(x5)\n"
      "li x6, %0\n"
      "sw x7, 0(x6)\n"
      ".irp n, 1,2,3,4,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
      "lw x\\n, 4*\\n(x5)\n"
      ".endr\n"
      "lw x5, 20(x5)\n"
      "mret\n"
      ".option pop\n" ::"i"(OW_TILE_REGS + OW_REG_STACK_LIMIT));
}

void ow_emulate_misaligned(void) {
  __asm__ volatile("csrw mtvec, %0" ::"r"((uint32_t)(uintptr_t)ow_misaligned_trap));
}
