// SPDX-License-Identifier: Apache-2.0
// The deltas of gelu's input (N113): delta fma(fma(y, -g, y), fma(s, 3 c3, c1), g).
#include "gelu.h"

OW_PHASE(gelu_deltas, struct ow_gelu, p) {
  enum { X = DSR_KERNEL, DX, DELTA, S, G, H, Q, H_BITS, G_BITS };
  for (uint32_t done = 0; done < p->elements; done += GELU_ELEMENTS) {
    const uint32_t left = p->elements - done, at = 2 * done;
    const uint32_t now = left < GELU_ELEMENTS ? left : GELU_ELEMENTS;
    uint32_t work = p->work;
    set_row(X, half_type(), p->x + at, now);
    set_row(DX, half_type(), p->y + at, now);
    set_row(DELTA, half_type(), p->deltas + at, now);
    for (uint32_t dsr = S; dsr <= Q; ++dsr, work += 2 * GELU_ELEMENTS) {
      set_row(dsr, half_type(), work, now);
    }
    set_row(G_BITS, OW_I16, p->work + 2 * GELU_ELEMENTS, now);
    gelu_gate(X, S, G);
    OW_HALF_DO(ow_mul, OW_CTL(H, X, G, 0));  // y
    OW_HALF_DO(ow_mov_s, OW_CTL(Q, OW_NONE, OW_NONE, 0), GELU_C1);
    OW_HALF_DO(ow_fma_s, OW_CTL(Q, S, OW_NONE, 0), 3 * GELU_C3);
    OW_HALF_DO(ow_mov, OW_CTL(S, H, OW_NONE, 0));
    ow_xor_s(OW_I16, OW_CTL(G_BITS, G_BITS, OW_NONE, 0), 0x8000u);  // -g
    OW_HALF_DO(ow_fma, OW_CTL(S, H, G, 0));                         // y - y g
    ow_xor_s(OW_I16, OW_CTL(G_BITS, G_BITS, OW_NONE, 0), 0x8000u);
    OW_HALF_DO(ow_fma, OW_CTL(G, S, Q, 0));
    OW_HALF_DO(ow_mul, OW_CTL(DX, DELTA, G, 0));
  }
}
