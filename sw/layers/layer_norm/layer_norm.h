// SPDX-License-Identifier: Apache-2.0
// What the kernels of layer_norm share with each other and with the host.
#ifndef OW_LAYERS_LAYER_NORM_H_
#define OW_LAYERS_LAYER_NORM_H_

#include <stdint.h>

// Rows of `samples` fp32 numbers in the work area, and of those that stay for the deltas.
#define OW_NORM_ROWS 8
#define OW_NORM_KEPT_ROWS 1  // the scale

struct ow_norm {
  uint32_t x;       // forward: the input; backward: the normalised values
  uint32_t normal;  // forward: where the normalised values go; backward: the deltas of the input
  uint32_t y;       // forward: the value; backward: its deltas
  uint32_t gain, bias;  // fp32, of the tile's own features
  uint32_t kept;        // OW_NORM_KEPT_ROWS rows
  uint32_t work;        // OW_NORM_ROWS rows, 16-byte aligned; then room for sums
  uint32_t owned;       // features
  uint32_t share;       // 1 / features, fp32
  uint32_t epsilon;     // fp32
};

#ifndef __cplusplus
#include "job.h"

enum { NORM_SQUARES, NORM_SUM, NORM_OTHER, NORM_OTHER_SUM, NORM_X, NORM_A, NORM_B, NORM_C };

static inline uint32_t norm_row(const struct ow_norm* p, uint32_t row) {
  return p->work + row * samples * 4;
}

// A parameter, fp32 at `addr`, in the 16-bit type.
static inline uint32_t norm_rounded(uint32_t addr) {
  const uint32_t bits = *(const uint32_t*)(uintptr_t)addr;
  return half == OW_BF16 ? ow_round_bf16(bits) : ow_round_f16(bits);
}

// The sums over the features of all grid rows, times the share: of a b to NORM_SQUARES, of a to
// NORM_SUM. a and b are the tile's own features at 16 bits.
void norm_sums(const struct ow_norm* p, uint32_t a, uint32_t b);
#endif

#endif  // OW_LAYERS_LAYER_NORM_H_
