// SPDX-License-Identifier: Apache-2.0
// gelu (N113), every step in the 16-bit type, for some elements at a time so that steps between
// need little room. Cycles: about 1.2 an element.
#include "gelu.h"

// s = min(x^2, 64) to S, sigmoid(x fma(s, c3, c1)) to G.
void gelu_gate(uint32_t x, uint32_t s, uint32_t g) {
  OW_HALF_DO(ow_mul, OW_CTL(s, x, x, 0));
  OW_HALF_DO(ow_min_s, OW_CTL(s, s, OW_NONE, 0), 64.0);
  OW_HALF_DO(ow_mov_s, OW_CTL(g, OW_NONE, OW_NONE, 0), GELU_C1);
  OW_HALF_DO(ow_fma_s, OW_CTL(g, s, OW_NONE, 0), GELU_C3);
  OW_HALF_DO(ow_mul, OW_CTL(g, x, g, 0));
  OW_HALF_DO(ow_sigmoid, OW_CTL(g, g, OW_NONE, 0));
}

OW_PHASE(gelu, struct ow_gelu, p) {
  enum { X = DSR_KERNEL, Y, S, G };
  for (uint32_t done = 0; done < p->elements; done += GELU_ELEMENTS) {
    const uint32_t left = p->elements - done, at = 2 * done;
    const uint32_t now = left < GELU_ELEMENTS ? left : GELU_ELEMENTS;
    set_row(X, half_type(), p->x + at, now);
    set_row(Y, half_type(), p->y + at, now);
    set_row(S, half_type(), p->work, now);
    set_row(G, half_type(), p->work + 2 * GELU_ELEMENTS, now);
    gelu_gate(X, S, G);
    OW_HALF_DO(ow_mul, OW_CTL(Y, X, G, 0));
  }
}
