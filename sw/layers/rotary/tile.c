// SPDX-License-Identifier: Apache-2.0
// Turns the halves of each head's features against each other (N130), or back. Cycles: about 5 of
// 16 elements.
#include "../rotary/rotary.h"
#include "job.h"

enum { X = DSR_KERNEL, OTHER, Y, COS, SIN };

// Rows of a half: of all heads, pair by pair.
static void set_half(const struct ow_rotary* p, uint32_t dsr, uint32_t value, uint32_t half_no) {
  set_row(dsr, half_type(), value + half_no * p->pairs * p->heads * pitch(),
          p->pairs * p->heads * samples);
  ow_dsrw(dsr, OW_DSR_DIM0, ow_dim_word(samples, 2));
  ow_dsrw(dsr, OW_DSR_DIM1, ow_dim_word(p->heads, 0));
  ow_dsrw(dsr, OW_DSR_DIM2, ow_dim_word(p->pairs, 0));
}

static void set_angles(const struct ow_rotary* p, uint32_t dsr, uint32_t addr) {
  ow_dsr_mem3(dsr, half_type(), addr, samples, 2, p->heads, 0, p->pairs, (int32_t)pitch());
}

OW_PHASE(rotary, struct ow_rotary, p) {
  set_angles(p, COS, p->cos);
  set_angles(p, SIN, p->sin);
  for (uint32_t n = 0; n < 2; ++n) {
    set_half(p, X, p->x, n);
    set_half(p, OTHER, p->x, 1 - n);
    set_half(p, Y, p->y, n);
    OW_HALF_DO(ow_mul, OW_CTL(Y, OTHER, SIN, 0));
    if (n == p->less) ow_xor_s(OW_I16, OW_CTL(Y, Y, OW_NONE, 0), 0x8000u);  // the sign
    OW_HALF_DO(ow_fma, OW_CTL(Y, X, COS, 0));
  }
}
