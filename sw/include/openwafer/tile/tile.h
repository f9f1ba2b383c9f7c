// SPDX-License-Identifier: Apache-2.0
// The tile as firmware sees it: registers (docs/memory-map.md), system instructions, descriptors
// and tensor instructions (docs/isa.md). Everything is inline; a kernel needs no assembly.
#ifndef OW_TILE_H_
#define OW_TILE_H_

#include <stdint.h>

#include "openwafer/tile/check.h"
#include "openwafer/tile/dsr.h"
#include "openwafer/tile/isa.h"
#include "openwafer/tile/scalar.h"
#include "openwafer/tile/wavelet.h"

// The program's own set-up, optional. Called once when the core starts: after the named tasks of
// openwafer/tile/export.h are registered, and before any task runs.
void ow_main(void);

// Memory that the start-up code does not clear, for what the host writes before the cores start.
#define OW_NOINIT __attribute__((section(".noinit"), used))

// A note of the ELF file (openwafer/tile/export.h) about a number that the program uses, if it is a
// constant: the host sees numbers that are used twice. It takes no SRAM. With OW_WITHOUT_NOTES
// there is none: for the kernel library, and for code whose cycles are counted.
#ifdef OW_WITHOUT_NOTES
#define OW_USE_NOTE(type, number)
#else
#define OW_USE_NOTE(type, number)                    \
  do {                                               \
    if (__builtin_constant_p(number)) {              \
      __asm__ __inline__ volatile(                   \
          ".pushsection .note.openwafer.use,\"a\"\n" \
          ".balign 4\n"                              \
          ".word 10, 4, %0\n"                        \
          ".asciz \"openwafer\"\n"                   \
          ".balign 4\n"                              \
          ".word %1\n"                               \
          ".popsection" ::"i"(type),                 \
          "i"(number));                              \
    }                                                \
  } while (0)
#endif

// ------------------------------------------------------------------------------- registers ------
// OW_REG_*: offsets of registers, in openwafer/tile/isa.h.
static inline uint32_t ow_reg_read(uint32_t offset) {
  return *(volatile uint32_t*)(OW_TILE_REGS + offset);
}

static inline void ow_reg_write(uint32_t offset, uint32_t value) {
  *(volatile uint32_t*)(OW_TILE_REGS + offset) = value;
}

// Makes the core do misaligned loads and stores in a trap handler (about 160 cycles each). Without
// it they stop the tile. Call it in ow_main.
void ow_emulate_misaligned(void);

// Low word of the cycle count.
static inline uint32_t ow_cycles(void) {
  uint32_t value;
  __asm__ volatile("csrr %0, mcycle" : "=r"(value));
  return value;
}

// Seeds the generator of stochastic rounding (xoshiro128+, docs/numerics.md). The state must not be
// all zero. Seeding while such a conversion runs stops the tile.
static inline void ow_prng_seed(uint32_t s0, uint32_t s1, uint32_t s2, uint32_t s3) {
  ow_reg_write(OW_REG_PRNG(0), s0);
  ow_reg_write(OW_REG_PRNG(1), s1);
  ow_reg_write(OW_REG_PRNG(2), s2);
  ow_reg_write(OW_REG_PRNG(3), s3);
}

// ----------------------------------------------------------------------------------- tasks ------
// Tasks 0 to 7 run for data wavelets of input queues 0 to 7, tasks 8 to 15 for their control
// wavelets, tasks 16 to 31 only when activated.
#define OW_TASK_DATA(q) \
  (OW_FIRST_DATA_TASK + OW_CHECKED(q, 7, "the queue of a data task is 0 to 7"))
#define OW_TASK_CONTROL(q) \
  (OW_FIRST_CONTROL_TASK + OW_CHECKED(q, 7, "the queue of a control task is 0 to 7"))
#define OW_TASK_LOCAL(n) \
  (OW_FIRST_LOCAL_TASK + OW_CHECKED(n, 15, "a local task is OW_TASK_LOCAL(0) to (15)"))

// A task: `data` is the wavelet's data, 0 for a local task.
typedef void (*ow_task_fn)(uint32_t data);

