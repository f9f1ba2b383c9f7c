// SPDX-License-Identifier: Apache-2.0
// Firmware of `ow bench tile`: calls one kernel or one instruction at a time and takes its time.
//
// Operands, results and memory: those of the kernel (ow/kernels.h), at addresses that the host
// chooses between ow_heap and ow_heap_end. The time of a call is the difference of two reads of
// the cycle count, the first before its first instruction, the second after its return.
//
// With OW_TB_ONLY_SPMV: the sparse matrix-vector product and single instructions alone.

#include "ow/measure/tile_calls.h"

#include "openwafer/tile/kernels.h"
#include "openwafer/tile/tile.h"

#define OW_NOINIT __attribute__((section(".noinit"), used))

OW_NOINIT struct ow_tb_call ow_tb_call;
OW_NOINIT volatile struct ow_tb_result ow_tb_result;

// The host puts the instruction to be measured into ow_tb_insn (a0: control word, a1: scalar). The
// cycle counts right before it and right after it: low and high word of the result.
__attribute__((naked, noinline, used)) static uint64_t patched(uint32_t ctl, uint32_t scalar) {
  (void)ctl;
  (void)scalar;
  __asm__ volatile(
      "csrr a2, mcycle\n"
      ".globl ow_tb_insn\n"
      "ow_tb_insn: .insn r %0, %1, %2, x0, a0, a1\n"
      "csrr a3, mcycle\n"
      "mv a0, a2\n"
      "mv a1, a3\n"
      "ret" ::"i"(OW_OPCODE_TENSOR),
      "i"(OW_F16), "i"(OW_OP_MOV));
}

static void instruction(uint32_t ctl, uint32_t scalar) {
  uint64_t both = patched(ctl, scalar);
  ow_tb_result.begin = (uint32_t)both;
  ow_tb_result.end = (uint32_t)(both >> 32);
}

#ifndef OW_TB_ONLY_SPMV
// The same, followed by reads of the low word of the beat counter, one after the other.
__attribute__((naked, noinline, used)) static void latency(uint32_t ctl, uint32_t scalar,
                                                           volatile uint32_t* words,
                                                           uint32_t counter) {
  (void)ctl;
  (void)scalar;
  (void)words;
  (void)counter;
  __asm__ volatile(
      ".globl ow_tb_latency\n"
      "ow_tb_latency: .insn r %0, %1, %2, x0, a0, a1\n"
      "lw t0, 0(a3)\n"
      "lw t1, 0(a3)\n"
      "lw t2, 0(a3)\n"
      "lw a4, 0(a3)\n"
      "lw a5, 0(a3)\n"
      "lw a6, 0(a3)\n"
      "lw a7, 0(a3)\n"
      "lw t3, 0(a3)\n"
      "sw t0, 0(a2)\n"
      "sw t1, 4(a2)\n"
      "sw t2, 8(a2)\n"
      "sw a4, 12(a2)\n"
      "sw a5, 16(a2)\n"
      "sw a6, 20(a2)\n"
      "sw a7, 24(a2)\n"
      "sw t3, 28(a2)\n"
      "ret" ::"i"(OW_OPCODE_TENSOR),
      "i"(OW_F16), "i"(OW_OP_FMA));
}
#endif

static void task_done(uint32_t data) {
  (void)data;
  ow_tb_result.end = ow_cycles();
  ow_tb_result.dones = ow_tb_result.dones + 1;
}

// A data task that adds its wavelet to a word in memory.
uint32_t ow_tb_task_sum;
static void task_add(uint32_t data) { ow_tb_task_sum += data; }

static void load_descriptors(const struct ow_tb_call* call) {
  for (uint32_t i = 0; i < call->dsrs; ++i) {
    const struct ow_tb_dsr* d = &call->dsr[i];
    ow_dsrw(d->dsr, OW_DSR_KIND, d->word[0]);
    ow_dsrw(d->dsr, OW_DSR_ADDRESS, d->word[1]);
    ow_dsrw(d->dsr, OW_DSR_DIM0, d->word[2]);
    ow_dsrw(d->dsr, OW_DSR_DIM1, d->word[3]);
    ow_dsrw(d->dsr, OW_DSR_DIM2, d->word[4]);
    ow_dsrw(d->dsr, OW_DSR_DIM3, d->word[5]);
  }
}

