// SPDX-License-Identifier: Apache-2.0
// What the firmware of `ow bench tile` and its host program agree on.
#ifndef OW_MEASURE_TILE_CALLS_H_
#define OW_MEASURE_TILE_CALLS_H_

#include <stdint.h>

#define OW_TB_TASK_LAUNCH 16u
#define OW_TB_TASK_DONE 17u
#define OW_TB_INQ 0u       // operand streams
#define OW_TB_INQ_TASK 1u  // wavelets that make a data task ready
#define OW_TB_OUTQ 0u

#define OW_TB_ARGS 10u
#define OW_TB_DSRS 26u

// Kernels: the call with its arguments in `args`, in the order of ow/kernels.h.
enum ow_tb_function {
  OW_TB_INSTRUCTION,  // the instruction at symbol ow_tb_insn with args: control word, scalar
  OW_TB_AXPY_F16,
  OW_TB_AXPY_BF16,
  OW_TB_AXPY_F32,
  OW_TB_SCAL_F16,
  OW_TB_SCAL_F32,
  OW_TB_COPY_16,
  OW_TB_COPY_32,
  OW_TB_DOT_F16,
  OW_TB_DOT_BF16,
  OW_TB_DOT_F32,
  OW_TB_DOT_I8,
  OW_TB_SUM_F16,
  OW_TB_SUM_F32,
  OW_TB_MAX_F16,
  OW_TB_MIN_F32,
  OW_TB_NRM2_F16,
  OW_TB_NRM2_F32,
  OW_TB_GEMV_F16,
  OW_TB_GEMV_BF16,
  OW_TB_GEMV_F32,
  OW_TB_GEMV_T_F16,
  OW_TB_GEMV_T_BF16,
  OW_TB_GEMV_T_F32,
  OW_TB_GEMM_F16,  // args: struct ow_gemm
  OW_TB_GEMM_BF16,
  OW_TB_GEMM_F32,
  OW_TB_AXPYI_F16,
  OW_TB_AXPYI_F32,
  OW_TB_SPMV_F16,
  OW_TB_SPMV_F32,
  OW_TB_SPMM,      // args: struct ow_spmm
  OW_TB_ACT_LOAD,  // activation-sparse gemv: descriptors
  OW_TB_ACT_RUN,
  OW_TB_SEND_NONZEROS,
  OW_TB_SOFTMAX,
  OW_TB_LAYERNORM,  // args: struct ow_layernorm
  // Measurements of the machine.
  OW_TB_LATENCY,  // args: control word, scalar: the instruction, then reads of the beat counter
  OW_TB_BACK_TO_BACK,  // args: count (of 12), scalar: binary16 fma with a scalar, thread 1 + i %
                       // 12, descriptors 2 (i % 12) (y) and 2 (i % 12) + 1 (x), addresses saved
  OW_TB_LAUNCH_MANY,   // args: threads, scalar: one fma on each of threads 1.. as above; TASK_DONE
                       // follows each
  OW_TB_TASKS_READY,   // nothing: the data task counts by itself
  OW_TB_SEND_WORDS,    // the mov at symbol ow_tb_insn, descriptors as loaded
  OW_TB_BESIDE  // args: control word of a mov f32 on a microthread that waits for the fabric,
                // then as INSTRUCTION: control word, scalar
};

struct ow_tb_dsr {
  uint32_t dsr;
  uint32_t word[6];
};

// Symbol ow_tb_call; the host writes it, then activates OW_TB_TASK_LAUNCH.
struct ow_tb_call {
  uint32_t function;
  uint32_t args[OW_TB_ARGS];
  uint32_t dsrs;  // descriptors to load before the call, not timed
  struct ow_tb_dsr dsr[OW_TB_DSRS];
};

// Symbol ow_tb_result.
struct ow_tb_result {
  uint32_t begin;      // cycle count before the first instruction of the call
  uint32_t end;        // after its last: when it returned, or when TASK_DONE ran last
  uint32_t calls;      // returned
  uint32_t dones;      // runs of TASK_DONE
  uint32_t sum;        // of the data task: wavelets added up
  uint32_t words[24];  // LATENCY: values of the counter
};

#endif  // OW_MEASURE_TILE_CALLS_H_
