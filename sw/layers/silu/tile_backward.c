// SPDX-License-Identifier: Apache-2.0
// The deltas of silu's input (N122): delta (g + fma(y, -g, y)), for some elements at a time.
#include "../silu/silu.h"
#include "job.h"

OW_PHASE(silu_deltas, struct ow_silu, p) {
  enum { X = DSR_KERNEL, DX, DELTA, G, Y, G_BITS };
  for (uint32_t done = 0; done < p->elements; done += SILU_ELEMENTS) {
    const uint32_t left = p->elements - done, at = 2 * done;
    const uint32_t now = left < SILU_ELEMENTS ? left : SILU_ELEMENTS;
    set_row(X, half_type(), p->x + at, now);
    set_row(DX, half_type(), p->y + at, now);
    set_row(DELTA, half_type(), p->deltas + at, now);
    set_row(G, half_type(), p->work, now);
    set_row(Y, half_type(), p->work + 2 * SILU_ELEMENTS, now);
    set_row(G_BITS, OW_I16, p->work, now);
    OW_HALF_DO(ow_sigmoid, OW_CTL(G, X, OW_NONE, 0));
    OW_HALF_DO(ow_mul, OW_CTL(Y, X, G, 0));
    OW_HALF_DO(ow_mov, OW_CTL(DX, Y, OW_NONE, 0));
    ow_xor_s(OW_I16, OW_CTL(G_BITS, G_BITS, OW_NONE, 0), 0x8000u);  // -g
    OW_HALF_DO(ow_fma, OW_CTL(DX, Y, G, 0));                        // y - y g
    ow_xor_s(OW_I16, OW_CTL(G_BITS, G_BITS, OW_NONE, 0), 0x8000u);
    OW_HALF_DO(ow_add, OW_CTL(DX, G, DX, 0));
    OW_HALF_DO(ow_mul, OW_CTL(DX, DELTA, DX, 0));
  }
}
