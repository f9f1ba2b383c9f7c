// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include <cstdio>

#include <fmt/format.h>

#include "ow/error.h"
#include "ow/text_file.h"

namespace ow::cli {

BenchRows::BenchRows(const std::string& bench, const BenchOptions& options, Context& context,
                     const std::set<std::string>& others)
    : context_(context),
      targets_(jobs::load_targets(options.targets, bench)),
      only_(options.only.begin(), options.only.end()) {
  std::set<std::string> known = others;
  for (const auto& [name, target] : targets_) {
    known.insert(name);
    known.insert(name.substr(0, name.find('.')));
  }
  for (const std::string& name : only_) {
    if (known.count(name) == 0) {
      throw BadInput(fmt::format("--only {}: {} has no such row", name, options.targets));
    }
  }
  context_.result()["bench"] = bench;
  context_.result()["results"] = nlohmann::json::array();
  std::printf("%-10s %14s %10s  %-16s %s\n", "row", "figure", "target", "unit", "what");
}

void BenchRows::add(const std::string& name, double value, nlohmann::json raw) {
  const auto found = targets_.find(name);
  if (found == targets_.end()) throw InternalError("bench: row '" + name + "' has no target");
  const jobs::Target& t = found->second;
  const bool pass =
      add_result(context_.result(), name, value, t.unit, t.target, t.better, std::move(raw));
  const char* sign = t.better == "higher" ? ">=" : t.better == "lower" ? "<=" : "=";
  std::printf("%-10s %14.6g %2s %7g  %-16s %s%s\n", name.c_str(), value, sign, t.target,
              t.unit.c_str(), t.what.c_str(), pass ? "" : "  FAILED");
  std::fflush(stdout);
  passed_ = passed_ && pass;
  measured_.insert(name);
}

void BenchRows::fault(const std::string& name, const std::string& what) {
  std::printf("%-10s FAILED: %s\n", name.c_str(), what.c_str());
  context_.result()["faults"].push_back({{"row", name}, {"what", what}});
  passed_ = false;
}

int BenchRows::finish() {
  nlohmann::json& missing = context_.result()["not_measured"] = nlohmann::json::array();
  for (const auto& [name, target] : targets_) {
    if (!wants(name.substr(0, name.find('.'))) || measured_.count(name) != 0) continue;
    std::printf("%-10s not measured: %s\n", name.c_str(), target.what.c_str());
    missing.push_back(name);
    if (!only_.empty()) passed_ = false;
  }
  return passed_ ? 0 : 1;
}

nlohmann::json read_report(const std::string& option, const std::string& path,
                           const std::string& key) {
  nlohmann::json report = nlohmann::json::parse(read_text(path), nullptr, false);
  if (report.is_discarded() || !report.is_object() || !report.contains(key) ||
      !report[key].is_number()) {
    throw BadInput(fmt::format("{} {}: no report with a number '{}'", option, path, key));
  }
  return report;
}

}  // namespace ow::cli
