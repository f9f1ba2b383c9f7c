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
#define OW_REG_TASK_PRIORITY 0x290u
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
#define OW_REG_RED_START 0x328u
#define OW_REG_COUNTER(k) (0x400u + 8u * (k))
#define OW_REG_ENGINE_FAULT 0x510u
#define OW_REG_ROW 0x780u
#define OW_REG_COL 0x784u
#define OW_REG_CONFIG 0x788u
#define OW_REG_PRNG(k) (0x790u + 4u * (k))

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

// Seeds the generator of stochastic rounding (xoshiro128+, docs/numerics.md). The state must not be
// all zero.
static inline void ow_prng_seed(uint32_t s0, uint32_t s1, uint32_t s2, uint32_t s3) {
  ow_reg_write(OW_REG_PRNG(0), s0);
  ow_reg_write(OW_REG_PRNG(1), s1);
  ow_reg_write(OW_REG_PRNG(2), s2);
  ow_reg_write(OW_REG_PRNG(3), s3);
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
// The tasks of the mask (a bit a task) go before the others, without starving them.
static inline void ow_task_priority(uint32_t mask) { ow_reg_write(OW_REG_TASK_PRIORITY, mask); }

// Puts a wavelet into an output queue; the core waits while the queue is full.
static inline void ow_push(uint32_t queue, uint32_t data) {
  ow_reg_write(OW_REG_PUSH(queue), data);
}
static inline void ow_push_control(uint32_t queue, uint32_t data) {
  ow_reg_write(OW_REG_PUSH_CTRL(queue), data);
}

// ----------------------------------------------------------------------------- descriptors ------
enum ow_kind {
  OW_KIND_NONE = 0,
  OW_KIND_MEM = 1,
  OW_KIND_FABRIC_IN = 2,
  OW_KIND_FABRIC_OUT = 3,
  OW_KIND_FIFO = 4
};

enum ow_type {
  OW_F16 = 0,
  OW_BF16 = 1,
  OW_F32 = 2,
  OW_MIXED = 3,  // operations only: binary16 sources, fp32 destination
  OW_I16 = 4,
  OW_I32 = 5,
  OW_I8 = 6,
  OW_MIXEDB = 7  // operations only: bfloat16 sources, fp32 destination
};

// Bytes of an element of a descriptor's type.
static inline uint32_t ow_type_bytes(enum ow_type type) {
  return type == OW_F32 || type == OW_I32 ? 4u : type == OW_I8 ? 1u : 2u;
}

#define OW_NUM_DSRS 32u
#define OW_NUM_FIFOS 4u
#define OW_NUM_THREADS 13u  // the task thread and 12 microthreads
#define OW_SAVE_ADDRESS (1u << 11)
// fabric out: append a control wavelet with these bits at the end
#define OW_CLOSE(stream_end, row_end) \
  ((1u << 12) | ((uint32_t)(row_end) << 13) | ((uint32_t)(stream_end) << 14))
// fabric out: zeros (also -0) are not sent
#define OW_SKIP_ZEROS (1u << 15)
// fabric: a wavelet is an index (high half) and a 16-bit value. Out: the index of the element. In:
// the element goes to the destination's address + index * its step_0.
#define OW_TAGGED (1u << 16)

// Byte address of fp32 word n of the accumulator cache.
#define OW_ACC_ADDR(n) (0x800000u + 4u * (n))

// ow.dsrw: writes one word of a descriptor. `word` must be a constant. Waits while a running
// thread uses the descriptor.
#define ow_dsrw(dsr, word, value)                                                          \
  __asm__ volatile(".insn r 0x2b, 1, %0, x0, %z1, %z2" ::"i"(word), "rJ"((uint32_t)(dsr)), \
                   "rJ"((uint32_t)(value)))

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

// Operand a of axpyw and dotw: `samples` 16-bit elements side by side for each index, `pitch` bytes
// from one index to the next (these instructions take the step of dimension 1 as that distance).
static inline void ow_dsr_indexed_t(uint32_t dsr, enum ow_type type, uint32_t addr,
                                    uint32_t samples, uint32_t indices, int32_t pitch) {
  ow_dsr_mem1(dsr, type, addr, samples, 2);
  ow_dsrw(dsr, 3, ow_dim_word(indices, pitch));
}
static inline void ow_dsr_indexed(uint32_t dsr, uint32_t addr, uint32_t samples, uint32_t indices,
                                  int32_t pitch) {
  ow_dsr_indexed_t(dsr, OW_F16, addr, samples, indices, pitch);
}

// A circular FIFO of `capacity` elements at `base`, in FIFO register `fifo` (0 to 3); empties it.
// Any number of descriptors may name the same register: ow_dsr_fifo_ref makes one that leaves the
// register as it is.
static inline void ow_dsr_fifo_ref(uint32_t dsr, enum ow_type type, uint32_t fifo) {
  ow_dsrw(dsr, 0, OW_KIND_FIFO | ((uint32_t)type << 4) | (fifo << 8));
}
static inline void ow_dsr_fifo(uint32_t dsr, enum ow_type type, uint32_t fifo, uint32_t base,
                               uint32_t capacity) {
  ow_dsr_fifo_ref(dsr, type, fifo);
  ow_dsrw(dsr, 1, base);
  ow_dsrw(dsr, 2, capacity & 0xFFFFu);
}
// Elements in the FIFO that the descriptor names.
#define ow_fifo_count(dsr) (ow_dsrr(dsr, 3) & 0xFFFFu)

// Fabric operands. Length 0 of fabric in: until a control wavelet with the stream-end bit. `flags`:
// OW_TAGGED, or 0.
static inline void ow_dsr_fabric_in_f(uint32_t dsr, enum ow_type type, uint32_t queue,
                                      uint32_t length, uint32_t flags) {
  ow_dsrw(dsr, 0, OW_KIND_FABRIC_IN | ((uint32_t)type << 4) | (queue << 8) | flags);
  ow_dsrw(dsr, 1, 0);
  ow_dsrw(dsr, 2, ow_dim_word(length, 0));
  ow_dsrw(dsr, 3, 0);
  ow_dsrw(dsr, 4, 0);
  ow_dsrw(dsr, 5, 0);
}
static inline void ow_dsr_fabric_in(uint32_t dsr, enum ow_type type, uint32_t queue,
                                    uint32_t length) {
  ow_dsr_fabric_in_f(dsr, type, queue, length, 0);
}

// `close`: 0, or OW_CLOSE(...), OW_SKIP_ZEROS and OW_TAGGED or'ed together.
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
  OW_OP_AND = 8,
  OW_OP_OR = 9,
  OW_OP_XOR = 10,
  OW_OP_SLL = 11,
  OW_OP_SRL = 12,
  OW_OP_SRA = 13,
  OW_OP_AXPYW = 16,
  OW_OP_DRAIN = 17,
  OW_OP_DOTW = 18,
  OW_OP_CMPEQ = 20,
  OW_OP_CMPNE = 21,
  OW_OP_CMPLT = 22,
  OW_OP_CMPLE = 23,
  OW_OP_DOT = 24,
  OW_OP_SUM = 25,
  OW_OP_RMAX = 26,
  OW_OP_RMIN = 27,
  OW_OP_GATHER = 28,
  OW_OP_SCATTER = 29,
  OW_OP_FMAG = 30,
  OW_OP_RCP = 32,
  OW_OP_RSQRT = 33,
  OW_OP_EXP = 34,
  OW_OP_LOG = 35,
  OW_OP_TANH = 36,
  OW_OP_SIGMOID = 37
};

