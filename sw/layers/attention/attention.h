// SPDX-License-Identifier: Apache-2.0
// What the kernels of attention share with each other and with the host.
//
// A tile has some whole heads, and the tokens of its grid column: n queries, keys and values each.
// Feature k of head g of the tile is row k heads + g of a value. Keys and values of the tiles to
// the west come along the grid row, a tile's own ones first; deltas of keys and values go back.
#ifndef OW_LAYERS_ATTENTION_H_
#define OW_LAYERS_ATTENTION_H_

#include <stdint.h>

struct ow_attention {
  uint32_t q, k, v;
  uint32_t y;      // forward: where the result goes; backward: the result
  uint32_t kept;   // for each head: n maxima (16 bits), n inverses of sums (fp32)
  uint32_t slots;  // words of the tokens
  uint32_t heads;  // of the tile
  uint32_t size;   // features of a head
  uint32_t scale;  // 1 / sqrt(size), 16 bits
  uint32_t work;
  // Backward: deltas of the result, of queries, of keys, of values; the scale in fp32.
  uint32_t delta, dq, dk, dv;
  uint32_t wide_scale;
};

// Words of the tokens: a triangle of 8 keys x 8 queries, 16 bits: -infinity for a key after the
// query, else -0; then
#define OW_SLOTS_TRIANGLE_WORDS 32u
enum {
  OW_SLOTS_WEST = OW_SLOTS_TRIANGLE_WORDS,  // blocks of keys that come from the west
  OW_SLOTS_EAST,      // blocks that go to the next tile: the own one, then those received
  OW_SLOTS_CROSSING,  // if some do: the first slot of the sequence that goes on there
  OW_SLOTS_STARTS     // for each 8 slots: the first slot of their sequence. Slots count from the
                      // tile's first one
};

// Bytes of the work area, for n slots and heads of h features.
#define OW_ATTENTION_TEMP_BYTES 512u  // 128 fp32 numbers: a fill of the accumulator cache
#define OW_ATTENTION_HEAD_BYTES(n, h) (2u * (n) * (h))
#define OW_ATTENTION_SCORE_BYTES(n) (2u * (n) * (n))
// Queries and sums of a head, received keys and values, scores, rows.
#define OW_ATTENTION_WORK(n, h) \
  (5u * OW_ATTENTION_HEAD_BYTES(n, h) + OW_ATTENTION_SCORE_BYTES(n) + 14u * (n))
// Besides: deltas of scores; sums of keys or values, and before them fp32 numbers in between.
#define OW_ATTENTION_PART_BYTES(n, h)                                                           \
  (OW_ATTENTION_HEAD_BYTES(n, h) > OW_ATTENTION_TEMP_BYTES ? 2u * OW_ATTENTION_HEAD_BYTES(n, h) \
                                                           : 2u * OW_ATTENTION_TEMP_BYTES)
#define OW_ATTENTION_BACKWARD_WORK(n, h) \
  (OW_ATTENTION_WORK(n, h) + OW_ATTENTION_SCORE_BYTES(n) + OW_ATTENTION_PART_BYTES(n, h))

#ifndef __cplusplus
#include "job.h"

// A head that is worked on. Addresses of rows of n numbers; a pitch is bytes between rows.
struct attention_head {
  uint32_t size;
  uint32_t q, k, v, y;   // of the tile's values
  uint32_t value_pitch;  // of these
  uint32_t maxima, inverses;
  uint32_t queries;                 // times the scale
  uint32_t sums;                    // fp32, [size][n]
  uint32_t received;                // keys, then values of a block
  uint32_t scores;                  // [n keys][n queries]
  uint32_t row;                     // 16 bits
  uint32_t wide_row, total, along;  // fp32
  uint32_t more;                    // what follows in the work area
};

// Keys and values of a tile: the own ones, or those of the tile `block` tiles to the west.
struct attention_block {
  uint32_t block;
  uint32_t keys, values, pitch;
};

// A rectangle of a block's scores: keys from `key` on that all have the queries from `query` on.
struct attention_piece {
  uint32_t query, queries, key, keys;
};

void attention_begin(const struct ow_attention* p, uint32_t head, struct attention_head* h);
// The first block, or the next one from the west; 0: there is none. It passes on what comes.
int attention_block(const struct ow_attention* p, const struct attention_head* h,
                    struct attention_block* b);
// The next piece, from one with no queries on; 0: there is none. Pieces come in ascending keys.
int attention_piece(const struct ow_attention* p, const struct attention_block* b,
                    struct attention_piece* piece);
// Descriptors of memory: lengths and strides, from the inner dimension on.
void attention_rows(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t length,
                    uint32_t stride, uint32_t rows, uint32_t pitch);
void attention_planes(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t length,
                      uint32_t stride, uint32_t rows, uint32_t pitch, uint32_t planes,
                      uint32_t plane_pitch);
// A row of the accumulator cache for each of some keys of a piece: sums over the features of rows
// at `keys` times rows at `queries`.
void attention_products(const struct attention_head* h, const struct attention_piece* piece,
                        uint32_t keys, uint32_t key_pitch, uint32_t queries, uint32_t query_pitch,
                        uint32_t count);
// The scores of a block.
void attention_scores(const struct ow_attention* p, const struct attention_head* h,
                      const struct attention_block* b);
// Scores become powers.
void attention_powers(const struct ow_attention* p, const struct attention_head* h,
                      const struct attention_block* b);
// A row of the cache for each of `count` features from `feature` on: sums over a block's keys of
// rows at `rows` (of features, by keys) times weights (of keys, by queries).
void attention_weighted(const struct ow_attention* p, const struct attention_block* b,
                        uint32_t rows, uint32_t weights, uint32_t feature, uint32_t count);
// Queries of a block that is not the tile's own: those of the tile's first sequence.
uint32_t attention_reach(const struct ow_attention* p);

static inline const int32_t* attention_slots(const struct ow_attention* p) {
  return (const int32_t*)(uintptr_t)p->slots;
}
// So many rows of `width` fp32 numbers are in the accumulator cache at a time.
static inline uint32_t attention_rows_at_once(uint32_t width, uint32_t left) {
  const uint32_t most = 16 * lanes / width;
  return most < left ? most : left;
}
#endif

#endif  // OW_LAYERS_ATTENTION_H_
