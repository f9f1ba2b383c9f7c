// SPDX-License-Identifier: Apache-2.0
// Neighbours in a grid of tiles, by port: north, east, south, west.
#ifndef OW_DEVICE_NEIGHBOURS_H_
#define OW_DEVICE_NEIGHBOURS_H_

#include "openwafer/grid.h"

namespace ow {

constexpr int kRowStep[4] = {-1, 0, 1, 0};
constexpr int kColStep[4] = {0, 1, 0, -1};

inline bool in_grid(GridShape shape, int row, int col) {
  return row >= 0 && col >= 0 && row < shape.rows && col < shape.cols;
}

}  // namespace ow

#endif  // OW_DEVICE_NEIGHBOURS_H_
