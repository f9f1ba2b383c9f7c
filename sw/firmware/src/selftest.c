// SPDX-License-Identifier: Apache-2.0
// Self-test of a tile, loaded over the test-access chain before there is a mesh (docs/bring-up.md).
// It fits the smallest tile (8 kB).
//
// OW_SELFTEST_CORE runs pseudo-random data through the core's instructions, through the engine's
// operations (those that the tile has), and through a loop of ramp and router. It gathers all
// results in a signature, which the host compares with that of a good tile. OW_SELFTEST_ROUTER
// sends words to each neighbour in turn, on one colour or on all, and keeps the signature of what
// arrives from the other side.

#include "ow/firmware/selftest.h"

#include "openwafer/tile/features.h"
#include "openwafer/tile/tile.h"

enum { N = 48, BEATS = 8 };  // elements of a vector: at most so many, and beats of the tile's lanes
enum { DSR_A, DSR_B, DSR_C, DSR_OUT, DSR_IN };
enum { LOOP_COLOUR = 2, LOOP_QUEUE = 2, SEND_QUEUE = 0, HEAR_QUEUE = 1 };
enum { RAMP = 4 };

__attribute__((section(".noinit"), used)) volatile struct ow_selftest_order ow_selftest_order;
__attribute__((section(".noinit"), used)) volatile struct ow_selftest_result ow_selftest_result;

static uint32_t state;
static uint32_t signature;
static uint16_t va[N] __attribute__((aligned(64)));
static uint16_t vb[N] __attribute__((aligned(64)));
static uint16_t vc[N] __attribute__((aligned(64)));
static uint32_t wide[N] __attribute__((aligned(64)));

static uint32_t next(void) { return state = ow_selftest_next(state); }

// Adds a word to the signature. It branches because a core built for area shifts one bit per cycle:
// a mask of 31 shifts would be half of the cost of a word.
static inline __attribute__((always_inline)) uint32_t noted(uint32_t sum, uint32_t word) {
  uint32_t twice = sum + sum;
  if ((int32_t)sum < 0) {
    __asm__("" : "+r"(twice));  // else the compiler makes a mask of the sign
    twice ^= OW_SELFTEST_POLYNOMIAL;
  }
  return twice ^ word;
}

// One copy for the many uses in core(). A test of bring-up breaks bit 11 of the program counter and
// needs everything except the test of the routers below address 2,048.
static __attribute__((noinline)) uint32_t note(uint32_t sum, uint32_t word) {
  return noted(sum, word);
}

static void note_words(const void* data, uint32_t words) {
  const volatile uint32_t* p = (const volatile uint32_t*)data;
  uint32_t sum = signature;
  for (uint32_t i = 0; i < words; ++i) sum = noted(sum, p[i]);
  signature = sum;
}

#define NOTE(word) (sum = note(sum, word))
static void core(void) {
  volatile uint8_t* bytes = (volatile uint8_t*)wide;
  uint32_t sum = signature;
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t x = next(), y = next();
    NOTE(x + y);
    NOTE(x - y);
    NOTE((x & y) ^ (x | ~y));
    NOTE(x << (y & 31));
    NOTE(x >> (y & 31));
    NOTE((uint32_t)((int32_t)x >> (y & 31)));
    NOTE(x * y);
    NOTE((uint32_t)(((int64_t)(int32_t)x * (int32_t)y) >> 32));
    NOTE((uint32_t)(((uint64_t)x * y) >> 32));
    NOTE(x / (y >> (i & 31)));
    NOTE(x % (y >> (i & 31)));
    NOTE((uint32_t)((int32_t)x / (int32_t)(y | 1)));
    NOTE((uint32_t)((int32_t)x % (int32_t)(y | 1)));
    NOTE((uint32_t)(x < y) | (uint32_t)((int32_t)x < (int32_t)y) << 1 | (uint32_t)(x == y) << 2);
    bytes[i] = (uint8_t)x;
    ((volatile uint16_t*)wide)[32 + (i & 31)] = (uint16_t)y;
    NOTE((uint32_t)(int32_t)(int8_t)bytes[x & 63] + bytes[y & 63]);
    NOTE((uint32_t)(int32_t)((volatile int16_t*)wide)[x & 63]);
  }
  signature = sum;
}

