// SPDX-License-Identifier: Apache-2.0
#include "ow/swarmx/stage_time.h"

#include <algorithm>

namespace ow::swarmx {
namespace {

// Cycles that a link is busy beyond those that there are.
uint64_t beyond(const Flow& flow, uint64_t bits, uint64_t cycles) {
  const uint64_t busy = Flow{flow.rate, 0}.cycles(bits);
  return busy - std::min(busy, cycles);
}

}  // namespace

int stages_of(int wafers) {
  int stages = 0;
  for (int reached = 1; reached < wafers; reached *= 2) ++stages;
  return stages;
}

StageTime stage_time(const TimeModel& time, int wafers, const WaferStep& step) {
  StageTime t;
  t.stages = stages_of(wafers);
  if (t.stages == 0) return t;
  const auto stages = static_cast<uint64_t>(t.stages);
  t.broadcast =
      stages * time.broadcast.latency + beyond(time.broadcast, step.weight_bits, step.cycles);
  t.reduce = stages * time.reduce.latency +
             beyond(time.reduce, step.gradient_bits,
                    step.cycles / std::max<uint64_t>(1, step.micro_batches));
  return t;
}

}  // namespace ow::swarmx
