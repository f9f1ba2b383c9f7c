// SPDX-License-Identifier: Apache-2.0
// The self-test program of a tile (selftest.c) and what bring-up shares with it.
#ifndef OW_SELFTEST_H_
#define OW_SELFTEST_H_

#include <stdint.h>

// Names of the thorough programs, in the order in which they run.
#define OW_SELFTEST_THOROUGH \
  "selftest_core", "selftest_engine", "selftest_threads", "selftest_fabric"

// The host's order, symbol ow_selftest_order: what to do, and the identity of the tile.
enum {
  OW_SELFTEST_CORE = 1,   // core, engine, ramp and router by themselves: the signature
  OW_SELFTEST_ROUTER = 2  // words to each neighbour and from each
};

struct ow_selftest_order {
  uint32_t what;
  uint32_t name;     // of this tile, 24 bits
  uint32_t odd;      // 1 if row + column is odd
  uint32_t colours;  // for the router: how many colours: 1 (of 0 and 1), or any even number
  uint32_t slot;     // of the order, see ow_selftest_slot
};

// Symbol ow_selftest_result. `heard` of side s (N, E, S, W): ow_selftest_heard of the neighbour
// there and of the direction in which it sent. The thorough programs also leave the signature of
// each phase, so a failure in one phase is visible even if a later one hangs.
#define OW_SELFTEST_DONE 0x600D0000u  // + what
#define OW_SELFTEST_PHASES 48u
struct ow_selftest_result {
  uint32_t done;
  uint32_t signature;
  uint32_t heard[4];
  uint32_t phases;  // that have ended
  uint32_t phase[OW_SELFTEST_PHASES];
};

// Adds a word to a 32-bit signature: x^32 + x^22 + x^2 + x + 1.
#define OW_SELFTEST_POLYNOMIAL 0x00400007u
static inline uint32_t ow_selftest_note(uint32_t signature, uint32_t word) {
  return (signature << 1) ^ ((uint32_t)((int32_t)signature >> 31) & OW_SELFTEST_POLYNOMIAL) ^ word;
}
// The next word of a sequence (xorshift). It is never 0 if the first word is not.
static inline uint32_t ow_selftest_next(uint32_t state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

// The test of the routers, direction by direction and colour by colour. Each tile sends as many
// words as its neighbour's router has room for, so nobody waits for a dead tile. The words wait
// there until the route is enabled.
#define OW_SELFTEST_WORDS 2u
// Cycles per direction and colour. Neighbours do them at the same time, within an eighth.
#define OW_SELFTEST_SLOT 512u
#define OW_SELFTEST_SLOT_SMALL 2048u  // of a core built for area (SmallTile)
static inline uint32_t ow_selftest_slot(uint32_t small_tile) {
  return small_tile != 0 ? OW_SELFTEST_SLOT_SMALL : OW_SELFTEST_SLOT;
}
// Cycles from the start of the core to the end, with the start-up code.
static inline uint32_t ow_selftest_router_cycles(uint32_t colours, uint32_t slot) {
  return 4 * colours * slot + 2500 * (slot / OW_SELFTEST_SLOT);
}
// The first state of the sequence that a tile sends in a direction; never 0.
static inline uint32_t ow_selftest_seed(uint32_t name, uint32_t side) {
  return (name << 4) ^ 0xA5000005u ^ (side << 1);
}
// The signature of everything that it sends there.
static inline uint32_t ow_selftest_heard(uint32_t name, uint32_t side, uint32_t colours) {
  uint32_t state = ow_selftest_seed(name, side), signature = ~0u;
  for (uint32_t i = 0; i < colours * OW_SELFTEST_WORDS; ++i) {
    state = ow_selftest_next(state);
    signature = ow_selftest_note(signature, state);
  }
  return signature;
}

#endif  // OW_SELFTEST_H_
