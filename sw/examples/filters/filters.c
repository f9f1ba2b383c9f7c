// SPDX-License-Identifier: Apache-2.0
// Deals a stream out to tiles: one stream of (index, value) passes all tiles of a row, and the
// filter of each tile (set by the layout) lets only its range of indices to the ramp. Control
// wavelets pass a range filter, so the end of the stream reaches every tile.
//
// Operands: the stream `item`. Result: part, the elements of the tile's range in their places;
// `done` counts streams. The core sleeps while the stream is received.
#include "openwafer/tile/export.h"

enum { N = 64 };
OW_DSR(IN, PART);

OW_EXPORT(u16, part, N);
OW_EXPORT(u32, done);
OW_FLOW(item);

OW_TASK(ended) { ++done; }

OW_LAUNCH(receive) {
  ow_dsr_fabric_in_f(IN, OW_I16, item.in, 0, OW_TAGGED);  // length 0: to the end of the stream
  ow_dsr_mem1(PART, OW_I16, OW_ADDR(part), N, 2);
  ow_mov(OW_I16, OW_CTL(PART, IN, OW_NONE, 1) | OW_THEN_ACTIVATE(OW_TASK_ID(ended)));
}
