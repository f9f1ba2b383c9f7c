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
extern const struct ow_dsr_words* const entries;  // the table

extern struct ow_command now;  // what the region works on
extern struct ow_flow row, up, command, down, left, join, next;
extern uint32_t my_row, my_column;
extern int busy, inbox_full;

static inline int is_last_row(void) { return my_row + 1 == parameters.rows; }
static inline int is_leader(void) { return my_row == 0 && my_column == 0; }
// The command in front of the residual in the inbox of tile (0, 0).
static inline const struct ow_command* came_with(void) {
  return (const struct ow_command*)(uintptr_t)entries[OW_DSR_PACKET_IN].address;
}

// Register `n` of the pool.
#define R(n) (OW_DSR_POOL + (n))
#define LOAD(dsr, entry) ow_dsr_load(dsr, &entries[entry])
// Loads `count` entries into the registers of the pool from `first` on.
void load_group(uint32_t first, uint32_t entry, uint32_t count);
// Control words of the task thread (the core waits) and of the work thread.
#define ON(d, a, b) OW_CTL(d, a, b, 0)
#define WORK(d, a, b) OW_CTL(d, a, b, THREAD_WORK)
// Waits until no thread uses a descriptor.
#define WAIT(dsr) ow_dsrw(dsr, OW_DSR_DIM3, 0)

// Starts a product. In orientation A the vector comes from `row` and the last row gets the sums, as
// 16 bits or, if `wide`, in fp32. In B it comes from `up`, and column 0 gets them. `then` runs when
// all passes have left this tile.
void arm_a(const struct ow_gemv* gemv, int wide, void (*then)(void));
void arm_b(const struct ow_gemv* gemv, void (*then)(void));
// Sends the vector of the product that is armed, once for each pass.
void send_vector(uint32_t vector, uint32_t to);

// Column 0, with the group of a norm in the pool: X through the norm to all tiles of the row.
// Entries: the group, and where to.
void send_normal(uint32_t group, uint32_t to);

// Joins numbers of all tiles of a column by an instruction (ow_add, ow_max) of a type, towards the
// last row, which has the result in register `to`. Registers: what the tile has, and flow `join`.
#define JOIN(instruction, type, to, own, in, out)                   \
  do {                                                              \
    if (my_row == 0) {                                              \
      ow_mov(type, ON(is_last_row() ? (to) : (out), own, OW_NONE)); \
    } else {                                                        \
      instruction(type, ON(is_last_row() ? (to) : (out), in, own)); \
    }                                                               \
  } while (0)

// Column 0: takes the next residual; what the inbox holds is no longer wanted.
void take_next(void);
// Column 0: waits until the last residual has left, so that it may be overwritten; sends it.
void wait_next_sent(void);
void send_next(void);
// The tile has done its part of a token, and is ready for the next one.
void rest(void);
// Tile (0, 0): tells all tiles what to do, and begins.
void lead(const struct ow_command* what);

// ---- What a program gives.
extern const struct ow_flow* const region_flows[OW_REGION_FLOWS];  // enum ow_region_flow
extern uint32_t* const table;                                      // of descriptors
extern const uint32_t table_entries;
void start(void);  // before the first command
// Begins with `now`.
void begin(void);
// Whether column 0 needs the inbox for it.
int takes_inbox(const struct ow_command* what);
// Tile (0, 0): looks for work, if it is not busy, and calls lead().
void more(void);

#endif  // OW_REGION_PROGRAM_H_