// Finite binary16 values of moderate size, of both signs.
static void fill(uint16_t* v, uint32_t elements) {
  for (uint32_t i = 0; i < elements; ++i) v[i] = (uint16_t)((next() & 0x9FFF) + 0x2000);
}

#define STEP(instruction)         \
  do {                            \
    instruction;                  \
    note_words(vc, elements / 2); \
  } while (0)
#define STEP_IF(there, instruction) \
  do {                              \
    if (there) STEP(instruction);   \
  } while (0)

static void engine(void) {
  const uint32_t ctl = OW_CTL(DSR_C, DSR_A, DSR_B, 0);
  const uint32_t bf16 = ow_has(OW_OP_ADD, OW_BF16), i16 = ow_has(OW_OP_ADD, OW_I16);
  const uint32_t compare = ow_has(OW_OP_MAX, OW_F16);
  const uint32_t beats = BEATS * OW_CONFIG_LANES_OF(ow_reg_read(OW_REG_CONFIG));
  const uint32_t elements = beats < N ? beats : N;
  for (uint32_t round = 0; round < 3; ++round) {
    fill(va, elements);
    fill(vb, elements);
    fill(vc, elements);
    // Three alignments of the vectors in their lines.
    const uint32_t n = elements - 4 * round, skip = 2 * round;
    ow_dsr_mem1(DSR_A, OW_F16, (uint32_t)(uintptr_t)&va[skip], n, 2);
    ow_dsr_mem1(DSR_B, OW_F16, (uint32_t)(uintptr_t)&vb[skip], n, 2);
    ow_dsr_mem1(DSR_C, OW_F16, (uint32_t)(uintptr_t)&vc[skip], n, 2);
    STEP(ow_mov(OW_F16, ctl));
    STEP(ow_add(OW_F16, ctl));
    STEP(ow_sub(OW_F16, ctl));
    STEP(ow_mul(OW_F16, ctl));
    STEP(ow_fma(OW_F16, ctl));
    STEP_IF(compare, ow_max(OW_F16, ctl));
    STEP_IF(bf16, ow_add(OW_BF16, ctl));
    STEP_IF(bf16, ow_mul(OW_BF16, ctl));
    // Mixed: products of binary16 added in fp32.
    for (uint32_t i = 0; i < elements; ++i) wide[i] = 0x3F800000u + (next() & 0x807FFFFFu);
    ow_dsr_mem1(DSR_C, OW_F32, (uint32_t)(uintptr_t)&wide[skip], n, 4);
    ow_fma(OW_MIXED, ctl);
    note_words(wide, elements);
    ow_dsr_mem1(DSR_A, OW_I16, (uint32_t)(uintptr_t)&va[skip], n, 2);
    ow_dsr_mem1(DSR_B, OW_I16, (uint32_t)(uintptr_t)&vb[skip], n, 2);
    ow_dsr_mem1(DSR_C, OW_I16, (uint32_t)(uintptr_t)&vc[skip], n, 2);
    STEP_IF(i16, ow_add(OW_I16, ctl));
    STEP_IF(i16, ow_mul(OW_I16, ctl));
    STEP_IF(i16, ow_xor(OW_I16, ctl));
    STEP_IF(i16, ow_srl(OW_I16, ctl));
    // Out through the ramp to the router and back.
    ow_dsr_fabric_in(DSR_IN, OW_I16, LOOP_QUEUE, n);
    ow_dsr_fabric_out(DSR_OUT, OW_I16, LOOP_QUEUE, n, 0);
    ow_mov(OW_I16, OW_CTL(DSR_OUT, DSR_A, OW_NONE, 1));
    STEP(ow_mov(OW_I16, OW_CTL(DSR_C, DSR_IN, OW_NONE, 0)));
  }
}

static void wait_until(uint32_t begin, uint32_t cycles) {
  while (ow_cycles() - begin < cycles) {
  }
}

