// SPDX-License-Identifier: Apache-2.0
// What the kernel of rotary shares with the host.
#ifndef OW_LAYERS_ROTARY_H_
#define OW_LAYERS_ROTARY_H_

#include <stdint.h>

// Feature k of head g of the tile is row k heads + g. Features k and k + pairs turn together: the
// first one gets itself times cos less the second one times sin, the second one itself times cos
// plus the first one times sin; back, plus and less. cos and sin are [pairs][samples] numbers of 16
// bits.
struct ow_rotary {
  uint32_t x, y;
  uint32_t cos, sin;
  uint32_t less;   // 0: the first one, 1: the second one
  uint32_t heads;  // of the tile
  uint32_t pairs;  // of a head
};

#endif  // OW_LAYERS_ROTARY_H_
