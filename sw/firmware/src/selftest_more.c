// SPDX-License-Identifier: Apache-2.0
// The thorough self-test of a tile, loaded over the test-access chain (docs/bring-up.md). It is
// four programs, because the smallest tile has 8 kB. Each gathers all results in a signature that
// is compared with that of a good tile:
//   OW_SELFTEST_PART 1  blocks of random instructions with all registers, CSRs, the core's traps
//   OW_SELFTEST_PART 2  descriptors, accumulator cache, every operation and type of the engine with
//                       random descriptors, threads, alignments, addresses and values
//   OW_SELFTEST_PART 3  FIFOs, streams through all queues and colours, sums triggered by wavelets,
//                       the reducer, all registers, tasks, switches, filters
//   OW_SELFTEST_PART 4  all threads at once on walks of four dimensions, all queues blocked at once

#include "ow/firmware/selftest.h"

#include "openwafer/tile/features.h"
#include "openwafer/tile/tile.h"

enum { RAMP = 4 };
// Repetitions: blocks of random instructions, rounds over the engine's operations, and so on.
enum { BLOCKS = 12, ROUNDS = 4, STREAMS = 48, REDUCTIONS = 8, TASKS = 4 };

__attribute__((section(".noinit"), used)) volatile struct ow_selftest_order ow_selftest_order;
__attribute__((section(".noinit"), used)) volatile struct ow_selftest_result ow_selftest_result;

// Not every part of the test uses every variable.
#define SHARED __attribute__((noinline, unused))

static uint32_t state;
static uint32_t signature;
// What this tile has: see also ow_has().
static uint32_t colours, threads;
static uint32_t types __attribute__((unused));
static uint32_t features __attribute__((unused));
static uint32_t last_dsr __attribute__((unused));    // descriptors less one, a mask
static uint32_t last_queue __attribute__((unused));  // queues less one, a mask
#if OW_SELFTEST_PART != 1
// Vectors.
enum { WORDS = OW_SELFTEST_PART == 3 ? 32 : 96 };
static uint32_t va[WORDS] __attribute__((aligned(64)));
static uint32_t vb[WORDS] __attribute__((aligned(64), unused));
static uint32_t vc[WORDS] __attribute__((aligned(64)));
#endif

static uint32_t next(void) { return state = ow_selftest_next(state); }

SHARED static void note(uint32_t value) { signature = ow_selftest_note(signature, value); }

SHARED static void note_words(const void* data, uint32_t words) {
  const volatile uint32_t* p = (const volatile uint32_t*)data;
  uint32_t s = signature;
  for (uint32_t i = 0; i < words; ++i) s = ow_selftest_note(s, p[i]);
  signature = s;
}

// Ends a phase. Its duration is part of the signature, because a fault may only cause a stall.
static void phase(void) {
  note(ow_cycles());
  if (ow_selftest_result.phases < OW_SELFTEST_PHASES) {
    ow_selftest_result.phase[ow_selftest_result.phases++] = signature;
  }
}

SHARED static void reg(uint32_t offset, uint32_t value) { ow_reg_write(offset, value); }
SHARED static void note_reg(uint32_t offset) { note(ow_reg_read(offset)); }

// ------------------------------------------------------------------------------------- core ------
// Instructions that are made here and run: a block of them with all registers but x31, which points
// to the registers' values (x1 at 4 ..) and to data after them, and single ones.
enum { BLOCK = 64, FILE_WORDS = 32, DATA_WORDS = 32 };
static uint32_t block[BLOCK + 2] __attribute__((aligned(8), used));
static uint32_t file[FILE_WORDS + DATA_WORDS] __attribute__((used));
static uint32_t context[16] __attribute__((used));

void run_block(void);
void block_end(void);
uint32_t run_one(uint32_t a, uint32_t b);
void trap(void);
__asm__(
    ".macro each what\n"
    ".irp n,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n"
    "\\what x\\n, 4*\\n(x31)\n"
    ".endr\n"
    ".endm\n"
    ".macro saved what, base\n"
    "\\what ra, 0(\\base)\n\\what sp, 4(\\base)\n\\what gp, 8(\\base)\n\\what tp, 12(\\base)\n"
    "\\what s0, 16(\\base)\n\\what s1, 20(\\base)\n\\what s2, 24(\\base)\n\\what s3, 28(\\base)\n"
    "\\what s4, 32(\\base)\n\\what s5, 36(\\base)\n\\what s6, 40(\\base)\n\\what s7, 44(\\base)\n"
    "\\what s8, 48(\\base)\n\\what s9, 52(\\base)\n\\what s10, 56(\\base)\n\\what s11, 60(\\base)\n"
    ".endm\n"
    ".text\n"
    // gp holds something else in the block.
    ".option push\n"
    ".option norelax\n"
    "run_block:\n"
    "  lui t0, %hi(context)\n"
    "  addi t0, t0, %lo(context)\n"
    "  saved sw, t0\n"
    "  lui x31, %hi(file)\n"
    "  addi x31, x31, %lo(file)\n"
    "  fence.i\n"
    "  each lw\n"
    "  j block\n"
    "block_end:\n"
    "  each sw\n"
    "  lui t0, %hi(context)\n"
    "  addi t0, t0, %lo(context)\n"
    "  saved lw, t0\n"
    "  ret\n"
    "run_one:\n"
    "  fence.i\n"
    "  j block\n"
    // Skips the instruction that trapped. A failed fetch returns to its caller.
    ".balign 4\n"
    "trap:\n"
    "  csrr t0, mcause\n"
    "  csrr t1, mepc\n"
    "  csrr t2, mtval\n"
    "  lui t3, %hi(context)\n"
    "  addi t3, t3, %lo(context)\n"
    "  sw t0, 0(t3)\n"
    "  sw t1, 4(t3)\n"
    "  sw t2, 8(t3)\n"
    "  addi t1, t1, 4\n"
    "  addi t0, t0, -1\n"
    "  bnez t0, 1f\n"
    "  mv t1, ra\n"
    "1:\n"
    "  csrw mepc, t1\n"
    "  mret\n"
    ".option pop\n");

#if OW_SELFTEST_PART == 3
// Runs tasks until the last one, which returns to the caller of this function.
__attribute__((naked, noinline)) static void run_tasks(void) {
  __asm__ volatile(
      "addi sp, sp, -16\n"
      "sw ra, 0(sp)\n"
      "0: .insn i %0, %1, x0, 0(x0)\n"
      "j 0b\n" ::"i"(OW_OPCODE_SYSTEM),
      "i"(OW_SYS_NEXT));
}
__attribute__((naked)) static void last_task(uint32_t data) {
  (void)data;
  __asm__ volatile(
      "lw ra, 0(sp)\n"
      "addi sp, sp, 16\n"
      "ret\n");
}
#endif

enum { RETURN = 0x00008067 };

SHARED static uint32_t one(uint32_t insn, uint32_t a, uint32_t b) {
  block[0] = insn;
  block[1] = RETURN;
  return run_one(a, b);
}

