/* SPDX-License-Identifier: Apache-2.0
 *
 * A word of a bank is in one place for each tile, a bit of a signal is in one place for all tiles:
 * between them the bits of 64 tiles are transposed.
 */
#include <string.h>

#include "ow_wide.h"

enum { TILES = 64 };

/* Bit j of row i and bit i of row j change places. */
static void transpose(uint64_t rows[TILES]) {
  uint64_t mask = UINT64_C(0x00000000FFFFFFFF);
  for (int step = 32; step != 0; step >>= 1, mask ^= mask << step) {
    for (int k = 0; k < TILES; k = (k + step + 1) & ~step) {
      const uint64_t other = ((rows[k] >> step) ^ rows[k + step]) & mask;
      rows[k] ^= other << step;
      rows[k + step] ^= other;
    }
  }
}

/* The words of 64 tiles from `bits` vectors: of their 64-bit part number `part`. */
static void gather(const V* values, int bits, int part, uint64_t rows[TILES]) {
  memset(rows, 0, TILES * sizeof rows[0]);
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

void OW_NAME(ow_wide_write)(uint64_t* bank, int words, int address_bits, const V* address, int bits,
                            const V* enable, const V* data) {
  for (int part = 0; part < OW_WIDE / TILES; ++part) {
    uint64_t left = 0;
    for (int k = 0; k < bits; ++k) left |= ((const uint64_t*)&enable[k])[part];
    if (left == 0) continue;
    uint64_t at[TILES], rows[TILES], masks[TILES];
    gather(address, address_bits, part, at);
    gather(data, bits, part, rows);
    gather(enable, bits, part, masks);
    for (; left != 0; left &= left - 1) {
      const int tile = __builtin_ctzll(left);
      if (at[tile] >= (uint64_t)words) continue;
      uint64_t* const word = &bank[(size_t)(part * TILES + tile) * (size_t)words + at[tile]];
      *word = (*word & ~masks[tile]) | (rows[tile] & masks[tile]);
    }
  }
}
