// SPDX-License-Identifier: Apache-2.0
// Trainings that tests of plans and of steps share.
#ifndef OW_TRAIN_JOBS_H_
#define OW_TRAIN_JOBS_H_

#include <vector>

#include "ow/execute/train_grid.h"

namespace ow::jobs {

inline ElfImage firmware() { return read_elf(OW_FIRMWARE_DIR "/train.elf", 49152); }

// Layers of these sizes, ReLU between them, binary16, plain gradient descent.
inline TrainingJob job_for(GridShape grid, int samples, const std::vector<int>& sizes) {
  TrainingJob job;
  for (size_t k = 0; k + 1 < sizes.size(); ++k) {
    const std::string f = k + 2 < sizes.size() ? "relu" : "none";
    job.layers.push_back({sizes[k], sizes[k + 1], f, true});
  }
  job.grid_rows = grid.rows;
  job.grid_cols = grid.cols;
  job.samples = samples;
  job.optimizer.rate = constant_schedule(0.01);
  job.loss_scale.initial = 64;
  return job;
}

inline void make_sparse(TrainingJob* job, double density) {
  job->sparsity.resize(1);
  job->sparsity[0].pattern = "*.weight";
  job->sparsity[0].density = constant_schedule(density);
}

}  // namespace ow::jobs

#endif  // OW_TRAIN_JOBS_H_
