// SPDX-License-Identifier: Apache-2.0
// Layouts and data that several tests of the library use.
#ifndef OW_TB_SW_RUNTIME_PROGRAMS_H_
#define OW_TB_SW_RUNTIME_PROGRAMS_H_

#include <cstdint>
#include <vector>

#include "openwafer/openwafer.h"

namespace ow {

// Words that differ, and others for another seed.
inline std::vector<uint32_t> numbers(size_t n, uint32_t seed) {
  std::vector<uint32_t> words(n);
  for (size_t i = 0; i < n; ++i) words[i] = static_cast<uint32_t>(i) * 2654435761u + seed;
  return words;
}

// Through a row of tiles, from the west to the east, past their cores.
inline Layout pass(GridShape shape) {
  Layout layout(shape);
  const int colour = layout.colour("pass");
  for (int c = 0; c < shape.cols; ++c) layout.route(0, c, colour, Route{Port::West, kOutE});
  layout.host_sends("in", Side::West, 0, 0, colour);
  layout.host_receives("out", 0, shape.cols - 1, Side::East, colour);
  return layout;
}

// x comes from the north, sums leave in the east (mini_kernel.c).
inline Layout sums() {
  Layout layout({1, 1});
  layout.broadcast("x", Side::North);
  layout.chain("sum", Side::East, false, true);
  return layout;
}

}  // namespace ow

#endif  // OW_TB_SW_RUNTIME_PROGRAMS_H_