// Registers a task by its number, which must not be that of a task with a name.
OW_ALWAYS_INLINE void ow_task_register(uint32_t task, ow_task_fn entry) {
  OW_CHECK_TASK(task);
  OW_USE_NOTE(6, task);
  ow_reg_write(OW_REG_TASK_ENTRY(task), (uint32_t)(uintptr_t)entry);
}

OW_ALWAYS_INLINE void ow_task_activate(uint32_t task) {
  OW_CHECK_TASK(task);
  ow_reg_write(OW_REG_TASK_ACTIVATE, 1u << task);
}
OW_ALWAYS_INLINE void ow_task_block(uint32_t task) {
  OW_CHECK_TASK(task);
  ow_reg_write(OW_REG_TASK_BLOCK, 1u << task);
}
OW_ALWAYS_INLINE void ow_task_unblock(uint32_t task) {
  OW_CHECK_TASK(task);
  ow_reg_write(OW_REG_TASK_UNBLOCK, 1u << task);
}
// Tasks of the mask (one bit each) go before the others, without starving them.
static inline void ow_task_priority(uint32_t mask) { ow_reg_write(OW_REG_TASK_PRIORITY, mask); }

// Puts a wavelet into an output queue. While the queue is full the core waits, and no other task of
// the tile runs. If that can last (two tiles that send to each other, a grid fed faster than it is
// drained), send with a move on a microthread instead.
OW_ALWAYS_INLINE void ow_push(uint32_t queue, uint32_t data) {
  OW_CHECK_QUEUE(queue);
  ow_reg_write(OW_REG_PUSH(queue), data);
}
// Sends a control wavelet (openwafer/tile/wavelet.h defines its data).
OW_ALWAYS_INLINE void ow_push_control(uint32_t queue, uint32_t data) {
  OW_CHECK_QUEUE(queue);
  ow_reg_write(OW_REG_PUSH_CTRL(queue), data);
}

// ----------------------------------------------------------------------------- descriptors ------
// Kinds (enum ow_kind) and types (enum ow_type) are in openwafer/tile/isa.h. Every `dsr` is a name
// of OW_DSR (openwafer/tile/export.h) or a number. If a program has both, the code with numbers
// claims them (OW_CLAIM).

// The operand that an instruction does not have. No descriptor with a name has this number.
#define OW_NONE 31u

// What a name is to the compiler: its address is the number.
struct ow_dsr_name {
  char ow_unused;
};
// The number of a descriptor.
#define OW_DSR_ID(dsr) \
  _Generic((dsr), const struct ow_dsr_name* : ow_dsr_of_name, default : ow_dsr_of_number)(dsr)
OW_ALWAYS_INLINE uint32_t ow_dsr_of_name(const struct ow_dsr_name* name) {
  const uint32_t number = (uint32_t)(uintptr_t)name;
  if (number >= OW_NONE) __builtin_unreachable();  // so that fields of 5 bits need no mask
  return number;
}
OW_ALWAYS_INLINE uint32_t ow_dsr_of_number(uint32_t number) { return number; }

// Bytes per element of a descriptor's type.
static inline uint32_t ow_type_bytes(enum ow_type type) {
  return type == OW_F32 || type == OW_I32 ? 4u : type == OW_I8 ? 1u : 2u;
}

#define OW_NUM_THREADS OW_FULL_NUM_THREADS  // the task thread and the microthreads, of `full`
// Flags, and descriptors as words of memory, are in openwafer/tile/dsr.h.

// ow.dsrw: writes one word of a descriptor. `word` must be a constant. Waits while a running thread
// uses the descriptor. The other words stay, dimensions of an earlier use too: ow_dsr_mem1 and so
// on write all of them.
#define ow_dsrw(dsr, word, value)               \
  do {                                          \
    const uint32_t ow_number_ = OW_DSR_ID(dsr); \
    OW_CHECK_DSR(ow_number_);                   \
    OW_USE_NOTE(7, ow_number_);                 \
    OW_DSRW_INSN(ow_number_, word, value);      \
  } while (0)

// The same for the destination descriptor of control word `ctl`. ow.dsrw reads only the lowest
// bits, where the destination is, so one register of the core serves both.
#define ow_dsrw_dst(ctl, word, value) OW_DSRW_INSN(ctl, word, value)
_Static_assert(OW_CTL_DST_LSB == 0 && OW_CTL_DST_MASK == OW_NUM_DSRS - 1,
               "a control word is the number of its destination, too");

