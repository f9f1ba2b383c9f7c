// SPDX-License-Identifier: Apache-2.0
// Element by element over what a tile has of a value: sums and copies. Deltas need both where
// several operations take a value. One vector a cycle.
#include "job.h"

// a + b, rounded once (docs/numerics.md, N68, N69).
OW_PHASE(sum, struct ow_sum, p) {
  if (p->elements == 0) return;
  enum { A = DSR_KERNEL, B, OUT };
  set_row(A, half_type(), p->a, p->elements);
  set_row(B, half_type(), p->b, p->elements);
  set_row(OUT, half_type(), p->out, p->elements);
  OW_HALF_DO(ow_add, OW_CTL(OUT, A, B, 0));
}

OW_PHASE(copy, struct ow_copy, p) {
  if (p->elements == 0) return;
  enum { FROM = DSR_KERNEL, TO };
  set_row(FROM, OW_I16, p->from, p->elements);
  set_row(TO, OW_I16, p->to, p->elements);
  ow_mov(OW_I16, OW_CTL(TO, FROM, OW_NONE, 0));
}
