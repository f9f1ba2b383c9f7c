// SPDX-License-Identifier: Apache-2.0
// What the kernels of attention share with each other and with the host.
//
// A tile has some whole heads, and the tokens of its grid column: n queries, keys and values each.
// Feature k of head g of the tile is row k heads + g of a value. Keys and values of the tiles to
// the west come along the grid row, a tile's own ones first; deltas of keys and values go back.
//
// With twice as many grid rows as heads, two tiles of a column share a head: row g has its even
// features and row g + heads its odd ones. Each gets what the other one has, and then works on half
// of the queries with all features (halves.c).
#ifndef OW_LAYERS_ATTENTION_H_
#define OW_LAYERS_ATTENTION_H_

#include <stdint.h>

struct ow_attention {
  uint32_t q, k, v;
  uint32_t y;        // forward: where the result goes; backward: the result
  uint32_t kept;     // for each head: n maxima (16 bits), n inverses of sums (fp32)
  uint32_t slots;    // words of the tokens
  uint32_t heads;    // of the tile
  uint32_t size;     // features of a head
  uint32_t scale;    // 1 / sqrt(size), 16 bits
  uint32_t queries;  // where queries times the scale go, a head's alone; q: in their place
  uint32_t work;
  // Backward: deltas of the result, of queries, of keys, of values; the scale in fp32.
  uint32_t delta, dq, dk, dv;
  uint32_t wide_scale;
};

