// SPDX-License-Identifier: Apache-2.0
// x sigmoid(x) (N122). Cycles: about 0.7 an element.
#include "../silu/silu.h"
#include "job.h"

OW_PHASE(silu, struct ow_silu, p) {
  enum { X = DSR_KERNEL, Y };
  if (p->elements == 0) return;
  set_row(X, half_type(), p->x, p->elements);
  set_row(Y, half_type(), p->y, p->elements);
  OW_HALF_DO(ow_sigmoid, OW_CTL(Y, X, OW_NONE, 0));
  OW_HALF_DO(ow_mul, OW_CTL(Y, X, Y, 0));
}
