// SPDX-License-Identifier: Apache-2.0
#include "bench_tile.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "ow/bench/tile_bench.h"
#include "ow/error.h"
#include "ow/jobs/bench.h"

namespace ow::cli {
namespace {

// A file that scripts/testfloat or scripts/coverage wrote.
nlohmann::json read_report(const std::string& option, const std::string& path,
                           const std::string& key) {
  std::ifstream file(path);
  if (!file) throw BadInput(fmt::format("{} {}: cannot be read", option, path));
  nlohmann::json report = nlohmann::json::parse(file, nullptr, false);
  if (report.is_discarded() || !report.is_object() || !report.contains(key) ||
      !report[key].is_number()) {
    throw BadInput(fmt::format("{} {}: no report with a number '{}'", option, path, key));
  }
  return report;
}

}  // namespace

int run_bench_tile(Context& context, const TileBenchArguments& arguments) {
  const std::map<std::string, jobs::Target> targets = jobs::load_targets(arguments.targets, "tile");
  const std::set<std::string> only(arguments.only.begin(), arguments.only.end());
  std::vector<std::string> rows = bench::TileBench::rows();
  for (const std::string& name : only) {
    const bool outside = name == "T15" || name == "T17" || name == "ops";
    if (!outside && std::find(rows.begin(), rows.end(), name) == rows.end()) {
      throw BadInput(fmt::format("--only {}: ow bench tile has T1 to T17 and ops", name));
    }
  }
  const auto wants = [&](const std::string& name) { return only.empty() || only.count(name) != 0; };
  // Read first: a wrong name should not cost a run.
  nlohmann::json testfloat, coverage;
  if (!arguments.testfloat.empty() && wants("T15")) {
    testfloat = read_report("--testfloat", arguments.testfloat, "wrong");
  }
  if (!arguments.coverage.empty() && wants("T17")) {
    coverage = read_report("--coverage", arguments.coverage, "percent");
  }
  context.result()["bench"] = "tile";
  context.result()["results"] = nlohmann::json::array();
  bool passed = true;
  std::set<std::string> measured;
  const auto add = [&](const std::string& name, double value, nlohmann::json raw) {
    const auto found = targets.find(name);
    if (found == targets.end()) {
      throw BadInput(fmt::format("{}: row '{}' is missing", arguments.targets, name));
    }
    const jobs::Target& t = found->second;
    const bool pass =
        add_result(context.result(), name, value, t.unit, t.target, t.better, std::move(raw));
    const char* sign = t.better == "higher" ? ">=" : t.better == "lower" ? "<=" : "=";
    std::printf("%-12s %10.4g %2s %6g  %-16s %s%s\n", name.c_str(), value, sign, t.target,
                t.unit.c_str(), t.what.c_str(), pass ? "" : "  FAILED");
    std::fflush(stdout);
    passed = passed && pass;
    measured.insert(name);
  };

  bench::TileBenchOptions options;
  options.firmware = arguments.firmware;
  options.spmv_firmware = arguments.spmv_firmware;
  options.matrices = arguments.matrices;
  options.seed = arguments.seed;
  bench::TileBench bench(options);
  std::printf("%-12s %10s %9s  %-16s %s\n", "row", "figure", "target", "unit", "what");
  for (const std::string& row : rows) {
    if (!wants(row)) continue;
    try {
      for (const bench::TileFigure& f : bench.measure(row)) {
        nlohmann::json raw = nlohmann::json::object();
        for (const auto& [key, value] : f.raw) raw[key] = value;
        add(f.row, f.value, std::move(raw));
      }
    } catch (const DeviceFault& fault) {
      std::printf("%-12s FAILED: %s\n", row.c_str(), fault.what());
      context.result()["faults"].push_back({{"row", row}, {"what", fault.what()}});
      passed = false;
    }
  }
  if (!testfloat.is_null()) {
    const double wrong = testfloat["wrong"].get<double>();
    add("T15", wrong, std::move(testfloat));
  }
  if (!coverage.is_null()) {
    const double percent = coverage["percent"].get<double>();
    add("T17", percent, std::move(coverage));
  }
  if (wants("ops")) {
    for (const std::string& fault : bench.operations()) {
      std::printf("operation FAILED: %s\n", fault.c_str());
      context.result()["faults"].push_back({{"row", "ops"}, {"what", fault}});
      passed = false;
    }
  }

  // The table of kernels and operations, and their baselines.
  bench::Baselines baselines = bench::load_baselines(arguments.baselines);
  nlohmann::json& table = context.result()["timings"] = nlohmann::json::array();
  std::printf("\n%-44s %9s %9s %9s %6s  %s\n", "kernel or operation", "elements", "cycles", "bound",
              "ratio", "bound by");
  int slower = 0;
  for (const bench::TileTiming& t : bench.timings()) {
    const auto baseline = baselines.find(t.name);
    const bool slow = baseline != baselines.end() && t.cycles > baseline->second;
    std::printf("%-44s %9llu %9llu %9.1f %5.1f%%  %s%s\n", t.name.c_str(),
                static_cast<unsigned long long>(t.elements),
                static_cast<unsigned long long>(t.cycles), t.bound, 100 * t.ratio(),
                t.limit.c_str(),
                slow ? fmt::format("  SLOWER than its baseline {}", baseline->second).c_str() : "");
    table.push_back({{"name", t.name},
                     {"elements", t.elements},
                     {"cycles", t.cycles},
                     {"bound", t.bound},
                     {"bound_by", t.limit},
                     {"ratio", t.ratio()}});
    if (arguments.update_baselines) {
      baselines[t.name] = t.cycles;
    } else if (slow) {
      ++slower;
    }
  }
  context.result()["slower_than_baseline"] = slower;
  if (arguments.update_baselines) {
    write_file(arguments.baselines, bench::baselines_text(baselines));
  } else if (slower != 0) {
    std::printf("%d slower than %s\n", slower, arguments.baselines.c_str());
    passed = false;
  }
  nlohmann::json& missing = context.result()["not_measured"] = nlohmann::json::array();
  for (const auto& [name, target] : targets) {
    if (measured.count(name) != 0 || !wants(name.substr(0, name.find('.')))) continue;
    std::printf("%-12s not measured: %s\n", name.c_str(), target.what.c_str());
    missing.push_back(name);
    if (!only.empty()) passed = false;
  }
  return passed ? 0 : 1;
}

}  // namespace ow::cli