#if OW_SELFTEST_PART == 1
// An instruction made of random bits. It never writes x31 and accesses only data.
static uint32_t random_insn(uint32_t r) {
  uint32_t rd = r >> 7 & 31, f3 = r >> 12 & 7;
  const uint32_t sources = r & 0x01FF8000;
  if (rd == 31) rd = 30;
  rd <<= 7;
  const uint32_t kind = r & 15;
  if (kind < 8) {
    const uint32_t f7 = kind == 0 ? 1u : kind < 4 && (f3 == 0 || f3 == 5) ? 0x20u : 0u;
    return 0x33 | rd | f3 << 12 | sources | f7 << 25;
  }
  if (kind < 11) {
    if (f3 == 1) r &= 0x01FFFFFF;
    if (f3 == 5) r &= 0x41FFFFFF;
    return 0x13 | rd | f3 << 12 | (r & 0xFFFF8000);
  }
  const uint32_t data = 4 * FILE_WORDS + (r >> 20 & 127);
  switch (kind) {
    case 11:
      return (r & 64 ? 0x37 : 0x17) | rd | (r & 0xFFFFF000);
    case 12:
      if (f3 == 3 || f3 > 5) f3 = 2;
      return 0x03 | rd | f3 << 12 | 31u << 15 | (data & ~((1u << (f3 & 3)) - 1)) << 20;
    case 13: {
      f3 = f3 > 2 ? 2 : f3;
      const uint32_t at = data & ~((1u << f3) - 1);
      return 0x23 | f3 << 12 | 31u << 15 | (r & 0x1F00) << 12 | (at & 31) << 7 | at >> 5 << 25;
    }
    case 14:
      if ((f3 & 6) == 2) return 0x6F | rd | 8u << 20;  // jal over one
      return 0x63 | f3 << 12 | sources | 8u << 7;      // a branch over one
    default:
      if ((f3 & 3) == 0) f3 = 1;
      return 0x73 | rd | f3 << 12 | (r & 0xF8000) | 0x340u << 20;  // mscratch
  }
}

static void core(void) {
  // Random instructions may put anything into the stack pointer and into store addresses.
  reg(OW_REG_STACK_LIMIT, 0);
  reg(OW_REG_TEXT_LIMIT, 0);
  for (uint32_t i = 1; i < FILE_WORDS + DATA_WORDS; ++i) file[i] = next();
  for (uint32_t round = 0; round < BLOCKS; ++round) {
    for (uint32_t i = 0; i < BLOCK; ++i) block[i] = random_insn(next());
    const uint32_t to = (uint32_t)(uintptr_t)block_end - (uint32_t)(uintptr_t)&block[BLOCK];
    // Twice, in case the last instruction jumps over one.
    block[BLOCK] = 0x13;
    block[BLOCK + 1] = 0x6F | (((to - 4) >> 20 & 1) << 31) | (((to - 4) >> 1 & 0x3FF) << 21) |
                       (((to - 4) >> 11 & 1) << 20) | (((to - 4) >> 12 & 0xFF) << 12);
    run_block();
    note_words(file, FILE_WORDS + DATA_WORDS);
    phase();
    // Values that compare equal, carry far or shift far occur too rarely at random.
    for (uint32_t i = 1; i < FILE_WORDS; ++i) {
      const uint32_t r = next();
      if ((r & 7) == 0) file[i] = file[r >> 8 & 31];
      if ((r & 7) == 1) file[i] = (uint32_t)((int32_t)0x80000000 >> (r >> 8 & 31));
      if ((r & 7) == 2) file[i] = ~0u >> (r >> 8 & 31);
      if ((r & 7) == 3) file[i] = r;
    }
  }
}

// csrrw and the like: a0 = the CSR, which changes by a0 or a small constant.
static uint32_t csr(uint32_t number, uint32_t f3, uint32_t source, uint32_t value) {
  return one(0x73 | 10u << 7 | f3 << 12 | source << 15 | number << 20, value, 0);
}

static void csrs(void) {
  static const uint16_t numbers[] = {0x300, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343,
                                     0xB02, 0xB82, 0xB80, 0x301, 0x344, 0xF11, 0xF12,
                                     0xF13, 0xF14, 0xC00, 0xC02, 0xC80, 0xC82};
  for (uint32_t round = 0; round < 3; ++round) {
    // From here on the count of cycles depends on nothing.
    csr(0xB00, 1, 10, next());
    csr(0xB80, 1, 10, next());
    for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
      for (uint32_t f3 = 1; f3 < 8 && numbers[i] < 0xC00 && numbers[i] != 0x301; ++f3) {
        if (f3 != 4) note(csr(numbers[i], f3, f3 < 4 ? 10 : next() & 31, next()));
      }
      note(csr(numbers[i], 2, 0, 0));
    }
    phase();
  }
  // Each trap. a0: an address; a1: data.
  static const struct {
    uint32_t insn;
    uint32_t address;
  } traps[] = {
      {0x00052503, 0x00000102},        // lw
      {0x00051503, 0x00000201},        // lh
      {0x00B52023, 0x00000403},        // sw
      {0x00B51023, 0x00000801},        // sh
      {0x00052503, 0x01000000},        // lw
      {0x00B52023, 0x80000000},        // sw
      {0x00050503, OW_TILE_REGS},      // lb of a register
      {0x00B50023, OW_TILE_REGS + 4},  // sb
      {0x00052503, OW_TILE_REGS + OW_TILE_REGS_BYTES},
      {0x00000073, 0},  // ecall
      {0x00100073, 0},  // ebreak
      {0x00000000, 0},
      {0xFFFFFFFF, 0},
      {0x40001033, 0},
      {0x00003003, 0},
      {0x00003023, 0},
      {0x02001013, 0},
      {0xC0051073, 0},           // csrw cycle
      {0x7C002573, 0},           // a CSR that is not there
      {0x0020006F, 0},           // jal to an odd half
      {0x00250067, 0x00000100},  // jalr
      {0x00050067, 0x00100000},
      {0x00050067, OW_TILE_REGS},
  };
  for (uint32_t i = 0; i < sizeof(traps) / sizeof(traps[0]); ++i) {
    one(0x73 | 10u << 15 | 1u << 12 | 0x305u << 20, (uint32_t)(uintptr_t)trap, 0);
    context[0] = ~0u;
    one(traps[i].insn, traps[i].address, 0x12345678);
    note_words(context, 3);
  }
  one(0x73 | 0x305u << 20 | 1u << 12, 0, 0);  // mtvec = 0
  phase();
}

#endif

// ----------------------------------------------------------------------------------- engine ------
#if OW_SELFTEST_PART != 1
static void tensor(uint32_t op, uint32_t type, uint32_t ctl, uint32_t scalar) {
  one(OW_OPCODE_TENSOR | type << 12 | 10u << 15 | 11u << 20 | op << 25, ctl, scalar);
}

