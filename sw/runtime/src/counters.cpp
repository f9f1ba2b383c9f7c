// SPDX-License-Identifier: Apache-2.0
#include "ow/runtime/counters.h"

#include <cstddef>

namespace ow {

// Each counter is read low word first, which latches its high word.
Counters parse_counters(const std::vector<uint32_t>& words) {
  Counters c{};
  for (size_t k = 0; k < c.size(); ++k) {
    c[k] = words[2 * k] | static_cast<uint64_t>(words[2 * k + 1]) << 32;
  }
  return c;
}

Counters read_counters(ControlPlane& control, int row, int col) {
  return parse_counters(control.read_tile(row, col, kRegCounters, 2 * kNumCounters));
}

std::vector<Counters> read_counters(ControlPlane& control, const Rect& rect) {
  std::vector<Counters> all;
  for (const std::vector<uint32_t>& words :
       control.read_rect(rect, kRegCounters, 2 * kNumCounters)) {
    all.push_back(parse_counters(words));
  }
  return all;
}

}  // namespace ow
