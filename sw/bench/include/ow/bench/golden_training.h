// SPDX-License-Identifier: Apache-2.0
// The golden model's training, as jobs compare with it, and as a wafer does its passes.
#ifndef OW_BENCH_GOLDEN_TRAINING_H_
#define OW_BENCH_GOLDEN_TRAINING_H_

#include <memory>
#include <string>

#include "ow/compile/train_job.h"

namespace ow::bench {

// Takes the weights from the stream, as tiles do, and has no others.
std::unique_ptr<jobs::TrainWafer> golden_wafer(const TrainingJob& job);

// By the graph that the job's layers are lowered from, so that it judges the lowering, too.
std::unique_ptr<jobs::TrainReference> golden_training(const TrainingJob& job, const Graph& graph);

// A training without a grid, all weights compared after every step. `firmware`: train.elf, which
// the plan is for.
jobs::TrainRunOptions golden_run(const std::string& firmware);

}  // namespace ow::bench

#endif  // OW_BENCH_GOLDEN_TRAINING_H_
