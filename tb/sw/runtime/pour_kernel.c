// SPDX-License-Identifier: Apache-2.0
// Sends more words to the east than the grid holds.
#include "openwafer/tile/export.h"

enum { N = 100 };
OW_DSR(X, OUT);
OW_FLOW(out);
OW_EXPORT(u32, words, N);

OW_LAUNCH(pour) {
  ow_dsr_mem1(X, OW_F32, OW_ADDR(words), N, 4);
  ow_dsr_fabric_out(OUT, OW_F32, out.out, N, 0);
  ow_mov(OW_F32, OW_CTL(OUT, X, OW_NONE, 1));
}