// Control word: descriptors, thread (0: the core waits; 1..12: a microthread), and what is done on
// completion.
#define OW_CTL(dst, a, b, thread) \
  ((uint32_t)(dst) | ((uint32_t)(a) << 5) | ((uint32_t)(b) << 10) | ((uint32_t)(thread) << 16))
#define OW_SCALAR (1u << 15)
#define OW_PRIORITY (1u << 20)    // the thread goes before others
#define OW_STOCHASTIC (1u << 21)  // cvt from fp32 to 16 bits: stochastic rounding
// fma, fmag: the first pass over dimension 0 takes dst as +0, so that sums need no clearing.
#define OW_FRESH (1u << 22)
#define OW_THEN_ACTIVATE(task) ((1u << 24) | ((uint32_t)(task) << 26))
#define OW_THEN_UNBLOCK(task) ((2u << 24) | ((uint32_t)(task) << 26))

// `op` and `type` must be constants.
#define ow_tensor(op, type, ctl, scalar)                                                           \
  __asm__ volatile(".insn r 0x0b, %0, %1, x0, %2, %z3" ::"i"(type), "i"(op), "r"((uint32_t)(ctl)), \
                   "rJ"((uint32_t)(scalar))                                                        \
                   : "memory")

// One source.
#define ow_mov(type, ctl) ow_tensor(OW_OP_MOV, type, ctl, 0)
#define ow_mov_s(type, ctl, scalar) ow_tensor(OW_OP_MOV, type, (ctl) | OW_SCALAR, scalar)
// The cast of a to the type of dst's descriptor; OW_STOCHASTIC in ctl is allowed from fp32.
#define ow_cvt(source_type, ctl) ow_tensor(OW_OP_CVT, source_type, ctl, 0)

