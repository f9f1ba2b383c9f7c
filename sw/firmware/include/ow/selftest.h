// SPDX-License-Identifier: Apache-2.0
// The self-test program of a tile (selftest.c) and what bring-up shares with it.
#ifndef OW_SELFTEST_H_
#define OW_SELFTEST_H_

#include <stdint.h>

// The host's order, symbol ow_selftest_order: what to do, and who the tile is.
enum {
  OW_SELFTEST_CORE = 1,   // core, engine, ramp and router by themselves: the signature
  OW_SELFTEST_ROUTER = 2  // a word to each neighbour and from each
};

struct ow_selftest_order {
  uint32_t what;
  uint32_t name;  // of this tile, 24 bits
  uint32_t odd;   // 1 if row + column is odd
};

// Symbol ow_selftest_result. `heard` of side s (N, E, S, W): ow_selftest_word of the neighbour
// there and the direction in which it sent, or 0.
#define OW_SELFTEST_DONE 0x600D0000u  // + what
struct ow_selftest_result {
  uint32_t done;
  uint32_t signature;
  uint32_t heard[4];
};

static inline uint32_t ow_selftest_word(uint32_t name, uint32_t side) {
  return (name << 4) ^ 0xA5000005u ^ (side << 1);
}

// Cycles of a direction of the router's test; all tiles do them at the same time, give or take an
// eighth.
#define OW_SELFTEST_SLOT 1024u
// From the start of the core to the end of all four, the program's start-up included.
#define OW_SELFTEST_ROUTER_CYCLES (4 * OW_SELFTEST_SLOT + 2500)

#endif  // OW_SELFTEST_H_