#define OW_DSRW_INSN(dsr, word, value)                                                             \
  do {                                                                                             \
    _Static_assert((word) >= 0 && (word) <= 5, "a descriptor has words 0 to 5");                   \
    __asm__ volatile(".insn r %0, %1, %2, x0, %z3, %z4" ::"i"(OW_OPCODE_SYSTEM), "i"(OW_SYS_DSRW), \
                     "i"(word), "rJ"((uint32_t)(dsr)), "rJ"((uint32_t)(value)));                   \
  } while (0)

// ow.dsrl: loads all words of a descriptor from `words`, a const struct ow_dsr_words* (tables:
// openwafer/tile/dsr.h). Waits while a running thread uses the descriptor. Eight cycles before the
// next load or tensor instruction; the core does other things in the last two of them.
#define ow_dsr_load(dsr, words)                                                                  \
  do {                                                                                           \
    const uint32_t ow_number_ = OW_DSR_ID(dsr);                                                  \
    const struct ow_dsr_words* const ow_words_ = (words);                                        \
    OW_CHECK_DSR(ow_number_);                                                                    \
    OW_USE_NOTE(7, ow_number_);                                                                  \
    __asm__ volatile(".insn r %0, %1, 0, x0, %2, %z3" ::"i"(OW_OPCODE_SYSTEM), "i"(OW_SYS_DSRL), \
                     "r"(ow_words_), "rJ"(ow_number_), "m"(*ow_words_));                         \
  } while (0)

// ow.dsrr: reads a word back. Word 1 is the advanced address of a descriptor with OW_SAVE_ADDRESS.
#define ow_dsrr(dsr, word)                                                                 \
  __extension__({                                                                          \
    const uint32_t ow_number_ = OW_DSR_ID(dsr);                                            \
    uint32_t ow_value_;                                                                    \
    OW_CHECK_DSR(ow_number_);                                                              \
    __asm__ volatile(".insn r %1, %2, %3, %0, %4, x0"                                      \
                     : "=r"(ow_value_)                                                     \
                     : "i"(OW_OPCODE_SYSTEM), "i"(OW_SYS_DSRR), "i"(word), "r"(ow_number_) \
                     : "memory");                                                          \
    ow_value_;                                                                             \
  })

OW_ALWAYS_INLINE uint32_t ow_dim_word(uint32_t length, int32_t step) {
  OW_CHECK_STREAM(length);
  OW_CHECK_STEP(step);
  return OW_DIM_LENGTH(length) | OW_DIM_STEP(step);
}

// A memory operand of one dimension: `length` elements, `stride` bytes apart.
OW_ALWAYS_INLINE void ow_dsr_mem1(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t length,
                                  int32_t stride) {
  OW_CHECK_LENGTH(length);
  ow_dsrw(dsr, OW_DSR_KIND, OW_WORD_MEM(type));
  ow_dsrw(dsr, OW_DSR_ADDRESS, addr);
  ow_dsrw(dsr, OW_DSR_DIM0, ow_dim_word(length, stride));
  ow_dsrw(dsr, OW_DSR_DIM1, 0);
  ow_dsrw(dsr, OW_DSR_DIM2, 0);
  ow_dsrw(dsr, OW_DSR_DIM3, 0);
}

// Two to four dimensions. A stride is the distance in bytes between elements whose index in that
// dimension differs by one. The functions compute the hardware's steps, which are added after the
// inner dimensions are complete.
OW_ALWAYS_INLINE void ow_dsr_mem2(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t len0,
                                  int32_t stride0, uint32_t len1, int32_t stride1) {
  ow_dsr_mem1(dsr, type, addr, len0, stride0);
  OW_CHECK_LENGTH(len1);
  ow_dsrw(dsr, OW_DSR_DIM1, ow_dim_word(len1, stride1 - (int32_t)len0 * stride0));
}

OW_ALWAYS_INLINE void ow_dsr_mem3(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t len0,
                                  int32_t stride0, uint32_t len1, int32_t stride1, uint32_t len2,
                                  int32_t stride2) {
  ow_dsr_mem2(dsr, type, addr, len0, stride0, len1, stride1);
  OW_CHECK_LENGTH(len2);
  ow_dsrw(dsr, OW_DSR_DIM2, ow_dim_word(len2, stride2 - (int32_t)len1 * stride1));
}

