// SPDX-License-Identifier: Apache-2.0
// Descriptors with names, one more than a tile of `mini` has, a flow, and launches with arguments
// of every type. The other names are in names_more.c.
#include "openwafer/tile/export.h"

enum { N = 8 };
OW_EXPORT(i32, x, N);
OW_EXPORT(i32, y, N);
OW_EXPORT(i32, integers, 6);
OW_EXPORT(f32, real);
OW_EXPORT(u32, halves, 2);

OW_DSR(A, B, C, D, E, F, G, H);
OW_DSR(I);
OW_DSR_DECLARE(Q);

OW_FLOW(sum);
OW_EXPORT(u32, found, 3);
OW_LAUNCH(ends) {
  found[0] = sum.in;
  found[1] = sum.out;
  found[2] = sum.end;
}

// y = 2 x, with names of both files.
OW_LAUNCH(twice) {
  ow_dsr_mem1(I, OW_I32, OW_ADDR(x), N, 4);
  ow_dsr_mem1(Q, OW_I32, OW_ADDR(x), N, 4);
  ow_dsr_mem1(A, OW_I32, OW_ADDR(y), N, 4);
  ow_add(OW_I32, OW_CTL(A, I, Q, 0));
}

OW_LAUNCH(seven, u8 a, i8 b, u16 c, i16 d, u32 e, i32 f, f32 g) {
  integers[0] = a;
  integers[1] = b;
  integers[2] = c;
  integers[3] = d;
  integers[4] = (int32_t)e;
  integers[5] = f;
  real = g;
}

OW_LAUNCH(two, f16 a, bf16 b) {
  halves[0] = a;
  halves[1] = b;
}
