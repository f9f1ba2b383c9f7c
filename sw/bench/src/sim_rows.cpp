// SPDX-License-Identifier: Apache-2.0
// `ow bench sim`: the digits job, the streaming kernel, the core and the hang report.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "ow/base/error.h"
#include "ow/bench/benches.h"
#include "ow/bench/document.h"
#include "ow/check/training_job.h"
#include "ow/compile/job.h"
#include "ow/golden/network.h"
#include "ow/isa/isa.h"
#include "ow/measure/deadlocks.h"
#include "ow/measure/grid_costs.h"
#include "ow/measure/tile_lockstep.h"
#include "ow/runtime/run_elf.h"

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

// What docs/results.md shows of a job: a line for each layer, sparse and dense, and for the whole.
nlohmann::json job_table(const jobs::RunReport& report) {
  nlohmann::json table = {
      {"columns",
       {"layer", "stream", "cycles", "wavelets in", "out", "utilisation", "speed-up", "bound"}},
      {"lines", nlohmann::json::array()}};
  const auto count = [](uint64_t n) { return grouped(static_cast<int64_t>(n)); };
  for (const jobs::Workload& w : report.workloads) {
    const bool large = &w == &report.workloads.back();
    const std::string name =
        large ? w.name : fmt::format("{} ({} batches)", w.name, report.batches);
    for (const bool sparse : {true, false}) {
      const jobs::Pass& pass = sparse ? w.sparse : w.dense;
      table["lines"].push_back({sparse ? name : "", sparse ? "sparse" : "dense", count(pass.cycles),
                                count(pass.wavelets_in), w.whole ? count(pass.wavelets_out) : "",
                                fmt::format("{:.1f} %", 100 * w.utilisation(pass)),
                                sparse ? fmt::format("{:.2f}", w.speed_up()) : "",
                                sparse ? fmt::format("{:.2f}", w.speed_up_bound()) : ""});
    }
  }
  return table;
}

void digits(Rows* rows, const SimBench& bench) {
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
    rows->cycles(&w == &large ? "S5" : "S1", w.name + ", sparse", w.sparse.cycles);
    rows->cycles(&w == &large ? "S4" : "S1", w.name + ", dense", w.dense.cycles);
  }
  if (rows->wants("S1")) {
    const jobs::TrainReport training = report.training.value_or(jobs::TrainReport());
    rows->add("S1", static_cast<double>(report.mismatches()),
              {{"images", report.samples},
               {"weights_compared", training.compared},
               {"weights_different", training.different},
               {"activations_compared", report.compared()},
               {"activations_different", report.different()},
               {"tables", {{"S1", job_table(report)}}}});
  }
  if (rows->wants("S2")) {
    rows->add(
        "S2",
        100.0 * static_cast<double>(report.right_device) / static_cast<double>(report.samples),
        {{"right", report.right_device},
         {"right_golden", report.right_golden},
         {"images", report.samples},
         {"weights", report.weights},
         {"nonzero_weights", report.nonzero}});
  }
  if (rows->wants("S4"))
    rows->add("S4", 100.0 * large.utilisation(large.dense), raw_pass(large, large.dense));
  if (rows->wants("S5")) {
    rows->add("S5", large.speed_up(),
              {{"sparse", raw_pass(large, large.sparse)},
               {"dense", raw_pass(large, large.dense)},
               {"bound", large.speed_up_bound()}});
  }
}

// S8: the official programs, each run to its end.
void riscv_tests(Rows* rows, const SimBench& bench) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(bench.riscv_tests, error)) {
    const std::string name = entry.path().filename();
    const std::string extension = entry.path().extension();
    const bool wanted = name.rfind("rv32ui", 0) == 0 || name.rfind("rv32um", 0) == 0;
    if (entry.is_regular_file() && wanted && (extension.empty() || extension == ".elf")) {
      files.push_back(entry.path());
    }
  }
  if (error || files.empty()) {
    throw BadInput(
        fmt::format("--riscv-tests {}: holds no programs rv32ui* or rv32um*", bench.riscv_tests));
  }
  std::sort(files.begin(), files.end());
  nlohmann::json raw = {{"programs", files.size()}, {"failed", nlohmann::json::array()}};
  int passed = 0;
  uint64_t cycles = 0;
  for (const std::string& file : files) {
    ElfRunOptions run;
    const ElfImage image = read_elf(file, run.sram_kb * 1024);
    const ElfRun outcome = run_elf(image, run);
    cycles += outcome.cycles;
    if (outcome.tohost && *outcome.tohost == 1) {
      ++passed;
    } else {
      raw["failed"].push_back(file + ": " + outcome.describe(image));
    }
  }
  raw["cycles"] = cycles;
  rows->add_and_keep("S8", passed, "passed", raw);
}