OW_ALWAYS_INLINE void ow_dsr_mem4(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t len0,
                                  int32_t stride0, uint32_t len1, int32_t stride1, uint32_t len2,
                                  int32_t stride2, uint32_t len3, int32_t stride3) {
  ow_dsr_mem3(dsr, type, addr, len0, stride0, len1, stride1, len2, stride2);
  OW_CHECK_LENGTH(len3);
  ow_dsrw(dsr, OW_DSR_DIM3, ow_dim_word(len3, stride3 - (int32_t)len2 * stride2));
}

// Operand a of axpyw and dotw: `samples` consecutive 16-bit elements for each index, `pitch` bytes
// from one index to the next (the step of dimension 1).
OW_ALWAYS_INLINE void ow_dsr_indexed_t(uint32_t dsr, enum ow_type type, uint32_t addr,
                                       uint32_t samples, uint32_t indices, int32_t pitch) {
  ow_dsr_mem1(dsr, type, addr, samples, 2);
  OW_CHECK_LENGTH(indices);
  ow_dsrw(dsr, OW_DSR_DIM1, ow_dim_word(indices, pitch));
}
OW_ALWAYS_INLINE void ow_dsr_indexed(uint32_t dsr, uint32_t addr, uint32_t samples,
                                     uint32_t indices, int32_t pitch) {
  ow_dsr_indexed_t(dsr, OW_F16, addr, samples, indices, pitch);
}

// Operand b of dotw: indices from `queue`. Each row end moves to the next of `vectors` vectors,
// which are `pitch` bytes apart from dotw's `x` on; after the last comes the first.
OW_ALWAYS_INLINE void ow_dsr_vectors(uint32_t dsr, enum ow_type type, uint32_t queue,
                                     uint32_t vectors, int32_t pitch) {
  OW_CHECK_QUEUE(queue);
  OW_CHECK_LENGTH(vectors);
  ow_dsrw(dsr, OW_DSR_KIND, OW_WORD_FABRIC_IN(type, queue));
  ow_dsrw(dsr, OW_DSR_ADDRESS, 0);
  ow_dsrw(dsr, OW_DSR_DIM0, 0);
  ow_dsrw(dsr, OW_DSR_DIM1, ow_dim_word(vectors, pitch));
  ow_dsrw(dsr, OW_DSR_DIM2, 0);
  ow_dsrw(dsr, OW_DSR_DIM3, 0);
}

// A circular FIFO of `capacity` elements at `base`, in FIFO register `fifo` (0 to 3). This empties
// it. Several descriptors may name the same register: ow_dsr_fifo_ref makes one and leaves the
// register as it is.
OW_ALWAYS_INLINE void ow_dsr_fifo_ref(uint32_t dsr, enum ow_type type, uint32_t fifo) {
  OW_CHECK_FIFO(fifo);
  OW_USE_NOTE(8, fifo);
  ow_dsrw(dsr, OW_DSR_KIND, OW_WORD_FIFO(type, fifo));
}
OW_ALWAYS_INLINE void ow_dsr_fifo(uint32_t dsr, enum ow_type type, uint32_t fifo, uint32_t base,
                                  uint32_t capacity) {
  OW_CHECK_LENGTH(capacity);
  ow_dsr_fifo_ref(dsr, type, fifo);
  ow_dsrw(dsr, OW_DSR_ADDRESS, base);
  ow_dsrw(dsr, OW_DSR_DIM0, OW_DIM_LENGTH(capacity));
}
// Elements in the FIFO that the descriptor names.
#define ow_fifo_count(dsr) OW_DIM_LENGTH_OF(ow_dsrr(dsr, OW_DSR_DIM1))

