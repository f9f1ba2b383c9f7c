// SPDX-License-Identifier: Apache-2.0
// What firmware sees of a tile: registers (docs/memory-map.md), system instructions, descriptors
// and tensor instructions (docs/isa.md). Everything is inline; a kernel needs no assembly.
#ifndef OW_TILE_H_
#define OW_TILE_H_

#include <stdint.h>

// ------------------------------------------------------------------------------- registers ------
#define OW_TILE_REGS 0xF0000000u

#define OW_REG_ROUTE(c) (0x000u + 4u * (c))
#define OW_REG_INQ(q) (0x100u + 4u * (q))
#define OW_REG_OUTQ(q) (0x140u + 4u * (q))
#define OW_REG_INQ_LEVEL 0x180u
#define OW_REG_OUTQ_LEVEL 0x184u
#define OW_REG_PUSH(q) (0x1C0u + 8u * (q))
#define OW_REG_PUSH_CTRL(q) (0x1C4u + 8u * (q))
#define OW_REG_TASK_ENTRY(t) (0x200u + 4u * (t))
#define OW_REG_ACTIVATE 0x280u
#define OW_REG_BLOCK 0x284u
#define OW_REG_UNBLOCK 0x288u
#define OW_REG_TASK_RUNNING 0x28Cu
#define OW_REG_RED_ACC 0x300u
#define OW_REG_RED_COUNT 0x304u
#define OW_REG_RED_PHASE 0x308u
#define OW_REG_RED_ACT_LT 0x30Cu
#define OW_REG_RED_ACT_EQ 0x310u
#define OW_REG_RED_ACT_GT 0x314u
#define OW_REG_RED_BIAS 0x318u
#define OW_REG_RED_DST 0x31Cu
#define OW_REG_RED_PITCH 0x320u
#define OW_REG_RED_STATUS 0x324u
#define OW_REG_COUNTER(k) (0x400u + 8u * (k))
#define OW_REG_ENGINE_FAULT 0x510u
#define OW_REG_ROW 0x780u
#define OW_REG_COL 0x784u
#define OW_REG_CONFIG 0x788u

static inline uint32_t ow_reg_read(uint32_t offset) {
  return *(volatile uint32_t*)(OW_TILE_REGS + offset);
}

static inline void ow_reg_write(uint32_t offset, uint32_t value) {
  *(volatile uint32_t*)(OW_TILE_REGS + offset) = value;
}

// Low word of the cycle count.
static inline uint32_t ow_cycles(void) {
  uint32_t value;
  __asm__ volatile("csrr %0, mcycle" : "=r"(value));
  return value;
}

// ----------------------------------------------------------------------------------- tasks ------
// Tasks 0 to 7 run for data wavelets of input queues 0 to 7, 8 to 15 for their control wavelets,
// 16 to 31 only when activated.
#define OW_NUM_TASKS 32u
#define OW_TASK_DATA(q) (q)
#define OW_TASK_CONTROL(q) (8u + (q))
#define OW_TASK_LOCAL(n) (16u + (n))

// A task: `data` is the wavelet's data, 0 for a local task.
typedef void (*ow_task_fn)(uint32_t data);

static inline void ow_task_register(uint32_t task, ow_task_fn entry) {
  ow_reg_write(OW_REG_TASK_ENTRY(task), (uint32_t)(uintptr_t)entry);
}

static inline void ow_task_activate(uint32_t task) { ow_reg_write(OW_REG_ACTIVATE, 1u << task); }
static inline void ow_task_block(uint32_t task) { ow_reg_write(OW_REG_BLOCK, 1u << task); }
static inline void ow_task_unblock(uint32_t task) { ow_reg_write(OW_REG_UNBLOCK, 1u << task); }

// Puts a wavelet into an output queue; the core waits while the queue is full.
static inline void ow_push(uint32_t queue, uint32_t data) {
  ow_reg_write(OW_REG_PUSH(queue), data);
}
static inline void ow_push_control(uint32_t queue, uint32_t data) {
  ow_reg_write(OW_REG_PUSH_CTRL(queue), data);
}

// ----------------------------------------------------------------------------- descriptors ------
enum ow_kind { OW_KIND_NONE = 0, OW_KIND_MEM = 1, OW_KIND_FABRIC_IN = 2, OW_KIND_FABRIC_OUT = 3 };

enum ow_type {
  OW_F16 = 0,
  OW_BF16 = 1,
  OW_F32 = 2,
  OW_MIXED = 3,  // operations only: 16-bit sources, fp32 destination
  OW_I16 = 4,
  OW_I32 = 5,
  OW_I8 = 6
};

