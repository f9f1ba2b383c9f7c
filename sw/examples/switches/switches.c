// SPDX-License-Identifier: Apache-2.0
// Gathers values of the tiles of a row at its east edge, on one colour, one tile at a time. In
// position 0 of its switch a router sends what its own tile has. After its last word a tile sends a
// command that moves the switch to position 1, which passes on what comes from the west.
//
// Operands: value, in SRAM. Result: on the queue of `turn`, then a control wavelet with one
// command.
#include "openwafer/tile/export.h"

enum { N = 12 };
OW_DSR(VALUE, OUT);

OW_EXPORT(i32, value, N);
OW_FLOW(turn);

// The list of commands has one entry, for the first router that uses it: the tile's own. Routers
// farther east, which are already in their last position, use it too and stay there.
OW_TASK(sent) { ow_push_control(turn.out, OW_COMMAND(0, OW_ADVANCE)); }

OW_LAUNCH(gather) {
  ow_dsr_mem1(VALUE, OW_I32, OW_ADDR(value), N, 4);
  ow_dsr_fabric_out(OUT, OW_I32, turn.out, N, 0);
  ow_mov(OW_I32, OW_CTL(OUT, VALUE, OW_NONE, 1) | OW_THEN_ACTIVATE(OW_TASK_ID(sent)));
}