// Fabric operands. Length 0 of fabric in: until a control wavelet with the stream-end bit. `flags`:
// OW_TAGGED, or 0.
OW_ALWAYS_INLINE void ow_dsr_fabric_in_f(uint32_t dsr, enum ow_type type, uint32_t queue,
                                         uint32_t length, uint32_t flags) {
  OW_CHECK_QUEUE(queue);
  ow_dsrw(dsr, OW_DSR_KIND, OW_WORD_FABRIC_IN(type, queue) | flags);
  ow_dsrw(dsr, OW_DSR_ADDRESS, 0);
  ow_dsrw(dsr, OW_DSR_DIM0, ow_dim_word(length, 0));
  ow_dsrw(dsr, OW_DSR_DIM1, 0);
  ow_dsrw(dsr, OW_DSR_DIM2, 0);
  ow_dsrw(dsr, OW_DSR_DIM3, 0);
}
OW_ALWAYS_INLINE void ow_dsr_fabric_in(uint32_t dsr, enum ow_type type, uint32_t queue,
                                       uint32_t length) {
  ow_dsr_fabric_in_f(dsr, type, queue, length, 0);
}

// `close`: 0, or OW_CLOSE(...), OW_SKIP_ZEROS and OW_TAGGED combined with |.
OW_ALWAYS_INLINE void ow_dsr_fabric_out(uint32_t dsr, enum ow_type type, uint32_t queue,
                                        uint32_t length, uint32_t close) {
  OW_CHECK_QUEUE(queue);
  ow_dsrw(dsr, OW_DSR_KIND, OW_WORD_FABRIC_OUT(type, queue) | close);
  ow_dsrw(dsr, OW_DSR_ADDRESS, 0);
  ow_dsrw(dsr, OW_DSR_DIM0, ow_dim_word(length, 0));
  ow_dsrw(dsr, OW_DSR_DIM1, 0);
  ow_dsrw(dsr, OW_DSR_DIM2, 0);
  ow_dsrw(dsr, OW_DSR_DIM3, 0);
}

// The functions take names.
#define ow_dsr_mem1(dsr, ...) (ow_dsr_mem1)(OW_DSR_ID(dsr), __VA_ARGS__)
#define ow_dsr_mem2(dsr, ...) (ow_dsr_mem2)(OW_DSR_ID(dsr), __VA_ARGS__)
#define ow_dsr_mem3(dsr, ...) (ow_dsr_mem3)(OW_DSR_ID(dsr), __VA_ARGS__)
#define ow_dsr_mem4(dsr, ...) (ow_dsr_mem4)(OW_DSR_ID(dsr), __VA_ARGS__)
#define ow_dsr_indexed(dsr, ...) (ow_dsr_indexed)(OW_DSR_ID(dsr), __VA_ARGS__)
#define ow_dsr_indexed_t(dsr, ...) (ow_dsr_indexed_t)(OW_DSR_ID(dsr), __VA_ARGS__)
#define ow_dsr_vectors(dsr, ...) (ow_dsr_vectors)(OW_DSR_ID(dsr), __VA_ARGS__)
#define ow_dsr_fifo(dsr, ...) (ow_dsr_fifo)(OW_DSR_ID(dsr), __VA_ARGS__)
#define ow_dsr_fifo_ref(dsr, ...) (ow_dsr_fifo_ref)(OW_DSR_ID(dsr), __VA_ARGS__)
#define ow_dsr_fabric_in(dsr, ...) (ow_dsr_fabric_in)(OW_DSR_ID(dsr), __VA_ARGS__)
#define ow_dsr_fabric_in_f(dsr, ...) (ow_dsr_fabric_in_f)(OW_DSR_ID(dsr), __VA_ARGS__)
#define ow_dsr_fabric_out(dsr, ...) (ow_dsr_fabric_out)(OW_DSR_ID(dsr), __VA_ARGS__)

// ---------------------------------------------------------------------- tensor instructions ------
// Operations (enum ow_op) are in openwafer/tile/isa.h.

