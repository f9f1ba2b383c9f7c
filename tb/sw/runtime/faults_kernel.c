// SPDX-License-Identifier: Apache-2.0
// Stops the tile for the reason that the host has written into ow_fault (ow/faults.h). Lines at
// which a tile stops carry a comment "stops: <name>", by which tests find them.

#include "faults_kernel.h"

#include "openwafer/tile/tile.h"

enum { DSR_DST = 0, DSR_SRC = 1, DSR_ACC = 2, DSR_X = 3, DSR_W = 4 };
enum {
  STORE = OW_RED_ENABLE | OW_RED_TO_MEMORY,
  ADD_QUEUE = OW_RED_ACTION_IN0(1) | OW_RED_ACTION_IN0_Q(OW_FAULTS_QUEUE)
};
enum { WORDS = 16, OUTSIDE = 0x40000000, TOP = OW_FULL_SRAM_BYTES };

__attribute__((section(".noinit"), used)) uint32_t ow_fault;
uint32_t ow_faults_done;
uint32_t ow_faults_sum;
static uint32_t buffer[WORDS];

// clang-format off
static void store(uint32_t offset, uint32_t value) {
  *(volatile uint32_t*)(OW_TILE_REGS + offset) = value;  // stops: register
}

static void touch(void) {
  ow_faults_sum = *(volatile uint32_t*)OUTSIDE;  // stops: load
}

static void add(uint32_t data) { ow_faults_sum += data; }

static void bad_task(uint32_t data) {
  ow_faults_sum = *(volatile uint32_t*)(OUTSIDE + data);  // stops: task
}

__attribute__((naked, aligned(4))) static void handler(void) {
  __asm__ volatile(
      "csrr t0, mepc\n"
      "addi t0, t0, 4\n"
      "csrw mepc, t0\n"
      "mret");
}

static void drain(uint32_t period, uint32_t dst, uint32_t action) {
  ow_reg_write(OW_REG_RED_ACC, OW_RED_ACC_SAMPLES(8) | OW_RED_ACC_RING(1));
  ow_reg_write(OW_REG_RED_COUNT, OW_RED_COUNT_ROWS(1));
  ow_reg_write(OW_REG_RED_PHASE, OW_RED_PHASE_PERIOD(period));
  ow_reg_write(OW_REG_RED_ACT_LT, action);
  ow_reg_write(OW_REG_RED_ACT_EQ, action);
  ow_reg_write(OW_REG_RED_ACT_GT, action);
  ow_reg_write(OW_REG_RED_DST, dst);
  ow_reg_write(OW_REG_RED_PITCH, 0);
  ow_drain(OW_CTL(OW_NONE, OW_NONE, OW_NONE, OW_FAULTS_THREAD));  // stops: drain
}

// One row without a product, which the host's control wavelet closes.
static void rows(void) {
  ow_dsr_indexed(DSR_X, (uint32_t)(uintptr_t)buffer, 8, 1, 16);
  ow_dsr_mem2(DSR_ACC, OW_F32, OW_ACC_ADDR(0), 8, 4, 1, 32);
  ow_dsr_fabric_in(DSR_W, OW_F16, OW_FAULTS_ROWS, 0);
  ow_axpyw(OW_CTL(DSR_ACC, DSR_X, DSR_W, 1));
}

static void vector(uint32_t dst_addr, uint32_t src_addr) {
  ow_dsr_mem1(DSR_DST, OW_F32, dst_addr, WORDS, 4);
  ow_dsr_mem1(DSR_SRC, OW_F32, src_addr, WORDS, 4);
  ow_mov(OW_F32, OW_CTL(DSR_DST, DSR_SRC, OW_NONE, OW_FAULTS_THREAD));  // stops: address
}

