/* SPDX-License-Identifier: Apache-2.0
 *
 * A word of a bank is in one place for each tile, a bit of a signal is in one place for all tiles:
 * between them the bits of 64 tiles are transposed.
 */
#include <string.h>

#include "ow_wide.h"

enum { TILES = 64, EIGHT = 8 };

typedef uint64_t Eight __attribute__((vector_size(64)));

#if defined(__clang__)
#define LANES_XOR(x, n)                                                                        \
  __builtin_shufflevector(x, x, 0 ^ (n), 1 ^ (n), 2 ^ (n), 3 ^ (n), 4 ^ (n), 5 ^ (n), 6 ^ (n), \
                          7 ^ (n))
#else
#define LANES_XOR(x, n) \
  __builtin_shuffle(    \
      x, (Eight){0 ^ (n), 1 ^ (n), 2 ^ (n), 3 ^ (n), 4 ^ (n), 5 ^ (n), 6 ^ (n), 7 ^ (n)})
#endif

/* Lanes k and k ^ n of a vector change bits. `high`: all ones in lanes that have n in their number.
 */
#define EXCHANGE(x, n, mask, high)                     \
  do {                                                 \
    const Eight other = LANES_XOR(x, n);               \
    const Eight low = (((x) >> (n)) ^ other) & (mask); \
    const Eight up = ((other >> (n)) ^ (x)) & (mask);  \
    (x) ^= (up & (high)) | ((low << (n)) & ~(high));   \
  } while (0)

/* Bit j of row i and bit i of row j change places. */
static void transpose(uint64_t rows[TILES]) {
  static const uint64_t masks[3] = {UINT64_C(0x00000000FFFFFFFF), UINT64_C(0x0000FFFF0000FFFF),
                                    UINT64_C(0x00FF00FF00FF00FF)};
  const Eight high4 = {0, 0, 0, 0, ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0), ~UINT64_C(0)};
  const Eight high2 = {0, 0, ~UINT64_C(0), ~UINT64_C(0), 0, 0, ~UINT64_C(0), ~UINT64_C(0)};
  const Eight high1 = {0, ~UINT64_C(0), 0, ~UINT64_C(0), 0, ~UINT64_C(0), 0, ~UINT64_C(0)};
  Eight x[EIGHT];
  memcpy(x, rows, sizeof x);
  for (int stage = 0; stage < 3; ++stage) {
    const int step = 32 >> stage, apart = step / EIGHT;
    for (int k = 0; k < EIGHT; k = (k + apart + 1) & ~apart) {
      const Eight other = ((x[k] >> step) ^ x[k + apart]) & masks[stage];
      x[k] ^= other << step;
      x[k + apart] ^= other;
    }
  }
  for (int k = 0; k < EIGHT; ++k) {
    EXCHANGE(x[k], 4, UINT64_C(0x0F0F0F0F0F0F0F0F), high4);
    EXCHANGE(x[k], 2, UINT64_C(0x3333333333333333), high2);
    EXCHANGE(x[k], 1, UINT64_C(0x5555555555555555), high1);
  }
  memcpy(rows, x, sizeof x);
}

/* The words of 64 tiles from `bits` vectors: of their 64-bit part number `part`. */
static void gather(const V* values, int bits, int part, uint64_t rows[TILES]) {
  memset(rows + bits, 0, (size_t)(TILES - bits) * sizeof rows[0]);
  for (int k = 0; k < bits; ++k) rows[k] = ((const uint64_t*)&values[k])[part];
  transpose(rows);
}

void OW_NAME(ow_wide_read)(const uint64_t* bank, int words, V tiles, int address_bits,
                           const V* address, int bits, V* data) {
  for (int part = 0; part < OW_WIDE / TILES; ++part) {
    uint64_t left = ((const uint64_t*)&tiles)[part];
    if (left == 0) continue;
    uint64_t at[TILES], rows[TILES] = {0};
    gather(address, address_bits, part, at);
    for (; left != 0; left &= left - 1) {
      const int tile = __builtin_ctzll(left);
      if (at[tile] < (uint64_t)words) {
        rows[tile] = bank[(size_t)(part * TILES + tile) * (size_t)words + at[tile]];
      }
    }
    transpose(rows);
    for (int k = 0; k < bits; ++k) ((uint64_t*)&data[k])[part] = rows[k];
  }
}

/* With one bit of `enable` the whole word is written. */
void OW_NAME(ow_wide_write)(uint64_t* bank, int words, int address_bits, const V* address, int bits,
                            int enable_bits, const V* enable, const V* data) {
  for (int part = 0; part < OW_WIDE / TILES; ++part) {
    uint64_t left = 0;
    for (int k = 0; k < enable_bits; ++k) left |= ((const uint64_t*)&enable[k])[part];
    if (left == 0) continue;
    uint64_t at[TILES], rows[TILES], masks[TILES];
    gather(address, address_bits, part, at);
    gather(data, bits, part, rows);
    if (enable_bits > 1) gather(enable, enable_bits, part, masks);
    for (; left != 0; left &= left - 1) {
      const int tile = __builtin_ctzll(left);
      if (at[tile] >= (uint64_t)words) continue;
      uint64_t* const word = &bank[(size_t)(part * TILES + tile) * (size_t)words + at[tile]];
      const uint64_t mask = enable_bits > 1 ? masks[tile] : ~UINT64_C(0);
      *word = (*word & ~mask) | (rows[tile] & mask);
    }
  }
}
