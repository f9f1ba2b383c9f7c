// SPDX-License-Identifier: Apache-2.0
// Parts of `ow bench wafer`.
#ifndef OW_BENCH_WAFER_CAMPAIGN_H_
#define OW_BENCH_WAFER_CAMPAIGN_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "ow/bench/benches.h"
#include "ow/compile/job.h"

namespace ow::bench {

// The digits job on `limit` images (0: all) of the device that `make` gives.
jobs::RunReport run_wafer_job(const WaferBench& o, size_t limit,
                              std::function<std::unique_ptr<Device>(GridShape)> make);

// W8, or beyond the repair limits W9.
void wafer_campaign(Rows* rows, const WaferBench& bench, bool beyond);

}  // namespace ow::bench

#endif  // OW_BENCH_WAFER_CAMPAIGN_H_