// S9
void lockstep(Rows* rows, const SimBench& bench) {
  const uint64_t seed = rows->options().seed;
  const LockstepResult result = run_tile_lockstep(seed, bench.instructions);
  if (!result.ok) std::fprintf(stderr, "%s\n", result.message.c_str());
  // Fewer instructions than asked for without a difference would be a hang: count it as one.
  const bool complete = result.instructions >= bench.instructions;
  rows->add("S9", result.ok && complete ? 0 : 1,
            {{"instructions", result.instructions},
             {"programs", result.programs},
             {"seed", seed},
             {"loads", result.loads},
             {"stores", result.stores},
             {"mul_div", result.mul_div},
             {"cycles", result.cycles},
             {"message", result.message}});
}

// S10
void deadlocks(Rows* rows) {
  const std::vector<DeadlockResult> results = run_deadlocks();
  nlohmann::json raw = {{"cases", results.size()}, {"wrong", nlohmann::json::array()}};
  int right = 0;
  double slowest = 0;
  for (const DeadlockResult& r : results) {
    right += r.ok ? 1 : 0;
    slowest = std::max(slowest, r.seconds);
    if (!r.ok) raw["wrong"].push_back(r.name + ": " + r.message);
  }
  rows->add("S10", right, raw);
  rows->add("S10.wrong", static_cast<double>(results.size()) - right, raw);
  rows->add("S10.time", slowest, {{"cases", results.size()}});
}

}  // namespace

void measure_sim(Rows* rows, const SimBench& bench) {
  if (rows->wants("S1") || rows->wants("S2") || rows->wants("S4") || rows->wants("S5")) {
    digits(rows, bench);
  }
  const SimOptions sim;
  if (rows->wants("S3")) {
    const jobs::WeightCost cost =
        jobs::measure_weight(read_elf(bench.firmware, isa::kFull.sram_bytes), 32, sim);
    rows->add("S3", cost.cycles_per_weight(),
              {{"samples", cost.samples},
               {"weights", {cost.weights[0], cost.weights[1]}},
               {"cycles", {cost.cycles[0], cost.cycles[1]}}});
  }
  if (rows->wants("S6")) {
    const jobs::HopCost cost = jobs::measure_hops(sim);
    const nlohmann::json raw = {{"tiles", {cost.hops[0], cost.hops[1]}},
                                {"latency", {cost.latency[0], cost.latency[1]}},
                                {"wavelets", cost.wavelets},
                                {"stream_cycles", cost.stream_cycles}};
    rows->add("S6", cost.cycles_per_hop(), raw);
    rows->add("S6.rate", cost.wavelets_per_cycle(), raw);
  }
  if (rows->wants("S7")) {
    const jobs::LoadCost cost = jobs::measure_load(4096, sim);
    rows->cycles("S7", fmt::format("load of {} words, one tile", cost.words), cost.cycles_one);
    rows->cycles("S7", fmt::format("load of {} words, 16 tiles", cost.words), cost.cycles_all);
    rows->add("S7", std::max(cost.one(), cost.all()),
              {{"words", cost.words},
               {"cycles_one_tile", cost.cycles_one},
               {"cycles_16_tiles", cost.cycles_all},
               {"distance", cost.distance},
               {"one_tile", cost.one()},
               {"all_tiles", cost.all()}});
  }
  if (rows->wants("S8") && !bench.riscv_tests.empty()) riscv_tests(rows, bench);
  if (rows->wants("S9")) lockstep(rows, bench);
  if (rows->wants("S10")) deadlocks(rows);
}

}  // namespace ow::bench
