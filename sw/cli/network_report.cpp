// SPDX-License-Identifier: Apache-2.0
#include "network_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ow/execute/causes.h"

namespace ow::cli {
namespace {

using jobs::Pass;
using jobs::RunReport;
using jobs::Workload;

nlohmann::json pass_json(const Workload& workload, const Pass& pass) {
  nlohmann::json json = {{"cycles", pass.cycles},
                         {"wavelets_in", pass.wavelets_in},
                         {"wavelets_out", pass.wavelets_out},
                         {"multiply_adds", pass.multiply_adds},
                         {"bound_cycles", pass.bound},
                         {"utilisation", workload.utilisation(pass)},
                         {"compared", pass.compared},
                         {"different", pass.different},
                         {"bits_different", pass.bits_different}};
  if (workload.whole) {
    json["waits"] = jobs::waits_json(pass.waits);
  }
  if (workload.counted) {
    static const char* const kNames[kNumCounters] = {
        "beats",        "stall_input",      "stall_output",      "stall_row",
        "stall_memory", "no_work",          "reducer_elements",  "instructions",
        "asleep",       "wavelets_in_ramp", "wavelets_out_ramp", "weights",
        "reducer_wait"};
    for (int k = 0; k < kNumCounters; ++k) {
      json["counters"][kNames[k]] = pass.counters[static_cast<size_t>(k)];
    }
  }
  return json;
}

// A table of the jobs' stalls by cause, unless their tiles do not count them.
void print_stalls(const RunReport& report) {
  const auto waits_outside = [&report](const Pass& pass) {
    if (report.timed) fmt::print("{:>22} {}\n", "waits outside:", jobs::waits_text(pass.waits));
  };
  const auto counted = [](const Workload& w) { return w.counted; };
  const auto& all = report.workloads;
  fmt::print("\nstall cycles, sums over the tiles");
  if (std::none_of(all.begin(), all.end(), counted)) {
    fmt::print(": these tiles have no counters\n");
  } else {
    fmt::print("\n{:<14} {:<7}", "job", "stream");
    for (const auto& cause : jobs::kStallCauses) fmt::print(" {:>15}", cause.name);
    fmt::print("\n");
  }
  for (const Workload& w : all) {
    if (!w.whole) continue;
    for (const Pass* pass : {&w.sparse, &w.dense}) {
      const bool sparse = pass == &w.sparse;
      if (w.counted) {
        fmt::print("{:<14} {:<7}", sparse ? w.name : "", sparse ? "sparse" : "dense");
        for (const auto& cause : jobs::kStallCauses) {
          fmt::print(" {:>15}", pass->counters[static_cast<size_t>(cause.counter)]);
        }
        fmt::print("\n");
      }
      waits_outside(*pass);
    }
  }
}

// The training that made the weights.
void print_training(const jobs::TrainReport& t) {
  fmt::print("training    {} steps in {:.1f} s", t.steps, t.seconds);
  if (t.compared > 0) {
    fmt::print("; {} weights compared with golden after their steps, {} differ", t.compared,
               t.different);
  }
  fmt::print("\n");
  if (!t.first_difference.empty()) fmt::print("first       {}\n", t.first_difference);
}

// How much of the time units are clocked; those that hardly ever are, are left out.
void print_clocks(const RunReport& report) {
  const double cycles =
      static_cast<double>(report.sim_cycles) * report.grid.rows * report.grid.cols;
  std::string text;
  for (const UnitClock& clock : report.clocks) {
    const double percent = 100.0 * static_cast<double>(clock.edges) / cycles;
    if (percent < 0.05) continue;
    text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", clock.unit, percent);
  }
  if (!text.empty()) fmt::print("clocked     {} of the tiles' cycles\n", text);
}

}  // namespace

nlohmann::json report_json(const RunReport& report) {
  nlohmann::json json;
  json["device"] = report.device;
  json["grid"] = {{"rows", report.grid.rows}, {"columns", report.grid.cols}};
  json["samples"] = report.samples;
  if (!report.plan.is_null()) json["plan"] = report.plan;
  json["batches"] = report.batches;
  json["weights"] = report.weights;
  json["nonzero_weights"] = report.nonzero;
  const auto share = [&report](size_t right) {
    return static_cast<double>(right) / static_cast<double>(report.samples);
  };
  if (report.labelled && report.checked) json["accuracy_golden"] = share(report.right_golden);
  json["train_seconds"] = report.training ? report.training->seconds : 0;
  if (report.training) {
    const jobs::TrainReport& t = *report.training;
    json["training"] = {{"steps", t.steps}, {"compared", t.compared}, {"different", t.different}};
  }
  if (!report.workloads.empty()) {
    if (report.labelled) json["accuracy_device"] = share(report.right_device);
    if (report.checked) {
      json["compared"] = report.compared();
      json["different"] = report.different();
    }
    for (const Workload& w : report.workloads) {
      json["workloads"].push_back({{"name", w.name},
                                   {"whole_job", w.whole},
                                   {"tiles", w.tiles},
                                   {"lanes", w.lanes},
                                   {"sparse", pass_json(w, w.sparse)},
                                   {"dense", pass_json(w, w.dense)},
                                   {"speed_up", w.speed_up()},
                                   {"speed_up_bound", w.speed_up_bound()}});
    }
    const double tiles = static_cast<double>(report.grid.rows) * report.grid.cols;
    json["simulation"] = {
        {"cycles", report.sim_cycles},
        {"seconds", report.sim_seconds},
        {"cycles_per_second", static_cast<double>(report.sim_cycles) / report.sim_seconds},
        {"tile_cycles_per_second",
         static_cast<double>(report.sim_cycles) * tiles / report.sim_seconds}};
    for (const UnitClock& clock : report.clocks) {
      json["simulation"]["clocked"][clock.unit] =
          static_cast<double>(clock.edges) / (static_cast<double>(report.sim_cycles) * tiles);
    }
  }
  return json;
}

void print_report(const RunReport& report) {
  const auto percent = [](size_t part, size_t of) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(of);
  };
  fmt::print("device      {}\n", report.device);
  fmt::print("network     {} weights, {} kept ({:.1f} % pruned)\n", report.weights, report.nonzero,
             100.0 - percent(report.nonzero, report.weights));
  if (report.training) print_training(*report.training);
  const char* label = "accuracy";
  const auto accuracy = [&](const char* who, size_t right) {
    fmt::print("{:<11} {} {}/{} = {:.2f} %\n", label, who, right, report.samples,
               percent(right, report.samples));
    label = "";
  };
  if (report.labelled && report.checked) accuracy("golden", report.right_golden);
  if (report.workloads.empty()) return;
  if (report.labelled) accuracy("device", report.right_device);
  fmt::print("\n{:<14} {:<7} {:>10} {:>11} {:>10} {:>12} {:>9} {:>9}\n", "layer", "stream",
             "cycles", "wavelets in", "out", "utilisation", "speed-up", "bound");
  for (const Workload& w : report.workloads) {
    const std::string name =
        w.name == "network" ? fmt::format("network ({}x)", report.batches) : w.name;
    for (const Pass* pass : {&w.sparse, &w.dense}) {
      const bool sparse = pass == &w.sparse;
      fmt::print("{:<14} {:<7} {:>10} {:>11} {:>10} {:>11.1f}% {:>9} {:>9}\n", sparse ? name : "",
                 sparse ? "sparse" : "dense", pass->cycles, pass->wavelets_in,
                 w.whole ? std::to_string(pass->wavelets_out) : "-", 100.0 * w.utilisation(*pass),
                 sparse ? fmt::format("{:.2f}", w.speed_up()) : "",
                 sparse ? fmt::format("{:.2f}", w.speed_up_bound()) : "");
    }
  }
  print_stalls(report);
  const double tiles = static_cast<double>(report.grid.rows) * report.grid.cols;
  const double rate = static_cast<double>(report.sim_cycles) / report.sim_seconds;
  fmt::print("\nsimulated   {} cycles in {:.1f} s: {:.0f} cycles/s, {:.2f} million tile-cycles/s\n",
             report.sim_cycles, report.sim_seconds, rate, rate * tiles / 1e6);
  print_clocks(report);
  if (!report.checked) return;
  fmt::print("comparison  {} activations compared with golden, {} differ\n", report.compared(),
             report.different());
  for (const Workload& w : report.workloads) {
    for (const Pass* pass : {&w.sparse, &w.dense}) {
      if (pass->different > 0) fmt::print("first       {}\n", pass->first_difference);
    }
  }
}

}  // namespace ow::cli
