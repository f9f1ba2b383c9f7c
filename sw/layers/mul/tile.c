// SPDX-License-Identifier: Apache-2.0
// a * b, element by element, rounded once (N123); forward and, with deltas, backward. One vector a
// cycle.
#include "job.h"

OW_PHASE(mul, struct ow_sum, p) {
  if (p->elements == 0) return;
  enum { A = DSR_KERNEL, B, OUT };
  set_row(A, half_type(), p->a, p->elements);
  set_row(B, half_type(), p->b, p->elements);
  set_row(OUT, half_type(), p->out, p->elements);
  OW_HALF_DO(ow_mul, OW_CTL(OUT, A, B, 0));
}