void ow_main(void);
void ow_main(void) {
  const uint32_t here = (uint32_t)(uintptr_t)buffer;
  __asm__ volatile("csrw mtvec, zero");
  switch (ow_fault) {
    case OW_FAULT_NONE:
      for (int i = 0; i < WORDS; ++i) buffer[i] = (uint32_t)i;
      ow_dsr_mem1(DSR_DST, OW_F32, (uint32_t)(uintptr_t)&ow_faults_sum, 1, 4);
      ow_dsr_mem1(DSR_SRC, OW_F32, here + 4 * 7, 1, 4);
      ow_mov(OW_F32, OW_CTL(DSR_DST, DSR_SRC, OW_NONE, 0));
      break;
    case OW_FAULT_LOAD:
      touch();
      break;
    case OW_FAULT_STORE:
      *(volatile uint32_t*)TOP = 1;  // stops: store
      break;
    case OW_FAULT_MISALIGNED:
      __asm__ volatile("lw t0, 1(%0)" ::"r"(here) : "t0", "memory");  // stops: misaligned
      break;
    case OW_FAULT_ILLEGAL:
      __asm__ volatile(".insn r 0x5b, 7, 127, x31, x31, x31");  // stops: illegal
      break;
    case OW_FAULT_JUMP:
      ((void (*)(void))OUTSIDE)();
      break;
    case OW_FAULT_ECALL:
      __asm__ volatile("ecall");  // stops: ecall
      break;
    case OW_FAULT_HANDLED:
      __asm__ volatile("csrw mtvec, %0" ::"r"(handler));
      touch();
      __asm__ volatile("csrw mtvec, zero");
      break;
    case OW_FAULT_OPERATION:
      ow_dsr_mem1(DSR_DST, OW_F32, here, WORDS, 4);
      ow_tensor(100, OW_F16, OW_CTL(DSR_DST, DSR_DST, DSR_DST, OW_FAULTS_THREAD), 0);  // stops: operation
      break;
    case OW_FAULT_DESCRIPTOR:
      ow_dsrw(OW_NONE, OW_DSR_KIND, 0);
      ow_dsr_mem1(DSR_DST, OW_F32, here, WORDS, 4);
      ow_mov(OW_F32, OW_CTL(DSR_DST, OW_NONE, OW_NONE, OW_FAULTS_THREAD));  // stops: descriptor
      break;
    case OW_FAULT_ADDRESS:
      vector(TOP - 32, here);
      break;
    case OW_FAULT_BELOW:
      vector(here, (uint32_t)-32);
      break;
    case OW_FAULT_RED_REGISTERS:
      drain(0, here, STORE);
      break;
    case OW_FAULT_RED_STORE:
      rows();
      drain(1, TOP - 16, STORE);
      break;
    case OW_FAULT_OVERRUN:
      ow_dsr_mem1(DSR_SRC, OW_F32, here, WORDS, 4);
      ow_dsr_fabric_out(DSR_DST, OW_F32, OW_FAULTS_QUEUE, 4096, 0);
      ow_dsr_mem1(DSR_SRC, OW_F32, here, 4096, 0);
      ow_mov(OW_F32, OW_CTL(DSR_DST, DSR_SRC, OW_NONE, OW_FAULTS_THREAD));
      for (uint32_t i = 0; i < 4096; ++i) ow_push(OW_FAULTS_QUEUE, i);
      break;
    case OW_FAULT_DATA_TASK:
      ow_task_register(OW_TASK_DATA(OW_FAULTS_QUEUE), add);
      break;
    case OW_FAULT_TASK_LOAD:
      ow_task_register(OW_TASK_DATA(OW_FAULTS_QUEUE), bad_task);
      break;
    case OW_FAULT_TAKERS:
      ow_dsr_mem1(DSR_DST, OW_F32, here, WORDS, 4);
      ow_dsr_fabric_in(DSR_SRC, OW_F32, OW_FAULTS_QUEUE, WORDS);
      ow_mov(OW_F32, OW_CTL(DSR_DST, DSR_SRC, OW_NONE, OW_FAULTS_THREAD));
      rows();
      drain(1, here, STORE | ADD_QUEUE);
      break;
    case OW_FAULT_SELFTEST:
      store(OW_REG_MBIST, OW_MBIST_START(1));
      break;
    case OW_FAULT_SEED:
      ow_dsr_mem1(DSR_DST, OW_F16, here, 4096, 0);
      ow_dsr_mem1(DSR_SRC, OW_F32, here + 32, 4096, 0);
      ow_cvt(OW_F32, OW_CTL(DSR_DST, DSR_SRC, OW_NONE, OW_FAULTS_THREAD) | OW_CTL_STOCH(1));
      store(OW_REG_PRNG(2), 5);
      break;
    case OW_FAULT_TWO_QUEUES:
      ow_dsr_mem1(DSR_DST, OW_F32, here, WORDS, 4);
      ow_dsr_fabric_in(DSR_SRC, OW_F32, OW_FAULTS_QUEUE, WORDS);
      ow_mov(OW_F32, OW_CTL(DSR_DST, DSR_SRC, OW_NONE, OW_FAULTS_THREAD));
      store(OW_REG_INQ(OW_FAULTS_QUEUE + 1), ow_reg_read(OW_REG_INQ(OW_FAULTS_QUEUE)));
      break;
    case OW_FAULT_THREAD0:
      // Another number than above, or the compiler makes one instruction of both.
      ow_tensor(101, OW_F16, OW_CTL(DSR_DST, DSR_DST, DSR_DST, 0), 0);  // stops: thread 0
      break;
    default:
      break;
  }
  ++ow_faults_done;
}
// clang-format on