#define TIMED(call_)              \
  do {                            \
    uint32_t begin = ow_cycles(); \
    call_;                        \
    uint32_t end = ow_cycles();   \
    ow_tb_result.begin = begin;   \
    ow_tb_result.end = end;       \
  } while (0)

#ifndef OW_TB_ONLY_SPMV
#define THREAD_FMA(t) ow_fma_s(OW_F16, OW_CTL(2 * (t), 2 * (t) + 1, 31, (t) + 1), a1)
#define TWELVE(F) \
  F(0);           \
  F(1);           \
  F(2);           \
  F(3);           \
  F(4);           \
  F(5);           \
  F(6);           \
  F(7);           \
  F(8);           \
  F(9);           \
  F(10);          \
  F(11)

static void back_to_back(uint32_t count, uint32_t a1) {
  for (; count != 0; --count) {
    TWELVE(THREAD_FMA);
  }
  // A descriptor can be written when the thread that uses it is done.
  for (uint32_t t = 0; t < 12; ++t) ow_dsrw(2 * t, OW_DSR_DIM3, 0);
}

#define THREAD_FMA_DONE(t)                                                                         \
  do {                                                                                             \
    if ((t) < threads) {                                                                           \
      ow_fma_s(OW_F16,                                                                             \
               OW_CTL(2 * (t), 2 * (t) + 1, 31, (t) + 1) | OW_THEN_ACTIVATE(OW_TB_TASK_DONE), a1); \
    }                                                                                              \
  } while (0)

static void launch_many(uint32_t threads, uint32_t a1) { TWELVE(THREAD_FMA_DONE); }

static void beside(uint32_t waiting, uint32_t ctl, uint32_t scalar) {
  ow_mov(OW_F32, waiting);
  instruction(ctl, scalar);
}
#endif

