// SPDX-License-Identifier: Apache-2.0
// The deltas of a ReLU, from those of its value: kept where the activation is above zero (N67). One
// vector a cycle. max(x, 0) itself is the reducers', in the pass before it.
#include "job.h"

OW_PHASE(gate, struct ow_gate, p) {
  enum { MASK = DSR_KERNEL, DELTA };
  if (p->elements == 0) return;
  set_row(MASK, OW_I16, p->activations, p->elements);
  set_row(DELTA, OW_I16, p->deltas, p->elements);
  // On the drain's microthread: when the next drain begins it overwrites nothing that is needed.
  if (!p->waits) {
    ow_gate(OW_I16, OW_CTL(DELTA, DELTA, MASK, THREAD_DRAIN));
  } else {
    ow_gate(OW_I16, OW_CTL(DELTA, DELTA, MASK, 0));
  }
}
