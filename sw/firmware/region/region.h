// SPDX-License-Identifier: Apache-2.0
// What the programs of regions share: commands, products with resident matrices, the norm.
//
// A tile's work on a token is a sequence of steps. A step arms a product and ends; the next one
// runs when the product's sums have left the tile or are there. What a step needs is prepared while
// the tile waits: descriptors in registers, the product after it.
#ifndef OW_REGION_PROGRAM_H_
#define OW_REGION_PROGRAM_H_

#include "openwafer/tile/export.h"
#include "openwafer/tile/tile.h"
#include "ow/firmware/region.h"

// The model's 16-bit type, as an instruction has it.
#ifdef OW_REGION_BF16
#define HALF OW_BF16
#define MIXED OW_MIXEDB
#define ROUND OW_RED_ROUND_BF16
#else
#define HALF OW_F16
#define MIXED OW_MIXED
#define ROUND OW_RED_ROUND_F16
#endif

// On the work thread run instructions behind which the core does something else.
enum {
  THREAD_PRODUCT = 1,
  THREAD_DRAIN,
  THREAD_SEND,
  THREAD_COMMAND,
  THREAD_NEXT_IN,
  THREAD_NEXT_OUT,
  THREAD_WORK
};

extern uint32_t parameter_words[sizeof(struct ow_region) / 4];
#define parameters (*(const struct ow_region*)(const void*)parameter_words)
extern struct ow_dsr_words entries[] __asm__("ow_heap");  // the table

extern struct ow_command now;  // what the region works on
extern struct ow_flow row, up, command, down, left, join, next;
extern uint32_t my_row, my_column;
extern int inbox_full;

static inline int is_last_row(void) { return my_row + 1 == parameters.rows; }
static inline int is_leader(void) { return my_row == 0 && my_column == 0; }
// The command in front of the residual in the inbox of tile (0, 0).
static inline const struct ow_command* came_with(void) {
  return (const struct ow_command*)(uintptr_t)entries[OW_DSR_PACKET_IN].address;
}

// Register `n` of the pool.
#define R(n) (OW_DSR_POOL + (n))
#define LOAD(dsr, entry) ow_dsr_load(dsr, &entries[entry])
// Loads `count` entries into the registers of the pool from `first` on; a group.
void load_group(uint32_t first, uint32_t entry, uint32_t count);
#define LOAD_GROUP(name) load_group(OW_##name##_FIRST, OW_WORDS_##name, OW_GROUP_(name))
// Control words of the task thread (the core waits) and of the work thread.
#define ON(d, a, b) OW_CTL(d, a, b, 0)
#define WORK(d, a, b) OW_CTL(d, a, b, THREAD_WORK)
// Words that the next instruction takes from a flow or gives to it.
#define WORDS(dsr, count) ow_dsrw(dsr, OW_DSR_DIM0, count)
// Waits until no thread uses a descriptor.
#define WAIT(dsr) ow_dsrw(dsr, OW_DSR_DIM3, 0)

// Starts a product. In orientation A the vector comes from `row` and the last row gets the sums, as
// 16 bits or, if `wide`, in fp32. In B it comes from `up`, and column 0 gets them. `then` runs when
// all passes have left this tile.
void arm_a(const struct ow_gemv* gemv, int wide, void (*then)(void));
void arm_b(const struct ow_gemv* gemv, void (*then)(void));
// Of the product that is armed: `then` runs when half of the passes have left this tile.
void at_half(void (*then)(void));
// Sends the vector of the product that is armed, once for each pass: from register OW_DSR_SENT to
// OW_DSR_SENT_TO, which stay as they are until the product is done.
void send_loaded(void);

// Column 0, with the group of a norm in the pool, and its result and flow `row` in OW_DSR_SENT and
// OW_DSR_SENT_TO: X through the norm to all tiles of the row.
void send_normal(void);

// Joins fp32 numbers of all tiles of a column by an instruction (ow_add, ow_max) towards the last
// row, which has the result in register `to`; `own` has the tile's.
#define JOIN(instruction, to, own, count)                        \
  do {                                                           \
    const uint32_t to_ = is_last_row() ? (to) : OW_DSR_JOIN_OUT; \
    WORDS(OW_DSR_JOIN_OUT, count);                               \
    if (my_row == 0) {                                           \
      ow_mov(OW_F32, ON(to_, own, OW_NONE));                     \
    } else {                                                     \
      WORDS(OW_DSR_JOIN_IN, count);                              \
      instruction(OW_F32, ON(to_, OW_DSR_JOIN_IN, own));         \
    }                                                            \
  } while (0)

// Column 0: takes the next residual; what the inbox holds is no longer wanted.
void take_next(void);
// Column 0: waits until the last residual has left, so that it may be overwritten; sends it. Tile
// (0, 0) puts `now` in front of it before.
void wait_next_sent(void);
void put_command(void);
void send_next(void);
// All tiles but (0, 0): waits for the next command, on a thread.
void take_command(void);
static inline const struct ow_command* told(void) {
  return (const struct ow_command*)(uintptr_t)entries[OW_WORDS_COMMAND].address;
}
// Tile (0, 0): `now` becomes `what`, and all tiles are told.
void lead(const struct ow_command* what);
void copy_command(struct ow_command* to, const struct ow_command* from);

// ---- What a program gives.
extern const struct ow_flow* const region_flows[OW_REGION_FLOWS];  // enum ow_region_flow
void start(void);                                                  // before the first token
// The inbox has become full; `now` is a command that take_command() has waited for.
void inbox_there(void);
void command_there(void);

#endif  // OW_REGION_PROGRAM_H_
