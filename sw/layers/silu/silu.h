// SPDX-License-Identifier: Apache-2.0
// What the kernels of silu share with the host.
#ifndef OW_LAYERS_SILU_H_
#define OW_LAYERS_SILU_H_

#include <stdint.h>

// Elements that are worked on at a time backward; the work area has two arrays of so many 16-bit
// values.
#define SILU_ELEMENTS 256

struct ow_silu {
  uint32_t x, y;      // y: forward the value, backward the deltas of x
  uint32_t deltas;    // backward: of the value
  uint32_t work;      // backward
  uint32_t elements;  // the tile's own
};

#endif  // OW_LAYERS_SILU_H_
