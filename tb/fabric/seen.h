// SPDX-License-Identifier: Apache-2.0
// What the edges of the fabric under test have seen.
#pragma once

#include <vector>

#include "ow/measure/fabric/node_grid.h"

namespace ow::fabric {

inline std::vector<Seen> of_colour(const Edge& e, int colour) {
  std::vector<Seen> v;
  for (auto& s : e.seen) {
    if (s.w.colour == colour) v.push_back(s);
  }
  return v;
}

}  // namespace ow::fabric
