// SPDX-License-Identifier: Apache-2.0
// `ow bench network`: the digits job and a large layer, sparse and dense.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "ow/base/error.h"
#include "ow/bench/benches.h"
#include "ow/check/training_job.h"
#include "ow/execute/run_job.h"
#include "ow/isa/isa.h"
#include "ow/measure/grid_costs.h"
#include "ow/runtime/elf.h"
#include "ow/sim/sim.h"

namespace ow::bench {
namespace {

nlohmann::json raw_pass(const jobs::Workload& w, const jobs::Pass& pass) {
  return {{"cycles", pass.cycles},
          {"multiply_adds", pass.multiply_adds},
          {"tiles", w.tiles},
          {"lanes", w.lanes},
          {"beats", pass.counters[kCtrBeats]},
          {"weights_consumed", pass.counters[kCtrWeights]},
          {"stall_input", pass.counters[kCtrStallInput]},
          {"stall_output", pass.counters[kCtrStallOutput]},
          {"stall_row", pass.counters[kCtrStallRow]},
          {"stall_memory", pass.counters[kCtrStallMemory]},
          {"reducer_wait", pass.counters[kCtrReducerWait]},
          {"wavelets_in", pass.wavelets_in},
          {"wavelets_out", pass.wavelets_out}};
}

void digits(Rows* rows, const NetworkBench& bench) {
  const jobs::RunParams params = jobs::read_job(bench.params).network();
  if (!params.large) throw BadInput(bench.params + ": key 'large_layer' is missing");
  jobs::RunOptions run = golden::network_run(bench.firmware, OW_FIRMWARE_DIR "/train.elf");
  run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
  Progress bar;
  std::string stage;
  run.progress = [&](const std::string& what, double done) {
    if (what != stage) {
      bar = nullptr;  // one display at a time
      bar = rows->progress(what);
      stage = what;
    }
    bar(done);
  };
  const jobs::RunReport report = jobs::run_network(params, run);
  bar = nullptr;
  const jobs::Workload& large = report.workloads.back();
  for (const jobs::Workload& w : report.workloads) {
    if (!bench.usual) break;
    rows->cycles(w.name + ", sparse", w.sparse.cycles);
    rows->cycles(w.name + ", dense", w.dense.cycles);
  }
  // Every activation of every layer and every weight of its training is compared with golden.
  if (report.compared() == 0 || report.mismatches() != 0) {
    rows->fault("network", fmt::format("{} of {} activations and weights differ from golden",
                                       report.mismatches(), report.compared()));
  }
  rows->add("network.digits_accuracy",
            100.0 * static_cast<double>(report.right_device) / static_cast<double>(report.samples),
            {{"right", report.right_device},
             {"right_golden", report.right_golden},
             {"images", report.samples},
             {"weights", report.weights},
             {"nonzero_weights", report.nonzero}});
  rows->add("network.dense_utilisation", 100.0 * large.utilisation(large.dense),
            raw_pass(large, large.dense));
  rows->add("network.sparse_speedup", large.speed_up(),
            {{"sparse", raw_pass(large, large.sparse)},
             {"dense", raw_pass(large, large.dense)},
             {"bound", large.speed_up_bound()}});
}

}  // namespace

void measure_network(Rows* rows, const NetworkBench& bench) {
  const std::vector<std::string> of_job = {"network.digits_accuracy", "network.dense_utilisation",
                                           "network.sparse_speedup"};
  if (rows->wants_any(of_job)) digits(rows, bench);
  if (!rows->wants("network.weight_cycles")) return;
  const jobs::WeightCost cost =
      jobs::measure_weight(read_elf(bench.firmware, isa::kFull.sram_bytes), 32, SimOptions());
  rows->add("network.weight_cycles", cost.cycles_per_weight(),
            {{"samples", cost.samples},
             {"weights", {cost.weights[0], cost.weights[1]}},
             {"cycles", {cost.cycles[0], cost.cycles[1]}}});
}

}  // namespace ow::bench