// Control word: descriptors (OW_NONE for those that the instruction does not have), thread (0: the
// core waits; 1..12: a microthread), and the completion action.
#define OW_CTL(dst, a, b, thread) ow_ctl(OW_DSR_ID(dst), OW_DSR_ID(a), OW_DSR_ID(b), thread)
OW_ALWAYS_INLINE uint32_t ow_ctl(uint32_t dst, uint32_t a, uint32_t b, uint32_t thread) {
  OW_CHECK_DSR(dst);
  OW_CHECK_DSR(a);
  OW_CHECK_DSR(b);
  OW_CHECK_THREAD(thread);
  return OW_CTL_DST(dst) | OW_CTL_A(a) | OW_CTL_B(b) | OW_CTL_THREAD(thread);
}
#define OW_SCALAR OW_CTL_SCALAR(1)
#define OW_PRIORITY OW_CTL_PRIO(1)     // the thread goes before others
#define OW_STOCHASTIC OW_CTL_STOCH(1)  // cvt from fp32 to 16 bits: stochastic rounding
// fma, fmag: dst counts as +0 while the index of dimension 1 is 0, so sums need no clearing.
#define OW_FRESH OW_CTL_FRESH(1)
#define OW_THEN_ACTIVATE(task) (OW_CTL_DONE(OW_DONE_ACTIVATE) | ow_task_field(task))
#define OW_THEN_UNBLOCK(task) (OW_CTL_DONE(OW_DONE_UNBLOCK) | ow_task_field(task))
OW_ALWAYS_INLINE uint32_t ow_task_field(uint32_t task) {
  OW_CHECK_TASK(task);
  return OW_CTL_TASK_ID(task);
}

// `op` and `type` must be constants.
#define ow_tensor(op, type, ctl, scalar)                                                   \
  do {                                                                                     \
    OW_CHECK_CONSTANT(op);                                                                 \
    OW_CHECK_CONSTANT(type);                                                               \
    __asm__ volatile(".insn r %0, %1, %2, x0, %3, %z4" ::"i"(OW_OPCODE_TENSOR), "i"(type), \
                     "i"(op), "r"((uint32_t)(ctl)), "rJ"((uint32_t)(scalar))               \
                     : "memory");                                                          \
  } while (0)
// With a number instead of source b (openwafer/tile/scalar.h): a float or double is converted to
// the type, an unsigned integer is taken as bits.
#define ow_tensor_s(op, type, ctl, scalar) \
  ow_tensor(op, type, (ctl) | OW_SCALAR, ow_scalar_bits((uint32_t)(type), scalar))

// One source.
#define ow_mov(type, ctl) ow_tensor(OW_OP_MOV, type, ctl, 0)
#define ow_mov_s(type, ctl, scalar) ow_tensor_s(OW_OP_MOV, type, ctl, scalar)
// Casts a to the type of dst's descriptor. OW_STOCHASTIC in ctl is allowed from fp32.
#define ow_cvt(source_type, ctl) ow_tensor(OW_OP_CVT, source_type, ctl, 0)

