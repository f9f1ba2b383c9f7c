# SPDX-License-Identifier: Apache-2.0
# Start-up code: stack and global pointer, zero .bss, ow_main once, then tasks for ever. A task
# returns to the address that ow.next put into ra, which is that of ow.next itself.

  .section .text.start, "ax"
  .globl _start
_start:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, ow_stack_top
  la t0, ow_bss_begin
  la t1, ow_bss_end
1:
  bgeu t0, t1, 2f
  sw zero, 0(t0)
  addi t0, t0, 4
  j 1b
2:
  call ow_main
3:
  .insn i 0x2b, 0, x0, 0(x0)  # ow.next
  j 3b
