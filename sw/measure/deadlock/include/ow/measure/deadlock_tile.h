// SPDX-License-Identifier: Apache-2.0
// Commands of the deadlock firmware, shared with the host: each tile runs a short list of them and
// then waits for tasks.
#ifndef OW_MEASURE_DEADLOCK_TILE_H_
#define OW_MEASURE_DEADLOCK_TILE_H_

#include <stdint.h>

enum ow_deadlock_op {
  OW_DL_END = 0,
  OW_DL_RECEIVE = 1,   // thread, input queue, words: fabric to memory
  OW_DL_SEND = 2,      // thread, output queue, words: memory to fabric
  OW_DL_AXPYW = 3,     // thread, input queue, rows in the ring
  OW_DL_DRAIN = 4,     // thread, outputs, action for all of them
  OW_DL_ACTIVATE = 5,  // local task, 1 if it has an entry, 1 if it is blocked
  OW_DL_LOAD = 6,      // address to load from
  OW_DL_ILLEGAL = 7,   // thread: a tensor instruction that does not exist
  OW_DL_LISTEN = 8,    // input queue, 1 if its data task is blocked
  OW_DL_PUSH = 9,      // output queue, wavelets that the core pushes itself
  OW_DL_SPIN = 10,     // computes for ever, in spin_for_ever
  OW_DL_BREAK = 11     // ebreak, in stop_here
};

#define OW_DL_COMMANDS 4

struct ow_deadlock_command {
  uint32_t op;
  uint32_t arg[3];
};

#endif  // OW_MEASURE_DEADLOCK_TILE_H_
