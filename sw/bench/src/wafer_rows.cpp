// SPDX-License-Identifier: Apache-2.0
// `ow bench wafer`: the digits job on a wafer, and campaigns of random defects.
#include <memory>
#include <utility>

#include "ow/check/training_job.h"
#include "ow/device/wafer_faults.h"
#include "ow/sim/sim.h"
#include "ow/wafer/files.h"
#include "wafer_campaign.h"

namespace ow::bench {

jobs::RunReport run_wafer_job(const WaferBench& o, size_t limit,
                              std::function<std::unique_ptr<Device>(GridShape)> make) {
  jobs::RunOptions run = golden::network_run(o.firmware, OW_FIRMWARE_DIR "/train.elf");
  run.limit = limit;
  run.make = std::move(make);
  jobs::RunParams params = jobs::read_job(o.params).network();
  if (limit != 0) params.large.reset();
  return jobs::run_network(params, run);
}

namespace {

void digits(Rows* rows, const WaferBench& o) {
  const jobs::RunReport flat = run_wafer_job(
      o, o.limit, [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); });
  const jobs::RunReport wafer =
      run_wafer_job(o, o.limit, [&o](GridShape) { return o.open(o.wafer, o.defects); });
  const auto weights_compared = [](const jobs::RunReport& run) {
    return run.training ? run.training->compared : 0;
  };
  // Every activation of every layer is compared with golden in both runs, and every weight in their
  // trainings.
  rows->add("W1", static_cast<double>(flat.mismatches() + wafer.mismatches()),
            {{"images", wafer.samples},
             {"weights_compared", weights_compared(flat) + weights_compared(wafer)},
             {"activations_compared_flat", flat.compared()},
             {"activations_compared_wafer", wafer.compared()},
             {"right_flat", flat.right_device},
             {"right_wafer", wafer.right_device},
             {"cycles_flat", flat.sim_cycles},
             {"cycles_wafer", wafer.sim_cycles}});
}

}  // namespace

void measure_wafer(Rows* rows, const WaferBench& bench) {
  // Bad files are refused before anything takes time.
  const wafer::Shape shape = wafer::read_shape(bench.wafer);
  if (rows->wants("W1")) wafer::read_faults(bench.defects, shape);
  if (rows->wants("W1")) digits(rows, bench);
  if (rows->wants("W8")) wafer_campaign(rows, bench, false);
  if (rows->wants("W9")) wafer_campaign(rows, bench, true);
}

}  // namespace ow::bench
