// SPDX-License-Identifier: Apache-2.0
// What the host and the programs of regions (sw/firmware/region) share. A region is a rectangle of
// tiles that keeps a part of a language model, and works on one token of one user at a time: a
// block (block.c), or the head with the embedding (head.c). docs/numerics.md, N116 to N124, has
// every bit. Plain C that C++ can read, little-endian.
//
// Flows of a region, by the names that the programs use:
//   row      from column 0 along each row, and to column 0 itself: vectors of products in
//            orientation A
//   up       from the last row up each column, and to the last row itself: vectors in orientation
//            B, and what the last row tells the others
//   command  from tile (0, 0) to all others: what to do next
//   down     to the next row: sums of orientation A
//   left     to the column before: sums of orientation B; parts of scores; in the head, a row of
//   the
//            embedding, and the greatest logit
//   join     to the next row: sums and maxima that the engine joins
//   right    to the next column, if several share a head: scores
//   next     from column 0 of a region to column 0 of the next one: the residual. In row 0 the
//            words of a command stand in front of it
// Only in the head:
//   answer   from the last row's column 0 to tile (0, 0): the greatest logit
//   logits   the last row's logits to the host, column 0 first
//   host, report   from and to the host, at tile (0, 0)
#ifndef OW_FIRMWARE_REGION_H_
#define OW_FIRMWARE_REGION_H_

#include <stdint.h>

#include "openwafer/tile/dsr.h"

// A command: what a region does with a token. The words of `next` and of the host are the same. The
// head reports to the host the command of a token that has come round, with `token` the greatest
// logit (unless the token is quiet).
struct ow_command {
  uint32_t what;      // flags; the user's slot in the low byte
  uint32_t position;  // of the token in the user's text
  uint32_t last;      // the head goes on by itself while position < last
  uint32_t token;     // whose embedding is taken
};
#define OW_COMMAND_WORDS 4u
#define OW_COMMAND_SLOT 0xFFu
#define OW_COMMAND_EMBED (1u << 8)    // in the head: the token begins; else it has come round
#define OW_COMMAND_QUIET (1u << 9)    // its logits are not wanted: a token of a prompt
#define OW_COMMAND_LOGITS (1u << 10)  // all its logits go to the host

// Keys and values lie in pages. Position p of a user is place p div rows in grid row p mod rows.
// A page holds the keys, [kv_heads][head_size][places], and then the values,
// [places][kv_heads][head_size]. It has 8, 16 or 32 places; more run faster, fewer waste less. The
// page after all others has the places that are left, a multiple of 8, and is only for the end of a
// text.
#define OW_PAGE_PLACES_MOST 32u

// Places whose scores a tile keeps at a time (N117): whole pages. The scores of longer texts are
// computed once more when all maxima are known.
#define OW_SCORE_PLACES 96u

// A product of a resident matrix with a vector, in passes of at most 128 outputs. Weights are
// [passes][inputs][outputs], 16 bits, 16-byte aligned.
struct ow_gemv {
  struct ow_dsr_words matrix, sums;  // descriptors of the first pass
  uint32_t row;                      // register RED_ACC
  uint32_t passes;
  uint32_t pass_bytes;  // of weights
  uint32_t y;           // where outputs go in tiles where sums end: 16 bits, fp32 in the head
  uint32_t y_pass_bytes;
};