// Two sources, or one and a scalar (_s). fma: dst = a * b + dst.
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
#define ow_and(type, ctl) ow_tensor(OW_OP_AND, type, ctl, 0)
#define ow_and_s(type, ctl, scalar) ow_tensor(OW_OP_AND, type, (ctl) | OW_SCALAR, scalar)
#define ow_or(type, ctl) ow_tensor(OW_OP_OR, type, ctl, 0)
#define ow_or_s(type, ctl, scalar) ow_tensor(OW_OP_OR, type, (ctl) | OW_SCALAR, scalar)
#define ow_xor(type, ctl) ow_tensor(OW_OP_XOR, type, ctl, 0)
#define ow_xor_s(type, ctl, scalar) ow_tensor(OW_OP_XOR, type, (ctl) | OW_SCALAR, scalar)
#define ow_sll(type, ctl) ow_tensor(OW_OP_SLL, type, ctl, 0)
#define ow_sll_s(type, ctl, scalar) ow_tensor(OW_OP_SLL, type, (ctl) | OW_SCALAR, scalar)
#define ow_srl(type, ctl) ow_tensor(OW_OP_SRL, type, ctl, 0)
#define ow_srl_s(type, ctl, scalar) ow_tensor(OW_OP_SRL, type, (ctl) | OW_SCALAR, scalar)
#define ow_sra(type, ctl) ow_tensor(OW_OP_SRA, type, ctl, 0)
#define ow_sra_s(type, ctl, scalar) ow_tensor(OW_OP_SRA, type, (ctl) | OW_SCALAR, scalar)
#define ow_cmpeq(type, ctl) ow_tensor(OW_OP_CMPEQ, type, ctl, 0)
#define ow_cmpeq_s(type, ctl, scalar) ow_tensor(OW_OP_CMPEQ, type, (ctl) | OW_SCALAR, scalar)
#define ow_cmpne(type, ctl) ow_tensor(OW_OP_CMPNE, type, ctl, 0)
#define ow_cmpne_s(type, ctl, scalar) ow_tensor(OW_OP_CMPNE, type, (ctl) | OW_SCALAR, scalar)
#define ow_cmplt(type, ctl) ow_tensor(OW_OP_CMPLT, type, ctl, 0)
#define ow_cmplt_s(type, ctl, scalar) ow_tensor(OW_OP_CMPLT, type, (ctl) | OW_SCALAR, scalar)
#define ow_cmple(type, ctl) ow_tensor(OW_OP_CMPLE, type, ctl, 0)
#define ow_cmple_s(type, ctl, scalar) ow_tensor(OW_OP_CMPLE, type, (ctl) | OW_SCALAR, scalar)

// Reductions over dimension 0 of a: one result an inner vector, in the type of dst's descriptor.
#define ow_dot(type, ctl) ow_tensor(OW_OP_DOT, type, ctl, 0)
#define ow_sum(type, ctl) ow_tensor(OW_OP_SUM, type, ctl, 0)
#define ow_rmax(type, ctl) ow_tensor(OW_OP_RMAX, type, ctl, 0)
#define ow_rmin(type, ctl) ow_tensor(OW_OP_RMIN, type, ctl, 0)

// Indexed by 16-bit unsigned indices in b; x at the byte address `x`.
// gather: dst[i] = x[b[i]]; scatter: x[b[i]] = a[i]; fmag: dst[i] = a[i] * x[b[i]] + dst[i].
#define ow_gather(type, ctl, x) ow_tensor(OW_OP_GATHER, type, ctl, x)
#define ow_scatter(type, ctl, x) ow_tensor(OW_OP_SCATTER, type, ctl, x)
#define ow_fmag(type, ctl, x) ow_tensor(OW_OP_FMAG, type, ctl, x)

// Functions of a, binary16 and bfloat16.
#define ow_rcp(type, ctl) ow_tensor(OW_OP_RCP, type, ctl, 0)
#define ow_rsqrt(type, ctl) ow_tensor(OW_OP_RSQRT, type, ctl, 0)
#define ow_exp(type, ctl) ow_tensor(OW_OP_EXP, type, ctl, 0)
#define ow_log(type, ctl) ow_tensor(OW_OP_LOG, type, ctl, 0)
#define ow_tanh(type, ctl) ow_tensor(OW_OP_TANH, type, ctl, 0)
#define ow_sigmoid(type, ctl) ow_tensor(OW_OP_SIGMOID, type, ctl, 0)

// Triggered by wavelets (docs/isa.md). dotw: `x` is the byte address of the vector.
#define ow_axpyw(ctl) ow_tensor(OW_OP_AXPYW, OW_MIXED, ctl, 0)
#define ow_axpyw_t(type, ctl) ow_tensor(OW_OP_AXPYW, type, ctl, 0)
#define ow_dotw(type, ctl, x) ow_tensor(OW_OP_DOTW, type, ctl, x)
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
