// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/stream_schedule.h"

namespace ow::memoryx {

bool operator==(const StreamStep& a, const StreamStep& b) {
  return same_pass(a, b) && a.order == b.order && a.first == b.first && a.count == b.count;
}

bool same_pass(const StreamStep& a, const StreamStep& b) {
  return a.parameter == b.parameter && a.pass == b.pass;
}

std::vector<size_t> passes_of(const StreamSchedule& schedule) {
  std::vector<size_t> passes;
  for (size_t k = 0; k < schedule.size(); ++k) {
    const bool begins = k == 0 || !same_pass(schedule[k - 1], schedule[k]);
    passes.push_back(k == 0 ? 0 : passes.back() + (begins ? 1 : 0));
  }
  return passes;
}

}  // namespace ow::memoryx
