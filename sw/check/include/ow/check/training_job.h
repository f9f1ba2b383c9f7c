// SPDX-License-Identifier: Apache-2.0
// The golden model's training, as jobs compare with it, and as a wafer does its passes.
#ifndef OW_CHECK_TRAINING_JOB_H_
#define OW_CHECK_TRAINING_JOB_H_

#include <memory>
#include <string>

#include "ow/execute/train_job.h"

namespace ow::golden {

// Takes the weights from these streams, as tiles do, and has no others. `streams` must outlive it.
std::unique_ptr<jobs::TrainWafer> training_wafer(const TrainingJob& job,
                                                 const memoryx::TrainStreams& streams);

// By the graph that the job's layers are lowered from, so that it judges the lowering, too.
std::unique_ptr<jobs::TrainReference> training_reference(const TrainingJob& job,
                                                         const Graph& graph);

// A training without a grid, all weights compared after every step. `firmware`: train.elf, which
// the plan is for.
jobs::RunOptions training_run(const std::string& firmware);

// A network's run without a grid, its activations and those of its training's steps compared.
// `firmware`: forward.elf; `train_firmware`: train.elf.
jobs::RunOptions network_run(const std::string& firmware, const std::string& train_firmware);

}  // namespace ow::golden

#endif  // OW_CHECK_TRAINING_JOB_H_
