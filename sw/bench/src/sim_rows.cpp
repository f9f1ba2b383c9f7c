// SPDX-License-Identifier: Apache-2.0
// `ow bench sim`: the simulator itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "ow/base/json.h"
#include "ow/bench/benches.h"
#include "ow/check/training_job.h"
#include "ow/execute/run_job.h"
#include "ow/measure/deadlocks.h"
#include "ow/sim/sim.h"

namespace ow::bench {
namespace {

void hang_reports(Rows* rows) {
  double slowest = 0;
  const std::vector<DeadlockResult> results = run_deadlocks();
  for (const DeadlockResult& r : results) {
    if (!r.ok) rows->fault("sim.hang_report", r.name + ": " + r.message);
    slowest = std::max(slowest, r.seconds);
  }
  rows->add("sim.hang_report", slowest, {{"deadlocks", results.size()}});
}

// Of a processor: other work on the machine does not count.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Eight images of the digits job and the large layer, nothing compared.
void speed(Rows* rows) {
  const jobs::RunParams params =
      jobs::read_job(rows->options().source + "/configs/digits.yaml").network();
  jobs::RunOptions run =
      golden::network_run(OW_FIRMWARE_DIR "/forward.elf", OW_FIRMWARE_DIR "/train.elf");
  run.make = [](GridShape grid) { return make_device(DeviceKind::Replicated, grid); };
  run.check = false;
  run.limit = 8;
  const double begin = cpu_seconds();
  const jobs::RunReport report = jobs::run_network(params, run);
  const double seconds = cpu_seconds() - begin;
  const double cycles = static_cast<double>(report.sim_cycles) * report.workloads.front().tiles;
  rows->add("sim.tile_cycles_per_second", cycles / seconds / 1000,
            {{"tile_cycles", cycles}, {"processor_seconds", seconds}});
}

// scripts/instructions counts under valgrind, which takes minutes.
void instructions(Rows* rows, const std::vector<std::string>& names) {
  const Options& o = rows->options();
  const std::string file = o.build + "/instructions.json";
  const std::string command =
      fmt::format("BUILD='{}' '{}/scripts/instructions' --json '{}' >&2", o.build, o.source, file);
  const bool made = std::system(command.c_str()) == 0;
  for (const std::string& name : names) {
    if (!made) {
      rows->not_measured(name, "scripts/instructions (scripts/bootstrap bench brings valgrind)");
      continue;
    }
    const std::string job = name.substr(sizeof("sim.instructions_") - 1);
    const nlohmann::json raw = read_json(file).at(job);
    rows->add(name, raw.at("each").get<double>(), raw);
  }
}

}  // namespace

void measure_sim(Rows* rows) {
  const std::vector<std::string> counted = {"sim.instructions_route", "sim.instructions_digits",
                                            "sim.instructions_dense", "sim.instructions_sparse"};
  if (rows->wants("sim.hang_report")) hang_reports(rows);
  if (rows->wants("sim.tile_cycles_per_second")) speed(rows);
  if (rows->wants_any(counted)) instructions(rows, counted);
}

}  // namespace ow::bench