// Parameters of a tile: addresses are bytes of its SRAM.
struct ow_region {
  uint32_t entries;  // of the table of descriptors
  uint32_t rows, columns;
  uint32_t inverse_rows;  // 2^32 / rows, rounded up: quotients of numbers below 2^16
  uint32_t features;      // of the residual, in this grid row
  uint32_t share;         // 1 / width, fp32
  uint32_t epsilon;       // fp32
  union {
    struct ow_gemv attention;  // a block's first product
    struct ow_gemv logits;     // the head's
  };
  // A block.
  struct ow_gemv output, hidden, down;
  uint32_t slot_pages;  // entries of a slot in the table of pages
  uint32_t page_table;  // [slots][slot_pages] of page numbers, 16 bits
  uint32_t pages, page_bytes;
  uint32_t page_places, page_bits;         // 2^page_bits places
  uint32_t short_page, short_places;       // its number
  uint32_t heads, heads_of_kv, head_size;  // of queries, of the column
  uint32_t kv_features;                    // of keys
  uint32_t query_scale;                    // 16 bits
  uint32_t part, parts;                    // of the columns that share a head
  uint32_t scores, score_pitch;            // rows of heads; bytes
  // The head.
  uint32_t embedding;     // as the weights of logits
  uint32_t outputs;       // of a pass of it
  uint32_t tokens;        // of the column
  uint32_t logit_maxima;  // one for each OW_LOGIT_ROW logits, fp32
};

// Descriptors that the host makes: a table, with which the memory that the host lays out begins. In
// one of the fabric the address is the flow's number (enum ow_region_flow), and the program puts
// the queue in.
//
// The first ones stay in the registers of their numbers. The others are in groups: before a part of
// a step its group is loaded into registers of the pool, while the tile waits for something else.
enum ow_region_dsr {
  OW_DSR_ACC,      // the row of sums
  OW_DSR_MATRIX,   // its vectors; both are loaded for each product
  OW_DSR_ROW_IN,   // tagged, up to the end
  OW_DSR_UP_IN,    // likewise
  OW_DSR_NEXT_IN,  // words; in tile (0, 0) with a command in front
  OW_DSR_PACKET_IN,
  OW_DSR_NEXT_OUT,
  OW_DSR_PACKET_OUT,
  OW_DSR_SENT,  // a vector that is sent, and where to
  OW_DSR_SENT_TO,
  OW_DSR_JOIN_IN,  // words of flows; the length is set where they are used
  OW_DSR_JOIN_OUT,
  OW_DSR_WORDS_IN,  // of flow `up`
  OW_DSR_WORDS_OUT,
  OW_DSR_POOL,
  // The first two of the pool while a tile of a block rests, always in the head.
  OW_DSR_COMMAND_IN = OW_DSR_POOL,  // words: from tile (0, 0); there, in the head, from the host
  OW_DSR_COMMAND,
  OW_REGION_REGISTERS = 31
};

// Registers of the pool that the groups take, counted from its first one. The groups follow each
// other as the steps do; what a later step still needs is not overwritten.

// The norm of the residual: features of the grid row, and single numbers.
enum {
  OW_NORM_FIRST = 2,
  OW_NORM_SUM = OW_NORM_FIRST,
  OW_NORM_VARIANCE,
  OW_NORM_ROOT,
  OW_NORM_SCALE,  // repeated, as an operand for each feature
  OW_NORM_MINUS_HALF,
  OW_NORM_ERROR,
  OW_NORM_WIDE,  // fp32
  OW_NORM_NORMAL,
  OW_NORM_X,  // a second norm has others of this one and the next
  OW_NORM_GAIN,
  OW_NORM_END,
  // In front of a second norm, the residual (X) is the sum of the first two; at the end of the
  // block, of the last two.
  OW_NORM_INBOX = OW_NORM_END,
  OW_NORM_Y,
  OW_NORM_RESIDUAL,
  OW_NORM_SECOND_END
};

// The position's angles, two rows of head_size / 2: what becomes cos, and sin.
enum {
  OW_ANGLE_FIRST = 0,
  OW_ANGLE_STEPS = OW_ANGLE_FIRST,  // turns of 2^-32 a position
  OW_ANGLE_QUARTER,                 // a quarter turn, nothing
  OW_ANGLE_TURNS,                   // integers, and the same memory in fp32
  OW_ANGLE_Y,
  OW_ANGLE_SQUARE,
  OW_ANGLE_SERIES,
  OW_ANGLE_BOTH,  // in 16 bits; sin is the third row there
  OW_ANGLE_SIN,
  OW_ANGLE_MINUS_SIN,
  OW_ANGLE_END,
  // Column 1 tells column 0, which has most to do: the 16-bit rows as words.
  OW_ANGLE_WORDS = OW_ANGLE_END,
  OW_ANGLE_LEFT
};