static void route(uint32_t colour, uint32_t in, uint32_t out) {
  ow_reg_write(OW_REG_ROUTE(colour),
               OW_ROUTE_ENABLE(1) |
                   OW_ROUTE_POSITION(OW_POSITION_IN_PORT(in) | OW_POSITION_OUT_MASK(1u << out)));
}

// One direction on a pair of colours: sends on `send`, and listens on `hear` to the other side. If
// the expected number of words arrives, they are added to the signature.
static uint32_t exchange(uint32_t slot, uint32_t side, uint32_t send, uint32_t hear,
                         uint32_t heard) {
  const uint32_t length = ow_selftest_order.slot;
  const uint32_t from = (side + 2) & 3;
  wait_until(slot, length / 8);
  ow_reg_write(OW_REG_OUTQ(SEND_QUEUE), OW_OUTQ_ENABLE(1) | OW_OUTQ_COLOUR(send));
  ow_reg_write(OW_REG_INQ(HEAR_QUEUE), OW_INQ_ENABLE(1) | OW_INQ_COLOUR(hear));
  route(send, RAMP, side);
  ow_reg_write(OW_REG_ROUTE(hear),
               OW_ROUTE_POSITION(OW_POSITION_IN_PORT(from)));  // what comes waits
  wait_until(slot, length / 2);
  for (uint32_t i = 0; i < OW_SELFTEST_WORDS; ++i) ow_push(SEND_QUEUE, next());
  wait_until(slot, length / 2 + length / 8);
  route(hear, from, RAMP);
  wait_until(slot, length / 2 + length / 4);
  const uint32_t words = OW_INQ_LEVEL_LEVEL_OF(ow_reg_read(OW_REG_INQ_LEVEL), HEAR_QUEUE);
  if (words != 0) {
    // Surplus or missing words of one neighbour must not count as another's.
    ow_dsr_fabric_in(DSR_IN, OW_I32, HEAR_QUEUE, words);
    ow_dsr_mem1(DSR_C, OW_I32, (uint32_t)(uintptr_t)wide, words, 4);
    ow_mov(OW_I32, OW_CTL(DSR_C, DSR_IN, OW_NONE, 0));
  }
  if (words == OW_SELFTEST_WORDS) {
    const volatile uint32_t* word = wide;
    for (uint32_t i = 0; i < OW_SELFTEST_WORDS; ++i) heard = ow_selftest_note(heard, word[i]);
  }
  wait_until(slot, length);
  return heard;
}

// Even tiles send on an even colour and listen on an odd one, odd tiles the reverse; then each uses
// the other colour of the pair. All tiles send in the direction of `side` at once.
static void router(uint32_t slot) {
  const uint32_t odd = ow_selftest_order.odd & 1, name = ow_selftest_order.name;
  const uint32_t length = ow_selftest_order.slot;
  for (uint32_t side = 0; side < 4; ++side) {
    uint32_t heard = ~0u;
    state = ow_selftest_seed(name, side);
    for (uint32_t c = 0; c < ow_selftest_order.colours; ++c, slot += length) {
      heard = exchange(slot, side, c ^ odd, c ^ odd ^ 1, heard);
    }
    ow_selftest_result.heard[(side + 2) & 3] = heard;
  }
}

void ow_main(void);
void ow_main(void) {
  const uint32_t begin = ow_cycles();
  const uint32_t what = ow_selftest_order.what;
  ow_selftest_result.done = 0;
  if (what == OW_SELFTEST_CORE) {
    state = 0x2545F491u;
    signature = 0xFFFFFFFFu;
    ow_reg_write(OW_REG_OUTQ(LOOP_QUEUE), OW_OUTQ_ENABLE(1) | OW_OUTQ_COLOUR(LOOP_COLOUR));
    ow_reg_write(OW_REG_INQ(LOOP_QUEUE), OW_INQ_ENABLE(1) | OW_INQ_COLOUR(LOOP_COLOUR));
    route(LOOP_COLOUR, RAMP, RAMP);
    core();
    engine();
    ow_selftest_result.signature = signature;
  } else if (what == OW_SELFTEST_ROUTER) {
    router(begin);
  }
  ow_selftest_result.done = OW_SELFTEST_DONE + what;
}