static void task_launch(uint32_t data) {
  (void)data;
  const struct ow_tb_call* call = &ow_tb_call;
  load_descriptors(call);
  __asm__ volatile("fence.i" ::: "memory");
  uint32_t a0 = call->args[0], a1 = call->args[1], a2 = call->args[2], a3 = call->args[3];
  uint32_t a4 = call->args[4], a5 = call->args[5];
  // The arguments are in registers when the time starts.
  __asm__ volatile("" : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4), "+r"(a5));
  switch (call->function) {
    case OW_TB_INSTRUCTION:
      instruction(a0, a1);
      break;
#ifndef OW_TB_ONLY_SPMV
    case OW_TB_AXPY_F16:
      TIMED(ow_axpy_f16(a0, a1, a2, a3));
      break;
    case OW_TB_AXPY_BF16:
      TIMED(ow_axpy_bf16(a0, a1, a2, a3));
      break;
    case OW_TB_AXPY_F32:
      TIMED(ow_axpy_f32(a0, a1, a2, a3));
      break;
    case OW_TB_SCAL_F16:
      TIMED(ow_scal_f16(a0, a1, a2));
      break;
    case OW_TB_SCAL_F32:
      TIMED(ow_scal_f32(a0, a1, a2));
      break;
    case OW_TB_COPY_16:
      TIMED(ow_copy_16(a0, a1, a2));
      break;
    case OW_TB_COPY_32:
      TIMED(ow_copy_32(a0, a1, a2));
      break;
    case OW_TB_DOT_F16:
      TIMED(ow_dot_f16(a0, a1, a2, a3));
      break;
    case OW_TB_DOT_BF16:
      TIMED(ow_dot_bf16(a0, a1, a2, a3));
      break;
    case OW_TB_DOT_F32:
      TIMED(ow_dot_f32(a0, a1, a2, a3));
      break;
    case OW_TB_DOT_I8:
      TIMED(ow_dot_i8(a0, a1, a2, a3));
      break;
    case OW_TB_SUM_F16:
      TIMED(ow_sum_f16(a0, a1, a2));
      break;
    case OW_TB_SUM_F32:
      TIMED(ow_sum_f32(a0, a1, a2));
      break;
    case OW_TB_MAX_F16:
      TIMED(ow_max_f16(a0, a1, a2));
      break;
    case OW_TB_MIN_F32:
      TIMED(ow_min_f32(a0, a1, a2));
      break;
    case OW_TB_NRM2_F16:
      TIMED(ow_nrm2_f16(a0, a1, a2));
      break;
    case OW_TB_NRM2_F32:
      TIMED(ow_nrm2_f32(a0, a1, a2));
      break;
    case OW_TB_GEMV_F16:
      TIMED(ow_gemv_f16(a0, a1, a2, a3, a4, a5));
      break;
    case OW_TB_GEMV_BF16:
      TIMED(ow_gemv_bf16(a0, a1, a2, a3, a4, a5));
      break;
    case OW_TB_GEMV_F32:
      TIMED(ow_gemv_f32(a0, a1, a2, a3, a4, a5));
      break;
    case OW_TB_GEMV_T_F16:
      TIMED(ow_gemv_t_f16(a0, a1, a2, a3, a4, a5));
      break;
    case OW_TB_GEMV_T_BF16:
      TIMED(ow_gemv_t_bf16(a0, a1, a2, a3, a4, a5));
      break;
    case OW_TB_GEMV_T_F32:
      TIMED(ow_gemv_t_f32(a0, a1, a2, a3, a4, a5));
      break;
    case OW_TB_GEMM_F16:
      TIMED(ow_gemm_f16((const struct ow_gemm*)call->args));
      break;
    case OW_TB_GEMM_BF16:
      TIMED(ow_gemm_bf16((const struct ow_gemm*)call->args));
      break;
    case OW_TB_GEMM_F32:
      TIMED(ow_gemm_f32((const struct ow_gemm*)call->args));
      break;
    case OW_TB_AXPYI_F16:
      TIMED(ow_axpyi_f16(a0, a1, a2, a3, a4, a5));
      break;
    case OW_TB_AXPYI_F32:
      TIMED(ow_axpyi_f32(a0, a1, a2, a3, a4, a5));
      break;
#endif
    case OW_TB_SPMV_F16:
      TIMED(ow_spmv_f16(a0, a1, a2));
      break;
    case OW_TB_SPMV_F32:
      TIMED(ow_spmv_f32(a0, a1, a2));
      break;
#ifndef OW_TB_ONLY_SPMV
    case OW_TB_SPMM:
      TIMED(ow_spmm_stream((const struct ow_spmm*)call->args));
      break;
    case OW_TB_ACT_LOAD:
      TIMED(ow_actgemv_load(a0, a1, a2, a3, a4));
      break;
    case OW_TB_ACT_RUN:
      TIMED(ow_actgemv_run());
      break;
    case OW_TB_SEND_NONZEROS:
      TIMED(ow_send_nonzeros(a0, a1));
      break;
    case OW_TB_SOFTMAX:
      TIMED(ow_softmax_f16(a0, a1, a2, a3));
      break;
    case OW_TB_LAYERNORM:
      TIMED(ow_layernorm_f16((const struct ow_layernorm*)call->args));
      break;
    case OW_TB_LATENCY:
      TIMED(latency(a0, a1, ow_tb_result.words, OW_TILE_REGS + OW_REG_COUNTER(0)));
      break;
    case OW_TB_BACK_TO_BACK:
      TIMED(back_to_back(a0, a1));
      break;
    case OW_TB_LAUNCH_MANY:
      TIMED(launch_many(a0, a1));
      break;
    case OW_TB_TASKS_READY:
      ow_tb_result.sum = ow_tb_task_sum;
      break;
    case OW_TB_SEND_WORDS:
      instruction(a0, a1);
      break;
    case OW_TB_BESIDE:
      beside(a0, a1, a2);
      break;
#endif
    default:
      break;
  }
  ow_tb_result.calls = ow_tb_result.calls + 1;
}

void ow_main(void);
void ow_main(void) {
#ifndef OW_TB_ONLY_SPMV
  ow_nonzeros_to(OW_TB_OUTQ);
#endif
  ow_tb_result.calls = 0;
  ow_tb_result.dones = 0;
  ow_task_register(OW_TB_TASK_LAUNCH, task_launch);
  ow_task_register(OW_TB_TASK_DONE, task_done);
  ow_task_register(OW_TASK_DATA(OW_TB_INQ_TASK), task_add);
}