// The same with a head that two tiles share: `of` names places of all its features, for half of the
// queries; but dk and dv are those of the tile's own features. The others are the tile's values.
struct ow_attention_halves {
  struct ow_attention of;
  uint32_t q, k, v;
  uint32_t y;          // forward: where the result goes; backward: the result
  uint32_t delta, dq;  // backward
  uint32_t part;       // 0: even features and the first half of the queries, 1: the others
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
#define OW_ATTENTION_SCORE_BYTES(n, width) (2u * (n) * (width))
// Sums of a head, received keys and values, scores, rows, for `width` of the n queries.
#define OW_ATTENTION_WORK(n, width, h)                                        \
  (2u * (OW_ATTENTION_HEAD_BYTES(width, h) + OW_ATTENTION_HEAD_BYTES(n, h)) + \
   OW_ATTENTION_SCORE_BYTES(n, width) + 14u * (width))
// Besides: deltas of scores; sums of keys or values, and before them fp32 numbers in between.
#define OW_ATTENTION_PART_BYTES(n, h)                           \
  (2u * OW_ATTENTION_HEAD_BYTES(n, h) > OW_ATTENTION_TEMP_BYTES \
       ? 2u * OW_ATTENTION_HEAD_BYTES(n, h)                     \
       : OW_ATTENTION_TEMP_BYTES)
#define OW_ATTENTION_BACKWARD_WORK(n, width, h)                          \
  (OW_ATTENTION_WORK(n, width, h) + OW_ATTENTION_SCORE_BYTES(n, width) + \
   OW_ATTENTION_PART_BYTES(n, h))

#ifndef __cplusplus
#include "job.h"

// A rectangle of a block's scores: keys from `key` on that all have the queries from `query` on.
// Sums of these queries over the block's keys begin with the first piece that has them.
struct attention_piece {
  uint32_t query, queries, key, keys;
  int first;
  uint32_t now;  // keys of a fill of the accumulator cache
};

// Keys and values of a tile: the own ones, or those of the tile `block` tiles to the west, which
// the first `reach` queries have. A pitch is bytes between rows.
struct attention_block {
  uint32_t block;
  uint32_t keys, values, pitch;
  uint32_t reach, first;  // the first key
  struct attention_piece piece;
};

// A head that is worked on. Addresses of rows: of n keys, or of `width` queries.
struct attention_head {
  const struct ow_attention* p;
  struct attention_block* b;  // now
  uint32_t size;
  uint32_t width, row_bytes;  // queries that the tile works on; of so many 16-bit numbers
  uint32_t from;              // the slot of the first one: attention_from()
  uint32_t rows;              // of so many fp32 numbers in the accumulator cache
  uint32_t q, k, v, y;        // of the tile's values
  uint32_t value_pitch;       // of keys and values
  uint32_t result_pitch;      // of queries and results, and of their deltas
  uint32_t maxima, inverses;
  uint32_t queries, query_pitch;    // times the scale
  uint32_t sums;                    // fp32, [size][width]
  uint32_t received;                // keys, then values of a block
  uint32_t scores;                  // [n keys][width]
  uint32_t row;                     // 16 bits
  uint32_t wide_row, total, along;  // fp32
  // Backward.
  uint32_t slopes;  // deltas of scores, [n keys][width]
  uint32_t part;    // fp32, [size][n]: sums over the queries for each key of a block. Before them a
                    // fill of the cache is there
  uint32_t delta;   // of the result
};

// Descriptors. Each place has its own, so that the core sets some while an instruction works on
// others, and writes again only what changes; where it is too early it waits. Those of gathers
// (column.c), which sets all of their words itself, are among them.
enum {
  // fp32
  PRODUCT = DSR_KERNEL,  // rows of the cache
  WEIGHTED,              // rows of the cache
  SUMS,                  // of the blocks before
  SUMS_A,                // rows of the cache, which join them
  SUMS_B,                // what those before shrink by
  FILL,                  // rows of the cache
  WIDE,                  // shares in fp32
  INVERSES,              // of sums
  ALONG,                 // D of N112
  DOTS,                  // sums for keys
  // 16 bits
  PRODUCT_A,  // queries
  PRODUCT_B,  // keys
  WEIGHTED_A,
  WEIGHTED_B,
  SCORES,
  SLOPES,  // deltas of scores
  DOTS_A,
  DOTS_B,
  // For a short while.
  ANY,
  ANY_A,
  ANY_B,
  ATTENTION_DSRS
};
// A block to the next tile, and from the one before.
enum { SENT = DSR_A, SENT_TO = DSR_B, FROM = DSR_INDICES, RECEIVED = DSR_ROWS };
_Static_assert(ATTENTION_DSRS <= OW_NONE, "there are no more");
// All instructions run on one microthread, one after the other, beside the core.
#define ATTENTION_DO(dst, a, b) OW_CTL(dst, a, b, THREAD_WEIGHTS)
// Waits for the last instruction, whose destination this is.
static inline void attention_end(uint32_t dst) { ow_dsrw(dst, OW_DSR_DIM3, 0); }
// Numbers of rows in memory.
void attention_rows(uint32_t dsr, enum ow_type type, uint32_t addr, uint32_t length, uint32_t rows,
                    uint32_t row_pitch);
// A dimension as the hardware has it: the step is a stride less what the dimension below walked.
// Lengths of sources do not count.
static inline uint32_t attention_dim(uint32_t length, uint32_t step) { return length | step << 16; }
void attention_set(uint32_t dsr, uint32_t addr, uint32_t dim0, uint32_t dim1, uint32_t dim2);
// fp32 numbers to or from a queue.
void attention_queue(uint32_t dsr, uint32_t kind, uint32_t words);

// Sets the descriptors and the addresses of a head for `width` queries, the first of which is in
// slot `from`. The first block is the tile's own, which it sends to the next tile.
void attention_begin(const struct ow_attention* p, uint32_t head, uint32_t width, uint32_t from,
                     struct attention_head* h, struct attention_block* b);
// What halves.c needs too, in a program that has it; in others no second copy takes bytes.
#ifdef OW_JOB_HALVES
enum { ATTENTION_HALVES = 1 };
#define ATTENTION_SHARED __attribute__((noinline))
// Sets the kinds of all descriptors, which no head changes.
void attention_set_kinds(void);
// The results of these queries.
void attention_forward(const struct ow_attention* p, uint32_t head, uint32_t width, uint32_t from);
// Their deltas, and those of the tile's own keys and values.
void attention_backward(const struct ow_attention* p, uint32_t head, uint32_t width, uint32_t from);
#else
enum { ATTENTION_HALVES = 0 };
#define ATTENTION_SHARED static inline
#endif
// In halves.c. Rows of `part` for keys of the tile that none of its queries has become 0; sums for
// its own keys or values join those of the other tile, and become deltas at `to`.
void attention_clear_rest(const struct attention_head* h);
void attention_join_halves(const struct attention_head* h, uint32_t to);
static inline uint32_t attention_from(const struct attention_head* h) {
  return ATTENTION_HALVES ? h->from : 0;
}
// `next`, the block after h->b, which it may be, begins to come from the west, on this thread, to
// where h->b is; 0: there is none.
int attention_receive(struct attention_head* h, struct attention_block* next, uint32_t thread);
// Sends a block to the next tile, if that needs it, when it is there.
void attention_pass_on(struct attention_head* h, const struct attention_block* b);
// The next piece of the block, in ascending keys; 0: there is none, and the first follows again.
int attention_piece(struct attention_head* h);
// Of `left` keys of the piece those of the next fill of the cache: so many rows of PRODUCT, FILL,
// SCORES, WIDE and SLOPES.
uint32_t attention_fill(struct attention_head* h, uint32_t left);
// Sums over the features of rows of keys times rows at `queries`: a row of the cache for each key
// of a fill. What is set for a block, for a piece, for a fill, which begins.
void attention_begin_products(struct attention_head* h, uint32_t query_pitch);
void attention_set_products(struct attention_head* h, uint32_t queries, uint32_t query_pitch);
void attention_products(uint32_t keys);
// The scores of the block.
void attention_scores(struct attention_head* h);
// Scores become powers.
void attention_powers(struct attention_head* h);
// A row of the cache for each of `count` features from `feature` on: sums over the block's keys of
// rows at `rows` (of features, by keys; 0: ones) times weights (of keys, by queries). SUMS and
// SUMS_A name them and the sums of the blocks before, which are at `to`.
void attention_weighted(struct attention_head* h, uint32_t rows, uint32_t weights, uint32_t feature,
                        uint32_t count, uint32_t to);

static inline const int32_t* attention_slots(const struct ow_attention* p) {
  return (const int32_t*)(uintptr_t)p->slots;
}
// Features whose rows of sums are in the accumulator cache at a time, from one on.
static inline uint32_t attention_part(struct attention_head* h, uint32_t feature) {
  const uint32_t left = h->size - feature;
  return h->rows < left ? h->rows : left;
}
#endif

#endif  // OW_LAYERS_ATTENTION_H_