// Two sources, or one and a scalar (_s). fma: dst = a * b + dst.
#define ow_add(type, ctl) ow_tensor(OW_OP_ADD, type, ctl, 0)
#define ow_add_s(type, ctl, scalar) ow_tensor_s(OW_OP_ADD, type, ctl, scalar)
#define ow_sub(type, ctl) ow_tensor(OW_OP_SUB, type, ctl, 0)
#define ow_sub_s(type, ctl, scalar) ow_tensor_s(OW_OP_SUB, type, ctl, scalar)
#define ow_mul(type, ctl) ow_tensor(OW_OP_MUL, type, ctl, 0)
#define ow_mul_s(type, ctl, scalar) ow_tensor_s(OW_OP_MUL, type, ctl, scalar)
#define ow_fma(type, ctl) ow_tensor(OW_OP_FMA, type, ctl, 0)
#define ow_fma_s(type, ctl, scalar) ow_tensor_s(OW_OP_FMA, type, ctl, scalar)
#define ow_max(type, ctl) ow_tensor(OW_OP_MAX, type, ctl, 0)
#define ow_max_s(type, ctl, scalar) ow_tensor_s(OW_OP_MAX, type, ctl, scalar)
#define ow_min(type, ctl) ow_tensor(OW_OP_MIN, type, ctl, 0)
#define ow_min_s(type, ctl, scalar) ow_tensor_s(OW_OP_MIN, type, ctl, scalar)
#define ow_and(type, ctl) ow_tensor(OW_OP_AND, type, ctl, 0)
#define ow_and_s(type, ctl, scalar) ow_tensor_s(OW_OP_AND, type, ctl, scalar)
#define ow_or(type, ctl) ow_tensor(OW_OP_OR, type, ctl, 0)
#define ow_or_s(type, ctl, scalar) ow_tensor_s(OW_OP_OR, type, ctl, scalar)
#define ow_xor(type, ctl) ow_tensor(OW_OP_XOR, type, ctl, 0)
#define ow_xor_s(type, ctl, scalar) ow_tensor_s(OW_OP_XOR, type, ctl, scalar)
#define ow_sll(type, ctl) ow_tensor(OW_OP_SLL, type, ctl, 0)
#define ow_sll_s(type, ctl, scalar) ow_tensor_s(OW_OP_SLL, type, ctl, scalar)
#define ow_srl(type, ctl) ow_tensor(OW_OP_SRL, type, ctl, 0)
#define ow_srl_s(type, ctl, scalar) ow_tensor_s(OW_OP_SRL, type, ctl, scalar)
#define ow_sra(type, ctl) ow_tensor(OW_OP_SRA, type, ctl, 0)
#define ow_sra_s(type, ctl, scalar) ow_tensor_s(OW_OP_SRA, type, ctl, scalar)
#define ow_gate(type, ctl) ow_tensor(OW_OP_GATE, type, ctl, 0)
#define ow_gate_s(type, ctl, scalar) ow_tensor_s(OW_OP_GATE, type, ctl, scalar)
#define ow_cmpeq(type, ctl) ow_tensor(OW_OP_CMPEQ, type, ctl, 0)
#define ow_cmpeq_s(type, ctl, scalar) ow_tensor_s(OW_OP_CMPEQ, type, ctl, scalar)
#define ow_cmpne(type, ctl) ow_tensor(OW_OP_CMPNE, type, ctl, 0)
#define ow_cmpne_s(type, ctl, scalar) ow_tensor_s(OW_OP_CMPNE, type, ctl, scalar)
#define ow_cmplt(type, ctl) ow_tensor(OW_OP_CMPLT, type, ctl, 0)
#define ow_cmplt_s(type, ctl, scalar) ow_tensor_s(OW_OP_CMPLT, type, ctl, scalar)
#define ow_cmple(type, ctl) ow_tensor(OW_OP_CMPLE, type, ctl, 0)
#define ow_cmple_s(type, ctl, scalar) ow_tensor_s(OW_OP_CMPLE, type, ctl, scalar)

// Reductions over dimension 0 of a: one result per inner vector, in the type of dst's descriptor.
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

// Triggered by wavelets (docs/isa.md). dotw: `x` is the byte address of the (first) vector. With
// dst in the accumulator cache (OW_F32, ow_dsr_mem2 as for axpyw) the results are rows for a drain.
#define ow_axpyw(ctl) ow_tensor(OW_OP_AXPYW, OW_MIXED, ctl, 0)
#define ow_axpyw_t(type, ctl) ow_tensor(OW_OP_AXPYW, type, ctl, 0)
#define ow_dotw(type, ctl, x) ow_tensor(OW_OP_DOTW, type, ctl, x)
#define ow_drain(ctl) ow_tensor(OW_OP_DRAIN, OW_F32, ctl, 0)

// --------------------------------------------------------------------------------- reducer ------
// Actions of REG_RED_ACT_*.
#define OW_RED_ENABLE OW_RED_ACTION_ENABLE(1)
#define OW_RED_IN0(q) \
  (OW_RED_ACTION_IN0(1) | OW_RED_ACTION_IN0_Q(OW_CHECKED(q, 7, "a queue is 0 to 7")))
#define OW_RED_IN1(q) \
  (OW_RED_ACTION_IN1(1) | OW_RED_ACTION_IN1_Q(OW_CHECKED(q, 7, "a queue is 0 to 7")))
#define OW_RED_TO_MEMORY OW_RED_ACTION_MEMORY(1)
#define OW_RED_OUT(q) OW_RED_ACTION_OUT_Q(OW_CHECKED(q, 7, "a queue is 0 to 7"))
#define OW_RED_ADD_BIAS OW_RED_ACTION_BIAS(1)
#define OW_RED_ROUND_F16 OW_RED_ACTION_F16(1)
#define OW_RED_RELU OW_RED_ACTION_RELU(1)
#define OW_RED_ROUND_BF16 OW_RED_ACTION_BF16(1)  // instead of OW_RED_ROUND_F16

#endif  // OW_TILE_H_
