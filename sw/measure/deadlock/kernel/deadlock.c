// SPDX-License-Identifier: Apache-2.0
// Runs the commands that the host has written: single tensor instructions and task operations, of
// which a test makes programs that wait for ever (ow/deadlock.h).

#include "ow/measure/deadlock_tile.h"

#include "openwafer/tile/tile.h"

enum { DSR_DST = 0, DSR_SRC = 1, DSR_X = 2, DSR_ACC = 3, DSR_WEIGHTS = 4 };
enum { SAMPLES = 8, INDICES = 16 };

#define OW_NOINIT __attribute__((section(".noinit"), used))

OW_NOINIT struct ow_deadlock_command ow_commands[OW_DL_COMMANDS];
static uint32_t buffer[128];
static uint32_t seen;

static void task(uint32_t data) { seen += data; }

__attribute__((noinline)) static void spin_for_ever(void) {
  for (;;) ((volatile uint32_t*)buffer)[0] += 1;
}

__attribute__((noinline)) static void stop_here(void) { __asm__ volatile("ebreak"); }

static void run(const struct ow_deadlock_command* c) {
  switch (c->op) {
    case OW_DL_RECEIVE:
      ow_dsr_mem1(DSR_DST, OW_F32, (uint32_t)(uintptr_t)buffer, c->arg[2], 4);
      ow_dsr_fabric_in(DSR_SRC, OW_F32, c->arg[1], c->arg[2]);
      ow_mov(OW_F32, OW_CTL(DSR_DST, DSR_SRC, OW_NONE, c->arg[0]));
      break;
    case OW_DL_SEND:
      ow_dsr_mem1(DSR_SRC, OW_F32, (uint32_t)(uintptr_t)buffer, c->arg[2], 4);
      ow_dsr_fabric_out(DSR_DST, OW_F32, c->arg[1], c->arg[2], 0);
      ow_mov(OW_F32, OW_CTL(DSR_DST, DSR_SRC, OW_NONE, c->arg[0]));
      break;
    case OW_DL_AXPYW:
      ow_dsr_indexed(DSR_X, (uint32_t)(uintptr_t)buffer, SAMPLES, INDICES, 2 * SAMPLES);
      ow_dsr_mem2(DSR_ACC, OW_F32, OW_ACC_ADDR(0), SAMPLES, 4, c->arg[2], 4 * SAMPLES);
      ow_dsr_fabric_in(DSR_WEIGHTS, OW_F16, c->arg[1], 0);
      ow_axpyw(OW_CTL(DSR_ACC, DSR_X, DSR_WEIGHTS, c->arg[0]));
      break;
    case OW_DL_DRAIN:
      ow_reg_write(OW_REG_RED_ACC, OW_RED_ACC_SAMPLES(SAMPLES) | OW_RED_ACC_RING(4));
      ow_reg_write(OW_REG_RED_COUNT, OW_RED_COUNT_ROWS(c->arg[1]));
      ow_reg_write(OW_REG_RED_PHASE, OW_RED_PHASE_PERIOD(1));
      ow_reg_write(OW_REG_RED_ACT_LT, 0);
      ow_reg_write(OW_REG_RED_ACT_EQ, c->arg[2]);
      ow_reg_write(OW_REG_RED_ACT_GT, 0);
      ow_reg_write(OW_REG_RED_DST, (uint32_t)(uintptr_t)buffer);
      ow_reg_write(OW_REG_RED_PITCH, 0);
      ow_drain(OW_CTL(OW_NONE, OW_NONE, OW_NONE, c->arg[0]));
      break;
    case OW_DL_ACTIVATE:
      if (c->arg[1]) ow_task_register(c->arg[0], task);
      if (c->arg[2]) ow_task_block(c->arg[0]);
      ow_task_activate(c->arg[0]);
      break;
    case OW_DL_LOAD:
      seen = *(volatile uint32_t*)(uintptr_t)c->arg[0];
      break;
    case OW_DL_ILLEGAL:
      ow_dsr_mem1(DSR_DST, OW_F32, (uint32_t)(uintptr_t)buffer, 8, 4);
      ow_tensor(100, OW_F16, OW_CTL(DSR_DST, DSR_DST, DSR_DST, c->arg[0]), 0);
      break;
    case OW_DL_LISTEN:
      ow_task_register(OW_TASK_DATA(c->arg[0]), task);
      if (c->arg[1]) ow_task_block(OW_TASK_DATA(c->arg[0]));
      break;
    case OW_DL_PUSH:
      for (uint32_t i = 0; i < c->arg[1]; ++i) ow_push(c->arg[0], i);
      break;
    case OW_DL_SPIN:
      spin_for_ever();
      break;
    case OW_DL_BREAK:
      stop_here();
      break;
    default:
      break;
  }
}

void ow_main(void);
void ow_main(void) {
  for (uint32_t i = 0; i < OW_DL_COMMANDS && ow_commands[i].op != OW_DL_END; ++i)
    run(&ow_commands[i]);
}
