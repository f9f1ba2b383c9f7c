// SPDX-License-Identifier: Apache-2.0
#ifndef OW_BENCH_ESTIMATE_ROWS_H_
#define OW_BENCH_ESTIMATE_ROWS_H_

#include "ow/bench/benches.h"

namespace ow::bench {

// M4 and M9.
void measure_estimates(Rows* rows, const TrainBench& bench);

}  // namespace ow::bench

#endif  // OW_BENCH_ESTIMATE_ROWS_H_
