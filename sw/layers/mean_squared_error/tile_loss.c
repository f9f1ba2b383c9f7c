// SPDX-License-Identifier: Apache-2.0
// The deltas of a mean squared error (N64, N65). Targets have the layout of the outputs. Cycles: 5
// instructions of `samples` elements per output, 2 elements per cycle.
#include "loss.h"

OW_PHASE(mean_squared_error, struct ow_loss, p) {
  set_row(X, OW_F32, row_addr(p, ROW_X), samples);
  set_row(P, OW_F32, row_addr(p, ROW_P), samples);
  for (uint32_t at = 0; at < p->owned * pitch(); at += pitch()) {
    widen(X, p->outputs + at);
    widen(P, p->targets + at);
    ow_sub(OW_F32, ctl(X, X, P));
    ow_mul_s(OW_F32, ctl(X, X, OW_NONE), ow_float_bits(loss_scale));
    narrow(p->deltas + at, X);
  }
}