// Words of a descriptor; the values are known to fit.
#define MEMORY(type) (OW_DSR0_KIND(OW_KIND_MEM) | (type) << OW_DSR0_TY_LSB)
#define FABRIC(way, type, queue) \
  (OW_DSR0_KIND(OW_KIND_FABRIC_##way) | (type) << OW_DSR0_TY_LSB | (queue) << OW_DSR0_QUEUE_NO_LSB)
#define DIM(length, step) ((length) << OW_DIM_LENGTH_LSB | OW_DIM_STEP(step))

static uint32_t bytes_log(uint32_t type) {
  return type == OW_F32 || type == OW_I32 ? 2 : type == OW_I8 ? 0 : 1;
}

SHARED static void vector(uint32_t dsr, uint32_t type, const void* data, uint32_t len0,
                          uint32_t len1) {
  const uint32_t size = 1u << bytes_log(type);
  ow_dsrw(dsr, OW_DSR_KIND, MEMORY(type));
  ow_dsrw(dsr, OW_DSR_ADDRESS, (uint32_t)(uintptr_t)data);
  ow_dsrw(dsr, OW_DSR_DIM0, DIM(len0, size));
  ow_dsrw(dsr, OW_DSR_DIM1, len1);
  ow_dsrw(dsr, OW_DSR_DIM2, 0);
  ow_dsrw(dsr, OW_DSR_DIM3, 0);
}
SHARED static void fabric(uint32_t dsr, uint32_t word0, uint32_t length) {
  ow_dsrw(dsr, OW_DSR_KIND, word0);
  ow_dsrw(dsr, OW_DSR_ADDRESS, 0);
  ow_dsrw(dsr, OW_DSR_DIM0, DIM(length, 0));
  ow_dsrw(dsr, OW_DSR_DIM1, 0);
  ow_dsrw(dsr, OW_DSR_DIM2, 0);
  ow_dsrw(dsr, OW_DSR_DIM3, 0);
}

SHARED static void wait_thread(uint32_t thread) {
  while (OW_THREAD_ACTIVE_OF(ow_reg_read(OW_REG_THREAD(thread))) != 0) {
  }
}

// `narrow`: exponents close to each other in the formats of the type; otherwise any bits.
static void fill(uint32_t* v, uint32_t type, uint32_t narrow) {
  for (uint32_t i = 0; i < WORDS; ++i) {
    uint32_t x = next();
    if (narrow) {
      if (type == OW_F32) x = (x & 0x83FFFFFF) | 0x3C000000;
      if (type == OW_BF16 || type == OW_MIXEDB) x = (x & 0x83FF83FF) | 0x3C003C00;
      if (type == OW_F16 || type == OW_MIXED) x = (x & 0x8FFF8FFF) | 0x30003000;
    }
    v[i] = x;
  }
}

#endif

#if OW_SELFTEST_PART == 2 || OW_SELFTEST_PART == 4
static uint32_t sums[WORDS] __attribute__((aligned(64)));
// Memory beyond the smallest tile's, in bytes from FAR, to test all address bits.
enum { FAR = 8192 };
static uint32_t far_bytes;

// Adds a vector to the signature, with the engine if possible: it needs a tenth of the core's time.
static void gather_up(uint32_t data) {
  if ((types >> OW_I32 & 1) == 0) {
    const volatile uint32_t* from = (const volatile uint32_t*)(uintptr_t)data;
    for (uint32_t i = 0; i < WORDS; ++i) sums[i] += from[i];
    return;
  }
  vector(0, OW_I32, (const void*)(uintptr_t)data, WORDS, 0);
  vector(1, OW_I32, sums, WORDS, 0);
  tensor(OW_OP_ADD, OW_I32, OW_CTL(1, 0, 1, 0), 0);
}

// Fills all memory beyond with random words; far_bytes leaves 1 kB of it for overruns. A tile with
// less than 2 kB beyond counts as having none.
static void fill_far(void) {
  const uint32_t bytes = OW_CONFIG_SRAM_OF(ow_reg_read(OW_REG_CONFIG)) * OW_CONFIG_SRAM_UNIT;
  if (bytes < FAR + 2048) return;
  far_bytes = bytes - FAR;
  fill(va, OW_I32, 0);
  for (uint32_t at = 0; at < far_bytes; at += 4 * WORDS - 64) {
    vector(2, OW_I32, va + (at >> 4 & 7), WORDS - 16, 0);
    vector(3, OW_I32, (const void*)(uintptr_t)(FAR + at), WORDS - 16, 0);
    if (at + 4 * WORDS > far_bytes) break;
    va[at >> 5 & 63] = next();
    tensor(OW_OP_MOV, OW_I32, OW_CTL(3, 2, OW_NONE, 0), 0);
  }
  far_bytes -= 1024;
}
#endif

#if OW_SELFTEST_PART == 2
static uint16_t indices[2 * WORDS] __attribute__((aligned(64)));
static uint32_t turn;  // of descriptors, threads and tasks

// A place in the memory beyond with room for the longest vector at any offset; without such memory
// a place here.
static uint32_t place(uint32_t r, uint32_t narrow, const void* here) {
  if (far_bytes == 0 || narrow) return (uint32_t)(uintptr_t)here;
  return FAR + ((r >> 4) % (far_bytes - 4 * WORDS) & ~15u);
}

// Properties of an operation besides vectors: three rows, indices, only one operand.
enum { PLAIN, REDUCTION, INDEXED, FUNCTION };

static void operation(uint32_t op, uint32_t group, uint32_t type, uint32_t narrow) {
  const uint32_t r = next();
  const uint32_t src = type == OW_MIXED ? OW_F16 : type == OW_MIXEDB ? OW_BF16 : type;
  const uint32_t reduction = group == REDUCTION;
  uint32_t dst = src;
  if (type == OW_MIXED || type == OW_MIXEDB) dst = OW_F32;
  if (op == OW_OP_CVT || reduction) {
    static const uint8_t floats[] = {OW_F32, OW_F16, OW_BF16, OW_F32};
    static const uint8_t integers[] = {OW_I32, OW_I16, OW_I8, OW_I32};
    const uint32_t real = src == OW_F16 || src == OW_BF16 || src == OW_F32;
    dst = (real ^ (op == OW_OP_CVT && (r & 4) != 0) ? floats : integers)[r & 3];
    if (op == OW_OP_CVT && dst == src) dst = src == OW_I32 ? OW_F32 : OW_I32;
    if (((types | 1 << OW_F32) >> dst & 1) == 0) {
      dst = reduction ? src : src == OW_F32 ? OW_F16 : OW_F32;
    }
  }
  // As many elements as the wider type leaves room for, at any alignment; reductions over three
  // rows.
  const uint32_t wide = bytes_log(src) > bytes_log(dst) ? bytes_log(src) : bytes_log(dst);
  uint32_t n = ((4 * WORDS - 64) >> wide) - (r >> 3 & 3), rows = 0;
  if (reduction) {
    n = ((4 * WORDS - 64) >> bytes_log(src)) / 3 - (r >> 3 & 1);
    rows = DIM(3, (n & 1) << bytes_log(src));
  }
  const uint32_t skip = r >> 5 & 7;
  const uint32_t a = turn & last_dsr, b = (a + 1 + (r >> 8 & 7)) & last_dsr;
  const uint32_t c = (b + 1 + (r >> 11 & 7) % 7) & last_dsr;
  const uint32_t thread = turn++ % threads;
  const uint32_t rounding = OW_FEATURES_STOCHASTIC_OF(features) ? OW_STOCHASTIC : 0;
  uint32_t ctl = OW_CTL(c, a, b, thread) | (r & (OW_PRIORITY | rounding | OW_FRESH)) |
                 (turn & 1 ? OW_THEN_ACTIVATE(turn >> 1 & 31) : OW_THEN_UNBLOCK(turn >> 1 & 31));
  uint32_t scalar = vb[skip];
  const uint32_t from = place(next(), narrow, va), to = place(next(), narrow, vc);
  vector(a, src, (const uint8_t*)(uintptr_t)from + (skip << bytes_log(src)), n, rows);
  vector(b, src, (const uint8_t*)vb + ((r >> 14 & 7) << bytes_log(src)), n, rows);
  vector(c, dst, (const uint8_t*)(uintptr_t)to + ((r >> 17 & 7) << bytes_log(dst)),
         reduction ? 3 : n, 0);
  if (group == INDEXED) {
    vector(b, OW_I16, indices, n, 0);
    scalar = op == OW_OP_SCATTER ? to : op == OW_OP_GATHER ? from : (uint32_t)(uintptr_t)vb;
  } else if ((r >> 24 & 3) == 0 && group == PLAIN && op != OW_OP_CVT) {
    ctl |= OW_SCALAR;
  }
  tensor(op, type, ctl, scalar);
  wait_thread(thread);
  gather_up(to);
}

// Bits of word 0 that may have any value for every kind.
#define RANDOM_KIND_BITS                                                                      \
  (OW_DSR0_TY_MASK | OW_DSR0_QUEUE_NO_MASK | OW_DSR0_SAVE_ADDRESS_MASK | OW_DSR0_CLOSE_MASK | \
   OW_DSR0_CLOSE_ROW_END_MASK | OW_DSR0_CLOSE_STREAM_END_MASK | OW_DSR0_SKIP_MASK |           \
   OW_DSR0_TAG_MASK)

// Every bit of the descriptors, written word by word and loaded from memory, and of the accumulator
// cache.
static void memories(void) {
  for (uint32_t round = 0; round < 2; ++round) {
    const uint32_t start = state;
    for (uint32_t d = 0; d <= last_dsr; ++d) {
      struct ow_dsr_words* const w = (struct ow_dsr_words*)&vb[2 * d];
      w->kind = (next() & RANDOM_KIND_BITS) | OW_DSR0_KIND(OW_KIND_MEM);
      w->address = next() & OW_DSR_ADDRESS_ADDRESS_MASK;
      for (uint32_t k = 0; k < OW_NUM_DIMENSIONS; ++k) w->dim[k] = next();
      if (round != 0) {
        ow_dsr_load(d, w);
      } else {
        ow_dsrw(d, OW_DSR_KIND, w->kind);
        ow_dsrw(d, OW_DSR_ADDRESS, w->address);
        ow_dsrw(d, OW_DSR_DIM0, w->dim[0]);
        ow_dsrw(d, OW_DSR_DIM1, w->dim[1]);
        ow_dsrw(d, OW_DSR_DIM2, w->dim[2]);
        ow_dsrw(d, OW_DSR_DIM3, w->dim[3]);
      }
    }
    note(start);
    for (uint32_t d = 0; d <= last_dsr; ++d) {
      note(ow_dsrr(d, OW_DSR_KIND));
      note(ow_dsrr(d, OW_DSR_ADDRESS));
      note(ow_dsrr(d, OW_DSR_DIM0));
      note(ow_dsrr(d, OW_DSR_DIM1));
      note(ow_dsrr(d, OW_DSR_DIM2));
      note(ow_dsrr(d, OW_DSR_DIM3));
    }
  }
  phase();
  const uint32_t words = OW_CONFIG_LANES_OF(ow_reg_read(OW_REG_CONFIG)) * OW_ACC_LINES;
  for (uint32_t round = 0; round < 4; ++round) {
    fill(va, OW_I32, 0);
    for (uint32_t at = 0; at < words; at += 32) {
      vector(2, OW_I32, va + (at >> 2) + round, 32, 0);
      vector(3, OW_I32, (const void*)OW_ACC_ADDR(at), 32, 0);
      tensor(OW_OP_MOV, OW_I32, OW_CTL(3, 2, OW_NONE, 0), 0);
    }
    const uint32_t brain = round & 1 & types >> OW_BF16;
    const uint32_t type = brain ? OW_MIXEDB : OW_MIXED, half = brain ? OW_BF16 : OW_F16;
    fill(va, type, 1);
    fill(vb, OW_F32, 1);
    for (uint32_t at = 0; at < words; at += 32) {
      vector(3, OW_I32, (const void*)OW_ACC_ADDR(at), 32, 0);
      vector(2, OW_I32, vc, 32, 0);
      tensor(OW_OP_MOV, OW_I32, OW_CTL(2, 3, OW_NONE, 0), 0);
      gather_up((uint32_t)(uintptr_t)vc);
      // Accumulated there, too.
      vector(4, OW_F32, vb + round, 32, 0);
      vector(3, OW_F32, (const void*)OW_ACC_ADDR(at), 32, 0);
      tensor(OW_OP_MOV, OW_F32, OW_CTL(3, 4, OW_NONE, 0), 0);
      vector(2, half, va + round, 32, 0);
      vector(4, half, va + 20 + (at >> 3), 32, 0);
      tensor(OW_OP_FMA, type, OW_CTL(3, 2, 4, 0), 0);
      tensor(OW_OP_FMA, type, OW_CTL(3, 4, 2, 0), 0);
      vector(2, OW_F32, vc, 32, 0);
      tensor(OW_OP_MOV, OW_F32, OW_CTL(2, 3, OW_NONE, 0), 0);
      gather_up((uint32_t)(uintptr_t)vc);
    }
    note_words(sums, WORDS);
    phase();
  }
}

static void engine(void) {
  // Types, a bit each.
  enum {
    HALVES = 1 << OW_F16 | 1 << OW_BF16,
    FLOATS = HALVES | 1 << OW_F32,
    INTEGERS = 1 << OW_I16 | 1 << OW_I32,
    WIDE = FLOATS | INTEGERS,
    ALL = WIDE | 1 << OW_I8,
    MIXED = 1 << OW_MIXED | 1 << OW_MIXEDB
  };
  static const struct {
    uint8_t op, group, types;
  } list[] = {{OW_OP_MOV, PLAIN, ALL},
              {OW_OP_ADD, PLAIN, WIDE},
              {OW_OP_SUB, PLAIN, WIDE},
              {OW_OP_MUL, PLAIN, WIDE},
              {OW_OP_FMA, PLAIN, WIDE | MIXED},
              {OW_OP_MAX, PLAIN, WIDE},
              {OW_OP_MIN, PLAIN, WIDE},
              {OW_OP_CVT, PLAIN, ALL},
              {OW_OP_CVT, PLAIN, ALL},
              {OW_OP_AND, PLAIN, INTEGERS},
              {OW_OP_OR, PLAIN, INTEGERS},
              {OW_OP_XOR, PLAIN, INTEGERS},
              {OW_OP_SLL, PLAIN, INTEGERS},
              {OW_OP_SRL, PLAIN, INTEGERS},
              {OW_OP_SRA, PLAIN, INTEGERS},
              {OW_OP_GATE, PLAIN, INTEGERS},
              {OW_OP_CMPEQ, PLAIN, WIDE},
              {OW_OP_CMPNE, PLAIN, WIDE},
              {OW_OP_CMPLT, PLAIN, WIDE},
              {OW_OP_CMPLE, PLAIN, WIDE},
              {OW_OP_DOT, REDUCTION, FLOATS | 1 << OW_I16 | 1 << OW_I8},
              {OW_OP_SUM, REDUCTION, ALL},
              {OW_OP_RMAX, REDUCTION, ALL},
              {OW_OP_RMIN, REDUCTION, ALL},
              {OW_OP_GATHER, INDEXED, WIDE},
              {OW_OP_SCATTER, INDEXED, WIDE},
              {OW_OP_FMAG, INDEXED, FLOATS | MIXED},
              {OW_OP_RCP, FUNCTION, HALVES},
              {OW_OP_RSQRT, FUNCTION, HALVES},
              {OW_OP_EXP, FUNCTION, HALVES},
              {OW_OP_LOG, FUNCTION, HALVES},
              {OW_OP_TANH, FUNCTION, HALVES},
              {OW_OP_SIGMOID, FUNCTION, HALVES}};
  fill_far();
  for (uint32_t round = 0; round < ROUNDS; ++round) {
    for (uint32_t i = 0; i < 2 * WORDS; ++i) indices[i] = (uint16_t)(next() % (WORDS - 16));
    for (uint32_t type = 0; type < 8; ++type) {
      fill(va, type, round & 1);
      fill(vb, type, round & 1);
      for (uint32_t i = 0; i < sizeof(list) / sizeof(list[0]); ++i) {
        if ((list[i].types >> type & ow_has(list[i].op, type)) != 0) {
          operation(list[i].op, list[i].group, type, round & 1);
        }
      }
      note_words(sums, WORDS);
      phase();
    }
    note_reg(OW_REG_TASK_ACTIVATE);
  }
}

#endif

// ----------------------------------------------------------------------------- ramp, router -----
SHARED static void route(uint32_t colour, uint32_t in, uint32_t out) {
  ow_reg_write(
      OW_REG_ROUTE(colour),
      OW_ROUTE_ENABLE(1) | OW_ROUTE_POSITION(OW_POSITION_IN_PORT(in) | OW_POSITION_OUT_MASK(out)));
}

#if OW_SELFTEST_PART >= 3
// OW_TAGGED where the engine takes tagged wavelets as an operand.
static uint32_t tagged(void) {
  return OW_OPERATIONS_TAGS_OF(ow_reg_read(OW_REG_OPERATIONS)) != 0 ? OW_TAGGED : 0;
}

// Queue `out` to queue `in` through the router and back.
static void loop(uint32_t out, uint32_t in, uint32_t colour) {
  reg(OW_REG_INQ(in),
      OW_INQ_ENABLE(1) | OW_INQ_COLOUR(colour));  // first: something may be waiting to leave
  reg(OW_REG_OUTQ(out), OW_OUTQ_ENABLE(1) | OW_OUTQ_COLOUR(colour));
}
static void unloop(uint32_t out, uint32_t in) {
  reg(OW_REG_OUTQ(out), 0);
  reg(OW_REG_INQ(in), 0);
}

#endif

#if OW_SELFTEST_PART == 4
// A walk over `len` elements in up to four dimensions that touches each of the first places of a
// window once. The random bits choose the order of the dimensions.
static void permuted(uint32_t dsr, uint32_t type, uint32_t base, const uint8_t* len, uint32_t r) {
  int32_t stride[4];
  int32_t next_stride = 1 << bytes_log(type);
  for (uint32_t i = 0, left = 15; i < 4; ++i, r >>= 2) {
    uint32_t k = r & 3;
    while ((left >> k & 1) == 0) k = (k + 1) & 3;
    left &= ~(1u << k);
    stride[k] = next_stride;
    next_stride *= len[k];
  }
  const struct ow_dsr_words words = OW_WORDS_MEM4(type, base, len[0], stride[0], len[1], stride[1],
                                                  len[2], stride[2], len[3], stride[3]);
  ow_dsr_load(dsr, &words);
}

// An operand that walks along anywhere within 6 kB of its base; its lengths do not matter.
static void scattered(uint32_t dsr, uint32_t type, uint32_t base) {
  const uint32_t size = bytes_log(type);
  ow_dsrw(dsr, OW_DSR_KIND, MEMORY(type));
  ow_dsrw(dsr, OW_DSR_ADDRESS, base);
  ow_dsrw(dsr, OW_DSR_DIM0, DIM(next() & 0xFFFF, (next() % 5 - 2) << size));
  for (uint32_t k = 3; k < 6; ++k) {
    const uint32_t word = DIM(next() & 0xFFFF, ((next() & 255) - 128) & ~3u);
    if (k == 3) ow_dsrw(dsr, OW_DSR_DIM1, word);
    if (k == 4) ow_dsrw(dsr, OW_DSR_DIM2, word);
    if (k == 5) ow_dsrw(dsr, OW_DSR_DIM3, word);
  }
}

// All threads at once, on walks of four dimensions, in a tile of 48 kB or more. Some read what
// another one is writing.
static void crowd(void) {
  static const uint8_t ops[] = {OW_OP_MOV, OW_OP_ADD, OW_OP_MUL, OW_OP_FMA,
                                OW_OP_SUB, OW_OP_MAX, OW_OP_FMA, OW_OP_CMPLT};
  static const uint8_t types[] = {OW_F16, OW_BF16, OW_F32, OW_I16, OW_I32};
  // A window for the results of each thread, and room for walks on both sides of `middle`.
  enum { WINDOW = 2048 };
  const uint32_t middle = FAR + 16 * WINDOW;
  if (far_bytes < 20 * WINDOW - 1024 || last_dsr < 31) return;
  if (OW_OPERATIONS_DIMENSIONS_OF(ow_reg_read(OW_REG_OPERATIONS)) == 0) return;
  for (uint32_t round = 0; round < 24; ++round) {
    for (uint32_t t = 1; t < threads; ++t) {
      const uint32_t r = next(), a = (t + round) % 10, b = 10 + (t + 3 * round) % 10, c = 19 + t;
      const uint32_t op = ops[r & 7], type = types[(r >> 3 & 31) % 5];
      const uint32_t window = FAR + WINDOW * t;
      const uint8_t len[4] = {1 + (r >> 8 & 7), 1 + (r >> 11 & 3), 1 + (r >> 13) % 3,
                              1 + (r >> 15 & 1)};
      permuted(c, type, window, len, r >> 16);
      if ((r >> 24 & 3) == 0) {
        permuted(a, type, window - WINDOW, len, r >> 20);
      } else {
        scattered(a, type, middle - WINDOW + (next() & 0xFFC));
      }
      scattered(b, type, middle - WINDOW + (next() & 0xFFC));
      uint32_t ctl = OW_CTL(c, a, b, t) | (r & OW_PRIORITY);
      if ((r >> 26 & 3) == 0) ctl |= OW_SCALAR;
      if (ow_has(op, type)) tensor(op, type, ctl, va[r >> 28]);
    }
    for (uint32_t t = 1; t < threads; ++t) wait_thread(t);
    for (uint32_t t = 1; t < threads; ++t) {
      gather_up(FAR + WINDOW * t);
      gather_up(FAR + WINDOW * t + 4 * WORDS);
    }
    note_words(sums, WORDS);
    phase();
  }
}

// Vectors to all output queues at once while none can send; then one after the other can.
static void senders(void) {
  static const uint8_t types[] = {OW_I16, OW_F32, OW_F16, OW_I32};
  for (uint32_t c = 0; c < colours; ++c) route(c, RAMP, 1u << RAMP);
  const uint32_t queues = threads - 1 <= last_queue ? threads - 1 : last_queue + 1;
  const uint32_t to = 24 & last_dsr, from = 25 & last_dsr;
  for (uint32_t round = 0; round < 8; ++round) {
    const uint32_t type = types[round & 3], flags = type == OW_F16 ? tagged() : 0;
    for (uint32_t i = 0; i < WORDS; ++i) va[i] = next();
    for (uint32_t q = 0; q < queues; ++q) {
      vector(2 + q, type, (const uint8_t*)va + ((q + round) << bytes_log(type)), 24 + q, 0);
      fabric(10 + q, FABRIC(OUT, type, q) | flags, 24 + q);
      tensor(OW_OP_MOV, type, OW_CTL(10 + q, 2 + q, OW_NONE, 1 + q), 0);
    }
    // In odd rounds all of them at once.
    for (uint32_t q = 0; q < queues && (round & 1) != 0; ++q)
      loop(q, (q + round) & last_queue, (3 * q + round) % colours);
    for (uint32_t i = 0; i < queues; ++i) {
      const uint32_t q = (i + round) % queues, in = (q + round) & last_queue;
      if ((round & 1) == 0) loop(q, in, (3 * q + round) % colours);
      vector(to, type, vc, 24 + q, 0);
      fabric(from, FABRIC(IN, type, in) | flags, 24 + q);
      tensor(OW_OP_MOV, type, OW_CTL(to, from, OW_NONE, 0), 0);
      wait_thread(1 + q);
      gather_up((uint32_t)(uintptr_t)vc);
      unloop(q, in);
    }
    note_words(sums, WORDS);
    phase();
  }
}
#endif

#if OW_SELFTEST_PART == 3
// Vectors through FIFOs and through the ramp, of each kind.
static void streams(void) {
  for (uint32_t c = 0; c < colours; ++c) route(c, RAMP, 1u << RAMP);
  for (uint32_t i = 0; i < STREAMS; ++i) {
    const uint32_t r = next(), a = i & last_dsr, b = (i + 7) & last_dsr;
    const uint32_t c = (i + 18) & last_dsr, d = (i + 22) & last_dsr;
    const uint32_t fifos = OW_FEATURES_FIFOS_OF(features);
    const uint32_t kind = i % (fifos != 0 ? 6 : 5), thread = 1 + i % (threads - 1);
    const uint32_t out = i & last_queue, in = ((i >> 3) + i) & last_queue, colour = i % colours;
    static const uint8_t types[] = {OW_I16, OW_F32, OW_F16, OW_I32, OW_BF16, OW_I16};
    uint32_t type = types[kind];
    uint32_t n = 17 + (r & 7), flags = 0, length = n;
    for (uint32_t k = 0; k < WORDS; ++k) {
      va[k] = next();
      if ((va[k] & 1) != 0) va[k] &= 0x80008000;
    }
    if (kind == 5) {
      type = (r & 32) != 0 && ow_has(OW_OP_MOV, OW_I8) ? OW_I8 : (r & 64) != 0 ? OW_I32 : OW_F16;
    }
    vector(a, type, (const uint8_t*)va + ((r >> 3 & 3) << bytes_log(type)), n, 0);
    if (kind == 5) {
      const uint32_t fifo = (i >> 1) % fifos;
      ow_dsr_fifo(b, type, fifo, (uint32_t)(uintptr_t)vb, 4 + (r >> 8 & 7));
      ow_dsr_fifo_ref(d, type, fifo);
    } else {
      if (kind >= 2 && kind != 3) flags = tagged();
      if (kind == 4) flags |= OW_SKIP_ZEROS;
      if (kind >= 3) {
        flags |= OW_CLOSE(1, 0);
        length = 0;
      }
      fabric(b, FABRIC(OUT, type, out) | flags, n);
      fabric(d, FABRIC(IN, type, in) | (flags & OW_TAGGED), length);
      loop(out, in, colour);
    }
    // Without a length it ends with the stream.
    vector(c, type, (uint8_t*)vc + ((r >> 12 & 7) << bytes_log(type)), kind == 3 ? 0 : n, 0);
    tensor(OW_OP_MOV, type, OW_CTL(b, a, OW_NONE, thread), 0);
    tensor(OW_OP_MOV, type, OW_CTL(c, d, OW_NONE, 0), 0);
    wait_thread(thread);
    note_words(vc, WORDS);
    note(ow_dsrr(d, OW_DSR_DIM1));
    unloop(out, in);
    if (i % 4 == 3) phase();
  }
}

static void push(uint32_t queue, uint32_t value) { ow_push(queue, value); }

// Sums triggered by wavelets, and the reducer.
static void reductions(void) {
  for (uint32_t i = 0; i < REDUCTIONS; ++i) {
    const uint32_t brain = i & 1 & types >> OW_BF16;
    const uint32_t type = brain ? OW_MIXEDB : OW_MIXED, src = brain ? OW_BF16 : OW_F16;
    // Distinct with four queues and with 16 descriptors, too.
    const uint32_t w = i & last_queue, w2 = (i + 3) & last_queue;
    const uint32_t p = (i + 1) & last_queue, p2 = (i + 6) & last_queue;
    const uint32_t q = (i + 2) & last_queue, q2 = (i + 4) & last_queue;
    const uint32_t a = i & last_dsr, b = (i + 5) & last_dsr, c = (i + 9) & last_dsr;
    const uint32_t d = (i + 14) & last_dsr, e = (i + 22) & last_dsr;
    fill(va, type, 1);
    fill(vb, OW_F32, 1);
    loop(w, w2, 0);
    loop(p, p2, 1);
    loop(q, q2, 2 % colours);
    // Weights 0 to 3 of 16 samples each.
    vector(a, src, va, 16, DIM(4, 32));
    fabric(b, FABRIC(IN, src, w2), 0);
    vector(c, OW_F32, (const void*)OW_ACC_ADDR(0), 16, DIM(2, 0));
    reg(OW_REG_RED_ACC, OW_RED_ACC_SAMPLES(16) | OW_RED_ACC_RING(2));
    reg(OW_REG_RED_COUNT, OW_RED_COUNT_ROWS(3));
    reg(OW_REG_RED_PHASE, OW_RED_PHASE_PERIOD(3) | OW_RED_PHASE_PIVOT(1));
    const uint32_t r = next();
    uint32_t store = OW_RED_ENABLE | OW_RED_TO_MEMORY | (r & OW_RED_ADD_BIAS) |
                     (r & (OW_RED_ROUND_F16 | OW_RED_RELU));
    if ((r & 1 & types >> OW_BF16) != 0) store |= OW_RED_ROUND_BF16;
    reg(OW_REG_RED_ACT_LT, store);
    reg(OW_REG_RED_ACT_EQ,
        OW_RED_ENABLE | OW_RED_IN0(p2) | OW_RED_OUT(q) | (r & (OW_RED_ADD_BIAS | OW_RED_RELU)));
    reg(OW_REG_RED_ACT_GT, OW_RED_ENABLE | OW_RED_IN1(p2) | OW_RED_TO_MEMORY | OW_RED_ADD_BIAS |
                               (r & OW_RED_ROUND_F16));
    reg(OW_REG_RED_BIAS, (uint32_t)(uintptr_t)vb);
    reg(OW_REG_RED_DST, (uint32_t)(uintptr_t)vc);
    reg(OW_REG_RED_PITCH, OW_RED_PITCH_PITCH(64));
    fabric(d, FABRIC(IN, OW_F32, q2), 16);
    vector(e, OW_F32, file, 16, 0);
    tensor(OW_OP_DRAIN, OW_F32, OW_CTL(0, 0, 0, 0) | OW_THEN_ACTIVATE(i & 31), 0);
    tensor(OW_OP_AXPYW, type, OW_CTL(c, a, b, 1), 0);
    tensor(OW_OP_MOV, OW_F32, OW_CTL(e, d, OW_NONE, threads - 1), 0);
    for (uint32_t row = 0; row < 3; ++row) {
      for (uint32_t k = 0; k <= row; ++k) {
        push(w, (next() & 3) << 16 | (vb[k] >> 16 & 0x83FF) | 0x3800);
      }
      ow_push_control(w, row == 2 ? OW_STREAM_END | OW_ROW_END : OW_ROW_END);
      if (row == 0) continue;
      for (uint32_t k = 0; k < 16; ++k) push(p, vb[(k + row) & 31]);
    }
    wait_thread(1);
    wait_thread(threads - 1);
    while (OW_RED_STATUS_RUNNING_OF(ow_reg_read(OW_REG_RED_STATUS)) != 0) {
    }
    note_words(vc, WORDS);
    note_words(file, 16);
    note_reg(OW_REG_RED_STATUS);
    note_reg(OW_REG_TASK_ACTIVATE);
    if (ow_has(OW_OP_DOTW, type)) {
      // A vector times rows that wavelets name.
      vector(a, src, va, 13, DIM(4, 32));
      vector(c, i & 2 ? src : OW_F32, vc, 3, 0);
      tensor(OW_OP_DOTW, type, OW_CTL(c, a, b, 1), (uint32_t)(uintptr_t)vb);
      for (uint32_t k = 0; k < 3; ++k) push(w, next() & 0x3FFFF);
      ow_push_control(w, OW_STREAM_END);
      wait_thread(1);
      note_words(vc, WORDS);
    }
    unloop(w, w2);
    unloop(p, p2);
    unloop(q, q2);
    phase();
  }
}

// --------------------------------------------------------------------- tasks, registers ---------
static uint32_t left;     // runs of tasks to come
static uint32_t blocked;  // tasks

static void task(uint32_t data) {
  note(data);
  note_reg(OW_REG_TASK_RUNNING);
  if (--left == blocked) reg(OW_REG_TASK_UNBLOCK, ~0u);
  if (left == 0) reg(OW_REG_TASK_ACTIVATE, 1u << 31);
}

// Runs the tasks of the wavelets in the queue.
static void take(uint32_t queue) {
  const uint32_t begin = ow_cycles();
  while (ow_cycles() - begin < 32) {
  }
  left = OW_INQ_LEVEL_LEVEL_OF(ow_reg_read(OW_REG_INQ_LEVEL), queue);
  note(left);
  blocked = ~0u;
  if (left != 0) run_tasks();
}

static void tasks(void) {
  for (uint32_t t = 0; t < 31; ++t) ow_task_register(t, task);
  ow_task_register(31, last_task);
  for (uint32_t round = 0; round < TASKS; ++round) {
    reg(OW_REG_TASK_PRIORITY, next());
    const uint32_t block = next() & 0x7FFFFFFF, run = next() & 0x7FFFFFFF;
    reg(OW_REG_TASK_BLOCK, block);
    note_reg(OW_REG_TASK_BLOCK);
    reg(OW_REG_TASK_ACTIVATE, run);
    note_reg(OW_REG_TASK_ACTIVATE);
    left = blocked = 0;
    for (uint32_t t = 0; t < 31; ++t) {
      left += run >> t & 1;
      blocked += (run & block) >> t & 1;
    }
    if (blocked == left) reg(OW_REG_TASK_UNBLOCK, ~0u);
    run_tasks();
    phase();
  }
}

static uint32_t counters[13];  // at the start

static void registers(void) {
  // Offset, number, distance, bits that can be written safely.
  static const struct {
    uint16_t offset;
    uint8_t number, distance;
    uint32_t mask;
  } list[] = {
      {OW_REG_ROUTE(0), 24, 4, ~OW_ROUTE_SET_CREDITS_MASK},
      {OW_REG_SWITCH(0), 24, 4, ~0u},
      {OW_REG_INQ(0), 8, 4, OW_INQ_COLOUR_MASK},
      {OW_REG_OUTQ(0), 8, 4, OW_OUTQ_COLOUR_MASK},
      {OW_REG_TASK_ENTRY(0), 32, 4, ~0u},
      {OW_REG_TASK_PRIORITY, 1, 0, ~0u},
      {OW_REG_RED_ACC, 1, 0, ~0u},
      {OW_REG_RED_COUNT, 1, 0, ~0u},
      {OW_REG_RED_PHASE, 1, 0, ~0u},
      {OW_REG_RED_ACT_LT, 1, 0, ~0u},
      {OW_REG_RED_ACT_EQ, 1, 0, ~0u},
      {OW_REG_RED_ACT_GT, 1, 0, ~0u},
      {OW_REG_RED_BIAS, 1, 0, ~0u},
      {OW_REG_RED_DST, 1, 0, ~0u},
      {OW_REG_RED_PITCH, 1, 0, ~0u},
      {OW_REG_ROW, 1, 0, ~0u},
      {OW_REG_COL, 1, 0, ~0u},
      {OW_REG_PRNG(0), 4, 4, ~0u},
      {OW_REG_FILTER(0), 6, 16, ~OW_FILTER_ENABLE_MASK},
      {OW_REG_FILTER_LIMITS(0), 6, 16, ~0u},
      {OW_REG_FILTER_COUNT(0), 6, 16, ~0u},
      {OW_REG_TASK_BLOCK, 1, 0, ~0u},
      {OW_REG_TASK_ACTIVATE, 1, 0, 0x7FFFFFFF},
  };
  for (uint32_t round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < sizeof(list) / sizeof(list[0]); ++i) {
      for (uint32_t k = 0; k < list[i].number; ++k) {
        reg(list[i].offset + k * list[i].distance, next() & list[i].mask);
      }
      for (uint32_t k = 0; k < list[i].number; ++k) {
        note_reg(list[i].offset + k * list[i].distance);
      }
    }
    phase();
  }
  reg(OW_REG_TASK_UNBLOCK, ~0u);
  for (uint32_t c = 0; c < 24; ++c) {
    reg(OW_REG_SWITCH(c), 0);
    reg(OW_REG_ROUTE(c), OW_ROUTE_SET_CREDITS(1));
  }
  for (uint32_t f = 0; f < 6; ++f) reg(OW_REG_FILTER(f), 0);
  // Those that can only be read.
  for (uint32_t k = 0; k < 13; ++k) {
    const uint32_t low = ow_reg_read(OW_REG_COUNTER(k));
    note(low - counters[k]);
  }
  for (uint32_t k = 0; k < OW_MAX_THREADS; ++k) note_reg(OW_REG_THREAD(k));
  note_reg(OW_REG_RT_OCCUPIED);
  note_reg(OW_REG_RT_MISROUTE);
  note_reg(OW_REG_RT_CONTROL);
  note_reg(OW_REG_RT_TORN);
  for (uint32_t k = 0; k < 16; ++k) note_reg(OW_REG_RT_CREDITS(k));
  note_reg(OW_REG_CONFIG);
  note_reg(OW_REG_FEATURES);
  note_reg(OW_REG_OPERATIONS);
  note_reg(OW_REG_RED_STATUS);
  note_reg(OW_REG_ENGINE_FAULT);
}

// A list of random commands, none of which is a teardown.
static uint32_t random_commands(void) {
  uint32_t list = 0;
  for (uint32_t slot = 0, r = next(); slot < OW_NUM_COMMANDS; ++slot, r >>= 3) {
    const uint32_t torn = OW_COMMAND_OP_OF(r) == OW_SWITCH_TEARDOWN;
    list |= OW_CONTROL_COMMANDS(slot, torn ? OW_RESET | (r & OW_NO_RAMP) : r);
  }
  return list;
}

// Switches and filters of each colour, on a way from the ramp to the ramp.
static void switches(void) {
  const uint32_t way = OW_POSITION_IN_PORT(RAMP) | OW_POSITION_OUT_MASK(1u << RAMP);
  const uint32_t routed = OW_ROUTE_POSITION(way) | OW_ROUTE_ENABLE(1) | OW_ROUTE_OBEY(1);
  for (uint32_t c = 0; c < colours; ++c) {
    const uint32_t q = c & last_queue;
    loop(q, q, c);
    reg(OW_REG_SWITCH(c), OW_SWITCH_POSITION1(way) | OW_SWITCH_POSITION2(way) |
                              OW_SWITCH_POSITION3(way) | OW_SWITCH_LAST(3));
    for (uint32_t k = 0; k < 4; ++k) {
      reg(OW_REG_ROUTE(c), routed | OW_ROUTE_POP_MODE(k) | OW_ROUTE_RING(next()));
      ow_push_control(q, random_commands());
      push(q, next());
      take(q);
      note_reg(OW_REG_SWITCH(c));
    }
    // A filter of each kind.
    for (uint32_t kind = 0; kind < 3; ++kind) {
      const uint32_t f = (c + kind) % 6;
      reg(OW_REG_FILTER_LIMITS(f),
          kind == OW_FILTER_RANGE ? OW_FILTER_LIMITS_LOW(0x2000) | OW_FILTER_LIMITS_HIGH(0xC000)
                                  : OW_FILTER_LIMITS_LOW(3) | OW_FILTER_LIMITS_HIGH(1));
      reg(OW_REG_FILTER_COUNT(f), 0);
      reg(OW_REG_FILTER(f), OW_FILTER_COLOUR(c) | OW_FILTER_ENABLE(1) | OW_FILTER_KIND(kind) |
                                OW_FILTER_COUNT_DATA(1) | OW_FILTER_COUNT_CTRL(1) |
                                OW_FILTER_FILTER_CTRL(next()));
      for (uint32_t k = 0; k < 7; ++k) push(q, next());
      ow_push_control(q, 0);
      take(q);
      note_reg(OW_REG_FILTER_COUNT(f));
      reg(OW_REG_FILTER(f), 0);
    }
    // Torn down, and set up again.
    ow_push_control(q, OW_COMMAND(0, OW_TEARDOWN));
    take(q);
    note_reg(OW_REG_RT_TORN);
    reg(OW_REG_ROUTE(c), routed | OW_ROUTE_SET_CREDITS(1));
    reg(OW_REG_SWITCH(c), 0);
    push(q, next());
    take(q);
    unloop(q, q);
    reg(OW_REG_ROUTE(c), OW_ROUTE_SET_CREDITS(1));
    if (c % 4 == 3) phase();
  }
}

#endif

void ow_main(void);
void ow_main(void) {
  const uint32_t what = ow_selftest_order.what;
  const uint32_t config = ow_reg_read(OW_REG_CONFIG);
  threads = OW_CONFIG_THREADS_OF(config) + 1;
  types = ow_types();
  features = ow_reg_read(OW_REG_FEATURES);
  last_dsr = OW_FEATURES_DSRS_OF(features);
  last_queue = OW_FEATURES_QUEUES_OF(features) - 1;
  colours = OW_CONFIG_COLOURS_OF(config);
  ow_selftest_result.done = 0;
  ow_selftest_result.phases = 0;
  if (what == OW_SELFTEST_CORE) {
    // Counted from here: when the host has started the tile is not part of the signature. A tile
    // for area gives turns by the wafer's count of cycles, of which it is the first of four here:
    // its core shifts a place a cycle.
    uint32_t places = -ow_cycles() & 3;
    __asm__ volatile(
        "sll %0, %0, %0\n\t"
        "csrw mcycle, zero\n\t"
        "csrw mcycleh, zero"
        : "+r"(places));
    state = 0x2545F491u;
    signature = 0xFFFFFFFFu;
    ow_prng_seed(next(), next(), next(), next());
#if OW_SELFTEST_PART == 1
    core();
    csrs();
#elif OW_SELFTEST_PART == 2
    memories();
    engine();
#elif OW_SELFTEST_PART == 4
    fill_far();
    senders();
    crowd();
#else
    for (uint32_t k = 0; k < 13; ++k) counters[k] = ow_reg_read(OW_REG_COUNTER(k));
    streams();
    reductions();
    registers();
    tasks();
    switches();
#endif
    ow_selftest_result.signature = signature;
  }
  ow_selftest_result.done = OW_SELFTEST_DONE + what;
}