#define OW_NUM_DSRS 32u
#define OW_SAVE_ADDRESS (1u << 11)
// fabric out: append a control wavelet with these bits at the end
#define OW_CLOSE(stream_end, row_end) \
  ((1u << 12) | ((uint32_t)(row_end) << 13) | ((uint32_t)(stream_end) << 14))

// Byte address of fp32 word n of the accumulator cache.
#define OW_ACC_ADDR(n) (0x800000u + 4u * (n))

// ow.dsrw: writes one word of a descriptor. `word` must be a constant. Waits while a running
// thread uses the descriptor.
#define ow_dsrw(dsr, word, value)                                                       \
  __asm__ volatile(".insn r 0x2b, 1, %0, x0, %1, %2" ::"i"(word), "r"((uint32_t)(dsr)), \
                   "r"((uint32_t)(value))                                               \
                   : "memory")

// ow.dsrr: reads it back; word 1 is the advanced address of a descriptor with OW_SAVE_ADDRESS.
#define ow_dsrr(dsr, word)                             \
  __extension__({                                      \
    uint32_t ow_value_;                                \
    __asm__ volatile(".insn r 0x2b, 2, %1, %0, %2, x0" \
                     : "=r"(ow_value_)                 \
                     : "i"(word), "r"((uint32_t)(dsr)) \
                     : "memory");                      \
    ow_value_;                                         \
  })

static inline uint32_t ow_dim_word(uint32_t length, int32_t step) {
  return (length & 0xFFFFu) | ((uint32_t)step << 16);
}

// Memory operand of one dimension: `length` elements, `stride` bytes from one to the next.
static inline void ow_dsr_mem1(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t length,
                               int32_t stride) {
  ow_dsrw(dsr, 0, OW_KIND_MEM | ((uint32_t)type << 4));
  ow_dsrw(dsr, 1, addr);
  ow_dsrw(dsr, 2, ow_dim_word(length, stride));
  ow_dsrw(dsr, 3, 0);
  ow_dsrw(dsr, 4, 0);
  ow_dsrw(dsr, 5, 0);
}

// Two to four dimensions. A stride is the distance in bytes between elements whose index in that
// dimension differs by one, whatever the other dimensions are; the hardware's steps (added once
// the dimensions below have been walked to their end) are worked out here.
static inline void ow_dsr_mem2(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t len0,
                               int32_t stride0, uint32_t len1, int32_t stride1) {
  ow_dsr_mem1(dsr, type, addr, len0, stride0);
  ow_dsrw(dsr, 3, ow_dim_word(len1, stride1 - (int32_t)len0 * stride0));
}

static inline void ow_dsr_mem3(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t len0,
                               int32_t stride0, uint32_t len1, int32_t stride1, uint32_t len2,
                               int32_t stride2) {
  ow_dsr_mem2(dsr, type, addr, len0, stride0, len1, stride1);
  ow_dsrw(dsr, 4, ow_dim_word(len2, stride2 - (int32_t)len1 * stride1));
}

static inline void ow_dsr_mem4(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t len0,
                               int32_t stride0, uint32_t len1, int32_t stride1, uint32_t len2,
                               int32_t stride2, uint32_t len3, int32_t stride3) {
  ow_dsr_mem3(dsr, type, addr, len0, stride0, len1, stride1, len2, stride2);
  ow_dsrw(dsr, 5, ow_dim_word(len3, stride3 - (int32_t)len2 * stride2));
}

// Operand a of axpyw: `samples` f16 elements side by side for each index, `pitch` bytes from one
// index to the next (axpyw takes the step of dimension 1 as that distance).
static inline void ow_dsr_indexed(uint32_t dsr, uint32_t addr, uint32_t samples, uint32_t indices,
                                  int32_t pitch) {
  ow_dsr_mem1(dsr, OW_F16, addr, samples, 2);
  ow_dsrw(dsr, 3, ow_dim_word(indices, pitch));
}

// Fabric operands. Length 0 of fabric in: until a control wavelet with the stream-end bit.
static inline void ow_dsr_fabric_in(uint32_t dsr, enum ow_type type, uint32_t queue,
                                    uint32_t length) {
  ow_dsrw(dsr, 0, OW_KIND_FABRIC_IN | ((uint32_t)type << 4) | (queue << 8));
  ow_dsrw(dsr, 1, 0);
  ow_dsrw(dsr, 2, ow_dim_word(length, 0));
  ow_dsrw(dsr, 3, 0);
  ow_dsrw(dsr, 4, 0);
  ow_dsrw(dsr, 5, 0);
}

