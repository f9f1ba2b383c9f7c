// SPDX-License-Identifier: Apache-2.0
// What the kernels of gelu share with each other and with the host.
#ifndef OW_LAYERS_GELU_H_
#define OW_LAYERS_GELU_H_

#include <stdint.h>

// Elements that are worked on at a time; the work area has four arrays of so many 16-bit values
// backward, two forward.
#define GELU_ELEMENTS 256

struct ow_gelu {
  uint32_t x, y;    // y: forward the value, backward the deltas of x
  uint32_t deltas;  // backward: of the value
  uint32_t work;
  uint32_t elements;  // the tile's own
};

#ifndef __cplusplus
#include "job.h"

#define GELU_C1 1.5957691216057308
#define GELU_C3 (0.044715 * GELU_C1)

void gelu_gate(uint32_t x, uint32_t s, uint32_t g);
#endif

#endif  // OW_LAYERS_GELU_H_
