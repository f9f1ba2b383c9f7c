// SPDX-License-Identifier: Apache-2.0
// A FIFO between the fabric and a computation that is not ready yet. One microthread stores a
// stream in the FIFO as it arrives, so the stream does not block the colour. Another one uses it
// later: y = x * stream + y.
//
// Operands: N numbers of the stream `late`; x and y in SRAM. Result: y. The FIFO holds N numbers.
// With a smaller FIFO the first microthread, and the stream, would wait when it is full.
#include "openwafer/tile/export.h"

enum { N = 48, FIFO = 0 };
OW_DSR(IN, FILL, TAKE, X, Y);
enum { THREAD_FILL = 1, THREAD_TAKE = 2 };

OW_EXPORT(f32, x, N);
OW_EXPORT(f32, y, N);
OW_EXPORT(u32, waiting);  // elements in the FIFO when the computation begins
OW_FLOW(late);
static float space[N];

OW_LAUNCH(fill) {
  ow_dsr_fabric_in(IN, OW_F32, late.in, N);
  ow_dsr_fifo(FILL, OW_F32, FIFO, OW_ADDR(space), N);  // empties it
  ow_mov(OW_F32, OW_CTL(FILL, IN, OW_NONE, THREAD_FILL));
}

OW_LAUNCH(compute) {
  ow_dsr_fifo_ref(TAKE, OW_F32, FIFO);  // the same register, as it is
  waiting = ow_fifo_count(TAKE);
  ow_dsr_mem1(X, OW_F32, OW_ADDR(x), N, 4);
  ow_dsr_mem1(Y, OW_F32, OW_ADDR(y), N, 4);
  ow_fma(OW_F32, OW_CTL(Y, X, TAKE, THREAD_TAKE));
}