// `close`: 0 or OW_CLOSE(...).
static inline void ow_dsr_fabric_out(uint32_t dsr, enum ow_type type, uint32_t queue,
                                     uint32_t length, uint32_t close) {
  ow_dsrw(dsr, 0, OW_KIND_FABRIC_OUT | ((uint32_t)type << 4) | (queue << 8) | close);
  ow_dsrw(dsr, 1, 0);
  ow_dsrw(dsr, 2, ow_dim_word(length, 0));
  ow_dsrw(dsr, 3, 0);
  ow_dsrw(dsr, 4, 0);
  ow_dsrw(dsr, 5, 0);
}

// ---------------------------------------------------------------------- tensor instructions ------
enum ow_op {
  OW_OP_MOV = 0,
  OW_OP_ADD = 1,
  OW_OP_SUB = 2,
  OW_OP_MUL = 3,
  OW_OP_FMA = 4,
  OW_OP_MAX = 5,
  OW_OP_MIN = 6,
  OW_OP_CVT = 7,
  OW_OP_AXPYW = 16,
  OW_OP_DRAIN = 17
};

// Control word: descriptors, thread (0: the core waits; 1..12: a microthread), and what is done on
// completion.
#define OW_CTL(dst, a, b, thread) \
  ((uint32_t)(dst) | ((uint32_t)(a) << 5) | ((uint32_t)(b) << 10) | ((uint32_t)(thread) << 16))
#define OW_SCALAR (1u << 15)
#define OW_THEN_ACTIVATE(task) ((1u << 24) | ((uint32_t)(task) << 26))
#define OW_THEN_UNBLOCK(task) ((2u << 24) | ((uint32_t)(task) << 26))

// `op` and `type` must be constants.
#define ow_tensor(op, type, ctl, scalar)                                                          \
  __asm__ volatile(".insn r 0x0b, %0, %1, x0, %2, %3" ::"i"(type), "i"(op), "r"((uint32_t)(ctl)), \
                   "r"((uint32_t)(scalar))                                                        \
                   : "memory")

#define ow_mov(type, ctl) ow_tensor(OW_OP_MOV, type, ctl, 0)
#define ow_mov_s(type, ctl, scalar) ow_tensor(OW_OP_MOV, type, (ctl) | OW_SCALAR, scalar)
#define ow_add(type, ctl) ow_tensor(OW_OP_ADD, type, ctl, 0)
#define ow_add_s(type, ctl, scalar) ow_tensor(OW_OP_ADD, type, (ctl) | OW_SCALAR, scalar)
#define ow_sub(type, ctl) ow_tensor(OW_OP_SUB, type, ctl, 0)
#define ow_sub_s(type, ctl, scalar) ow_tensor(OW_OP_SUB, type, (ctl) | OW_SCALAR, scalar)
#define ow_mul(type, ctl) ow_tensor(OW_OP_MUL, type, ctl, 0)
#define ow_mul_s(type, ctl, scalar) ow_tensor(OW_OP_MUL, type, (ctl) | OW_SCALAR, scalar)
#define ow_fma(type, ctl) ow_tensor(OW_OP_FMA, type, ctl, 0)
#define ow_fma_s(type, ctl, scalar) ow_tensor(OW_OP_FMA, type, (ctl) | OW_SCALAR, scalar)
#define ow_max(type, ctl) ow_tensor(OW_OP_MAX, type, ctl, 0)
#define ow_max_s(type, ctl, scalar) ow_tensor(OW_OP_MAX, type, (ctl) | OW_SCALAR, scalar)
#define ow_min(type, ctl) ow_tensor(OW_OP_MIN, type, ctl, 0)
#define ow_min_s(type, ctl, scalar) ow_tensor(OW_OP_MIN, type, (ctl) | OW_SCALAR, scalar)
#define ow_cvt(source_type, ctl) ow_tensor(OW_OP_CVT, source_type, ctl, 0)
#define ow_axpyw(ctl) ow_tensor(OW_OP_AXPYW, OW_MIXED, ctl, 0)
#define ow_drain(ctl) ow_tensor(OW_OP_DRAIN, OW_F32, ctl, 0)

// --------------------------------------------------------------------------------- reducer ------
// Actions of REG_RED_ACT_*.
#define OW_RED_ENABLE (1u << 0)
#define OW_RED_IN0(q) ((1u << 1) | ((uint32_t)(q) << 2))
#define OW_RED_IN1(q) ((1u << 5) | ((uint32_t)(q) << 6))
#define OW_RED_TO_MEMORY (1u << 9)
#define OW_RED_OUT(q) ((uint32_t)(q) << 10)
#define OW_RED_ADD_BIAS (1u << 13)
#define OW_RED_ROUND_F16 (1u << 14)
#define OW_RED_RELU (1u << 15)

#endif  // OW_TILE_H_
