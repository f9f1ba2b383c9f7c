// SPDX-License-Identifier: Apache-2.0
#ifndef OW_BENCH_TRAIN_JOBS_H_
#define OW_BENCH_TRAIN_JOBS_H_

#include "ow/bench/benches.h"

namespace ow::bench {

// The rows of trainings on the RTL.
void measure_train_jobs(Rows* rows, const TrainBench& bench);
// Those of single passes.
void measure_train_passes(Rows* rows, const TrainBench& bench);
// M4.loss of a training's passes: at 0.9 and 0.5 of the bandwidth with which none would wait, how
// far a pass is from what it gets of what it needs; the farthest in per cent.
double measure_pass_losses(Rows* rows, const TrainBench& bench, nlohmann::json* raw);
// M11: a whole step.
void measure_train_step(Rows* rows, const TrainBench& bench);

// M5: samples a simulated cycle on several wafers. M6: their bits.
void measure_swarm_time(Rows* rows, const TrainBench& bench);
void measure_swarm_bits(Rows* rows, const TrainBench& bench);

}  // namespace ow::bench

#endif  // OW_BENCH_TRAIN_JOBS_H_
