// SPDX-License-Identifier: Apache-2.0
// The way of a step's gradients out of the wafer, for `ow estimate`.
#ifndef OW_COMPILE_GRADIENT_EXITS_H_
#define OW_COMPILE_GRADIENT_EXITS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ow/device/device.h"
#include "ow/memoryx/time_model.h"

namespace ow::jobs {

// For each grid row the slowest link on the way out, with its queue.
class Exits {
 public:
  // `reduces`: the gradients also pass SwarmX's stages.
  Exits(const TimeModel& time, int rows, bool reduces)
      : period_(time.period_out(reduces)),
        room_(time.exit_depth + static_cast<uint64_t>(kLinkCredits)),
        late_(time.way_out()),
        at_(static_cast<size_t>(rows)) {}

  // `numbers` numbers leave from cycle `from` on. Returns the cycle in which the grid has sent the
  // last.
  uint64_t leave(int row, uint64_t numbers, uint64_t from) {
    uint64_t& at = at_[static_cast<size_t>(row)];
    at = std::max(at, from * kTimeUnit) + numbers * period_;
    const uint64_t sent = at - std::min(at, room_ * period_);
    return sent / kTimeUnit;
  }
  // The cycle in which numbers are at the optimizer, if the grid sent the last one in cycle
  // `cycle`.
  uint64_t came(int row, uint64_t cycle) const {
    return late_ + std::max(cycle, at_[static_cast<size_t>(row)] / kTimeUnit);
  }

 private:
  uint64_t period_;  // 1/65,536 cycles per number
  uint64_t room_;    // numbers that may wait
  uint64_t late_;
  std::vector<uint64_t> at_;  // 1/65,536 cycles: the link has passed what was sent
};

}  // namespace ow::jobs

#endif  // OW_COMPILE_GRADIENT_EXITS_H_
