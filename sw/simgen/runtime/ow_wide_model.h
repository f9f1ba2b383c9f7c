/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of a model that ow_simgen wrote, in the order of its state.
 */
#ifndef OW_WIDE_MODEL_H_
#define OW_WIDE_MODEL_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ow_wide_bit {
  const char* signal;
  int bit;
  int reg; /* of an output: the register that it is */
};

struct ow_wide_bank {
  const char* name;
  int words; /* of each tile */
  int bits;  /* of a word, at most 64 */
};

/* Where a bit of a signal is, if not in a register: a constant, or the model does without it. */
enum { OW_WIDE_ZERO = -1, OW_WIDE_ONE = -2, OW_WIDE_NOWHERE = -3 };

/* A signal that holds state, by its name in the RTL. An array, also a memory that became registers,
 * has the bits of all its words, the last word first. */
struct ow_wide_signal {
  const char* name;
  int bits;
  int first; /* its bit 0 in the list of places */
};

struct ow_wide_names {
  const struct ow_wide_bit* inputs;
  int input_count;
  const struct ow_wide_bit* outputs; /* only bits that are registers */
  int output_count;
  const struct ow_wide_bit* registers;
  int register_count;
  const struct ow_wide_bank* banks;
  int bank_count;
  const struct ow_wide_signal* signals; /* by name */
  int signal_count;
  const int* places; /* the registers that hold the bits, or one of the constants above */
};

/* A list of vectors moves to other lanes: lane k gets what lane k - by has. `from` is at any word;
 * as many words as two vectors have are read before it and after the list. */
struct ow_wide_move {
  const void* from;
  int by;            /* from -width to width */
  const void* lanes; /* a vector: these lanes get it. For the others there is 0 */
};

/* The code of a model for one width. Bit k of a list stands `k * width / 8` bytes after the offset
 * of the list in the state. */
struct ow_wide_code {
  const struct ow_wide_names* names;
  int width;                /* tiles of a block: 512, 256 or 64 */
  size_t state_bytes;       /* of a block; aligned to width / 8 */
  size_t scratch_bytes;     /* likewise; contents do not outlive a cycle */
  size_t registers, inputs; /* offsets in the state */
  size_t banks;             /* of pointers: to each bank's words, those of one tile after another */
  /* Of a vector: the tiles for which conditions are tested. In any other one a register takes its
   * next value or keeps the one that it has, as others need it. */
  size_t active;
  /* One edge of the clock is all parts in order. Parts of several blocks may be mixed: the same
   * part of one after another needs its instructions only once. Each block then has scratch of its
   * own. */
  int part_count;
  void (*const* parts)(void* state, void* scratch);
  /* What connects instances, with `count` vectors of a list that stand at `places` in it. move()
   * gives them the union of all moves, and tells whether any bit of it is 1; copy() puts them one
   * after another at `to`, which is at any word. */
  int (*move)(const struct ow_wide_move* moves, size_t move_count, size_t count, void* list,
              const size_t* places);
  void (*copy)(const void* list, const size_t* places, size_t count, void* to);
};

#ifdef __cplusplus
}
#endif

#endif
