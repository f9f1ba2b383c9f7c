// SPDX-License-Identifier: Apache-2.0
#include "ow/memoryx/stream_schedule.h"

#include <set>

namespace ow::memoryx {

bool operator==(const StreamStep& a, const StreamStep& b) {
  return same_pass(a, b) && a.order == b.order && a.first == b.first && a.count == b.count &&
         a.positions == b.positions && a.copies == b.copies;
}

bool sends_weights(const StreamStep& step) {
  return step.pass == Pass::Forward || step.pass == Pass::Delta;
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

std::vector<size_t> taken_first(const StreamSchedule& schedule) {
  std::vector<size_t> parameters;
  std::set<size_t> taken;
  for (const StreamStep& step : schedule) {
    if (sends_weights(step) && taken.insert(step.parameter).second)
      parameters.push_back(step.parameter);
  }
  return parameters;
}

}  // namespace ow::memoryx
