// SPDX-License-Identifier: Apache-2.0
// What the file of a training says (docs/run.md); read_job (job.h) reads it.
#ifndef OW_COMPILE_TRAIN_PARAMS_H_
#define OW_COMPILE_TRAIN_PARAMS_H_

#include <cstdint>
#include <string>

#include "ow/compile/params.h"
#include "ow/graph/training.h"
#include "ow/memoryx/memoryx.h"

namespace ow::jobs {

struct TrainParams {
  RunParams base;  // data, network and grid
  TrainingJob job;
  memoryx::MemoryOptions memory;  // where the masters are kept; changes no bit
  uint64_t steps = 0;
  int wafers = 1;
  bool stops_on_nan = true;       // ends at a loss that is not finite; else only warns
  uint64_t evaluate_every = 0;    // in steps; 0: never during the training
  uint64_t checkpoint_every = 0;  // in steps; 0: only at the end
  size_t checkpoints_kept = 2;
};

constexpr int kMaxWafers = 1024;

}  // namespace ow::jobs

#endif  // OW_COMPILE_TRAIN_PARAMS_H_
