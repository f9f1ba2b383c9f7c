// SPDX-License-Identifier: Apache-2.0
// Parts of `ow bench train`.
#ifndef OW_BENCH_TRAIN_JOBS_H_
#define OW_BENCH_TRAIN_JOBS_H_

#include "ow/bench/benches.h"
#include "ow/device/device.h"
#include "ow/execute/train_job.h"

namespace ow::bench {

// What a report says, for the raw part of a row.
nlohmann::json report_json(const jobs::TrainReport& report);

// The digits network trained from scratch on the RTL.
void measure_digits(Rows* rows, const TrainBench& bench);
// Samples a simulated cycle on several wafers.
void measure_wafer_scaling(Rows* rows, const TrainBench& bench);
// The passes of one layer, dense and sparse.
void measure_train_passes(Rows* rows, const TrainBench& bench, GridShape grid);
// A whole step of two layers.
void measure_train_step(Rows* rows, const TrainBench& bench);
// At 0.9 and 0.5 of the bandwidth with which no pass would wait: how far a pass is from what it
// gets of what it needs. The farthest in per cent.
double measure_pass_losses(Rows* rows, const TrainBench& bench, nlohmann::json* raw);
// Time outside the wafer, and estimates against RTL tiles.
void measure_estimates(Rows* rows, const TrainBench& bench);

}  // namespace ow::bench

#endif  // OW_BENCH_TRAIN_JOBS_H_