// Queries and keys in the last row, [heads][2][head_size / 2] at first; values.
enum {
  OW_TURN_FIRST = 0,
  OW_TURN_TURNED = OW_TURN_FIRST,
  OW_TURN_SWAPPED,  // with their halves swapped
  OW_TURN_EACH_SINE,
  OW_TURN_STRAIGHT,
  OW_TURN_EACH_COS,
  OW_TURN_QUERIES,
  OW_TURN_WORDS,  // queries and keys
  OW_TURN_VALUES,
  OW_TURN_END
};

// In all tiles: the new position's key and value, and their place.
enum {
  OW_KEEP_FIRST = OW_TURN_END,
  OW_KEEP_KEY = OW_KEEP_FIRST,
  OW_KEEP_KEY_PLACE,
  OW_KEEP_VALUE,
  OW_KEEP_VALUE_PLACE,
  OW_KEEP_END,
  // After that, if several columns share a head: fp32 scores that come, and that go.
  OW_PART_IN = OW_KEEP_VALUE,
  OW_PART_OUT
};

// Loaded while the tile rests: the registers behind those of the norm.
enum {
  OW_SCORE_FIRST = OW_KEEP_END,
  OW_SCORE_KEYS = OW_SCORE_FIRST,  // [kv_heads][heads of it][head_size][places of a page]
  OW_SCORE_QUERY,                  // a number for each row of it
  OW_SCORE_SUMS,                   // rows of the cache
  OW_SCORE_ROWS,
  OW_SCORE_PAGE,
  OW_SCORE_END
};

// Softmax: a number for each head.
enum {
  OW_SOFTMAX_FIRST = 0,
  OW_SOFTMAX_SCORES = OW_SOFTMAX_FIRST,  // [heads][places], 16 bits
  OW_SOFTMAX_WIDE_MAXIMUM,               // fp32
  OW_SOFTMAX_MAXIMUM,
  OW_SOFTMAX_EACH_MAXIMUM,  // for each row of scores
  OW_SOFTMAX_TOTAL,         // fp32
  OW_SOFTMAX_END
};

// The sums of values: rows of head_size.
enum {
  OW_MIX_FIRST = OW_SOFTMAX_END,
  OW_MIX_VALUES = OW_MIX_FIRST,  // [places][kv_heads][heads of it][head_size]
  OW_MIX_WEIGHTS,                // a number for each row of it
  OW_MIX_SUMS,                   // rows of the cache
  OW_MIX_ROWS,
  OW_MIX_WIDE,  // fp32
  OW_MIX_END
};

// The division by the total.
enum {
  OW_DIVIDE_FIRST = OW_MIX_END,
  OW_DIVIDE_HALF = OW_DIVIDE_FIRST,  // bfloat16
  OW_DIVIDE_MINUS,
  OW_DIVIDE_ERROR,
  OW_DIVIDE_MIX,  // with the next one
  OW_DIVIDE_EACH_TOTAL,
  OW_DIVIDE_RESULT,
  OW_DIVIDE_END
};

// Feed-forward: the column's units.
enum {
  OW_SHRINK_FIRST = 0,
  OW_SHRINK_GATE = OW_SHRINK_FIRST,
  OW_SHRINK_UNIT,
  OW_SHRINK_HIDDEN,
  OW_SHRINK_END
};

// The head.
enum {
  OW_EMBED_FIRST = OW_NORM_END,
  OW_EMBED_COLUMN = OW_EMBED_FIRST,  // of the embedding
  OW_EMBED_RESIDUAL,
  OW_EMBED_IN,  // flow `left`
  OW_EMBED_OUT,
  OW_EMBED_END
};
enum {
  OW_FIND_FIRST = 2,
  OW_FIND_ROWS = OW_FIND_FIRST,  // of logits, [rows][OW_LOGIT_ROW]
  OW_FIND_MAXIMA,
  OW_FIND_TAIL,  // the logits after the last whole row
  OW_FIND_TAIL_MAXIMUM,
  OW_FIND_BEST_IN,    // flow `left`
  OW_FIND_ANSWER_IN,  // flow `answer`
  OW_FIND_ANSWER,
  OW_FIND_LOGITS,
  OW_FIND_LOGITS_OUT,
  OW_FIND_LOGITS_IN,  // of the columns behind
  OW_FIND_LOGITS_PAST,
  OW_FIND_END
};

