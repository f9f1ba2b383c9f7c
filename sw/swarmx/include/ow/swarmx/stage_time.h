// SPDX-License-Identifier: Apache-2.0
// What SwarmX's stages add to a step, in simulated cycles (docs/training.md).
#ifndef OW_SWARMX_STAGE_TIME_H_
#define OW_SWARMX_STAGE_TIME_H_

#include <cstdint>

#include "ow/memoryx/time_model.h"

namespace ow::swarmx {

// A step of the slowest wafer.
struct WaferStep {
  uint64_t cycles = 0;
  uint64_t micro_batches = 1;
  uint64_t weight_bits = 0;    // of its busiest grid row, all micro-batches
  uint64_t gradient_bits = 0;  // likewise, of one micro-batch: the last one's are reduced
};

struct StageTime {
  uint64_t broadcast = 0;
  uint64_t reduce = 0;
  int stages = 0;  // each way
};

// Stages between MemoryX and so many wafers: none for one.
int stages_of(int wafers);

// A stage passes words on as they come, so it costs its latency once a step each way (the streams
// of a step's later micro-batches are on their way while the one before is worked on), and what its
// links are slower than the wafer.
StageTime stage_time(const TimeModel& time, int wafers, const WaferStep& step);

}  // namespace ow::swarmx

#endif  // OW_SWARMX_STAGE_TIME_H_