// The table: registers that stay, commands, groups, and what is loaded by itself. In a block, what
// few tiles need comes last, and the tables of the others end before it.
#define OW_GROUP_(name) (OW_##name##_END - OW_##name##_FIRST)
enum {
  OW_WORDS_COMMAND_IN = OW_DSR_POOL,
  OW_WORDS_COMMAND,
  OW_WORDS_NORM,
  // A block.
  OW_WORDS_SECOND_NORM =  // from X on
  OW_WORDS_NORM + OW_GROUP_(NORM),
  OW_WORDS_TURN = OW_WORDS_SECOND_NORM + OW_NORM_SECOND_END - OW_NORM_X,
  OW_WORDS_KEEP = OW_WORDS_TURN + OW_GROUP_(TURN),
  OW_WORDS_SCORE = OW_WORDS_KEEP + OW_GROUP_(KEEP),
  OW_WORDS_SOFTMAX = OW_WORDS_SCORE + OW_GROUP_(SCORE),
  OW_WORDS_MIX = OW_WORDS_SOFTMAX + OW_GROUP_(SOFTMAX),
  OW_WORDS_DIVIDE = OW_WORDS_MIX + OW_GROUP_(MIX),
  OW_WORDS_SHRINK = OW_WORDS_DIVIDE + OW_GROUP_(DIVIDE),
  OW_WORDS_ANGLE_WORDS = OW_WORDS_SHRINK + OW_GROUP_(SHRINK),
  OW_WORDS_ANGLE_LEFT,
  OW_WORDS_TAKEN,  // queries, keys, values, in all tiles
  OW_WORDS_MIXED,  // a vector that is sent, and where to
  OW_WORDS_MIXED_OUT,
  OW_WORDS_HIDDEN,
  OW_WORDS_HIDDEN_OUT,
  OW_WORDS_NORMAL_OUT,
  OW_BLOCK_WORDS,  // without these:
  // If several columns share a head.
  OW_WORDS_PART_IN = OW_BLOCK_WORDS,  // flow `left`: sums of a part of the features
  OW_WORDS_PART_OUT,
  OW_WORDS_WHOLE_IN,  // flow `right`
  OW_WORDS_WHOLE_OUT,
  OW_BLOCK_PART_WORDS,
  // In tiles of the last row that make angles.
  OW_WORDS_ANGLE = OW_BLOCK_PART_WORDS,
  OW_BLOCK_ANGLE_WORDS = OW_WORDS_ANGLE + OW_GROUP_(ANGLE),
  // The head.
  OW_WORDS_EMBED = OW_WORDS_NORM + OW_GROUP_(NORM),
  OW_WORDS_FIND = OW_WORDS_EMBED + OW_GROUP_(EMBED),
  OW_WORDS_HEAD_NORMAL_OUT = OW_WORDS_FIND + OW_GROUP_(FIND),
  OW_HEAD_WORDS
};

enum ow_region_flow {
  OW_FLOW_ROW,
  OW_FLOW_UP,
  OW_FLOW_COMMAND,
  OW_FLOW_JOIN,
  OW_FLOW_NEXT,
  OW_FLOW_LEFT,
  OW_FLOW_LOGITS,
  OW_FLOW_ANSWER,
  OW_FLOW_HOST,
  OW_FLOW_RIGHT,
  OW_REGION_FLOWS
};

// Logits are searched in rows of this length.
#define OW_LOGIT_ROW 32u

#endif  // OW_FIRMWARE_REGION_H_
