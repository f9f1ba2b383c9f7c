// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ow/base/error.h"
#include "ow/bench/report.h"

namespace ow::bench {
namespace {

// The command that measures one row again.
std::string command_of(const std::string& bench, const std::string& name, const Options& o) {
  std::string command = fmt::format("ow bench {} --only {}", bench, row_of(name));
  if (o.seed != 1) command += fmt::format(" --seed {}", o.seed);
  return command + o.arguments;
}

// What a figure depends on; that it is judged anew each time is why the last three do not count.
const std::vector<std::string> kInputs = {"rtl",
                                          "sw",
                                          "tb",
                                          "cmake",
                                          "CMakeLists.txt",
                                          "data",
                                          "configs",
                                          ":!configs/targets.yaml",
                                          ":!configs/known-misses.yaml",
                                          ":!configs/reports.yaml"};

bool worse(const Target& target, double value, double known) {
  if (target.better == "higher") return value < known;
  if (target.better == "lower") return value > known;
  return std::abs(value - target.target) > std::abs(known - target.target);
}

}  // namespace

void check_only(const std::string& bench, const Targets& targets,
                const std::vector<std::string>& only, const std::set<std::string>& others) {
  std::set<std::string> known = others;
  for (const auto& [name, target] : targets) known.insert(row_of(name));
  for (const std::string& name : only) {
    if (known.count(name) == 0) {
      throw BadInput(fmt::format("--only {}: bench {} has no such row (it has {})", name, bench,
                                 fmt::join(known, ", ")));
    }
  }
}

Rows::Rows(std::string bench, const Options& options, const std::set<std::string>& others)
    : bench_(std::move(bench)),
      options_(options),
      targets_(load_targets(options.targets, bench_)),
      misses_(load_known_misses(options.misses)),
      sources_(load_report_sources(options.sources)),
      only_(options.only.begin(), options.only.end()) {
  if (!options.baselines.empty()) baselines_ = load_baselines(options.baselines, bench_);
  check_only(bench_, targets_, options.only, others);
  const std::string command = "ow bench " + bench_ + options_.arguments;
  result_ = {{"bench", bench_},
             {"provenance", provenance(options_.source, command, options_.seed, kInputs)},
             {"results", nlohmann::json::array()},
             {"faults", nlohmann::json::array()},
             {"not_measured", nlohmann::json::array()},
             {"seconds_before", 0.0}};
  if (others.empty()) keeper_.emplace(options_.reports, bench_, result_["provenance"]);
  if (options_.resume) take_kept();
  std::printf("%-13s %12s %10s  %-16s %s\n", "row", "figure", "target", "unit", "what");
}

// Rows of which an earlier run has every figure that is not of a report.
void Rows::take_kept() {
  if (!keeper_) return;
  std::map<std::string, std::set<std::string>> names;
  for (const auto& [name, target] : targets_) {
    if (asked(row_of(name)) && sources_.count(name) == 0) names[row_of(name)].insert(name);
  }
  for (const auto& [row, figures] : names) {
    std::optional<KeptRow> kept = keeper_->read(row, figures);
    if (!kept) continue;
    result_["seconds_before"] = result_["seconds_before"].get<double>() + kept->seconds;
    kept_.emplace(row, std::move(*kept));
  }
}

Progress Rows::progress(const std::string& label) const {
  return options_.progress ? options_.progress(label) : [](double) {};
}

void Rows::add(const std::string& name, double value, nlohmann::json raw) {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> took = now - begin_;
  begin_ = now;
  if (keeper_) keeper_->add(row_of(name), {name, value, raw}, took.count());
  nlohmann::json from = result_["provenance"];
  from["command"] = command_of(bench_, name, options_);
  judge(name, value, std::move(raw), from);
}

void Rows::add_and_keep(const std::string& name, double value, const std::string& key,
                        nlohmann::json raw) {
  const auto source = sources_.find(name);
  if (source == sources_.end()) throw InternalError("bench: row '" + name + "' has no report");
  nlohmann::json report = raw;
  report[nlohmann::json::json_pointer("/" + key)] = value;
  const nlohmann::json from =
      provenance(options_.source, source->second.command, options_.seed, source->second.inputs);
  write_report(options_.reports, source->second, std::move(report), from);
  judge(name, value, std::move(raw), from);
}

void Rows::judge(const std::string& name, double value, nlohmann::json raw,
                 const nlohmann::json& from) {
  const auto found = targets_.find(name);
  if (found == targets_.end()) throw InternalError("bench: row '" + name + "' has no target");
  const Target& t = found->second;
  const bool pass = t.met(value);
  const auto miss = misses_.find(name);
  std::string note;
  bool accepted = pass;
  // What only a machine with something that is not in the repository can measure may stay named.
  const auto source = sources_.find(name);
  const bool elsewhere = source != sources_.end() && !source->second.needs.empty();
  if (pass && miss != misses_.end() && (miss->second.value || !elsewhere)) {
    note =
        fmt::format("FAILED: the target is met, but {} still names it as missed", options_.misses);
    accepted = false;
  } else if (!pass && miss != misses_.end() && miss->second.value) {
    accepted = !worse(t, value, *miss->second.value);
    note = accepted
               ? fmt::format("known miss since {}: {}", miss->second.date, miss->second.reason)
               : fmt::format("FAILED: a known miss that got worse, from {:g}", *miss->second.value);
  } else if (!pass) {
    note = "FAILED";
  }
  nlohmann::json row = {{"name", name},           {"value", value},
                        {"unit", t.unit},         {"target", t.target},
                        {"better", t.better},     {"pass", pass},
                        {"raw", std::move(raw)},  {"command", from.at("command")},
                        {"seed", from.at("seed")}};
  if (from.contains("commit")) row["commit"] = from["commit"];
  if (!note.empty()) row["note"] = note;
  result_["results"].push_back(std::move(row));
  std::printf("%-13s %12.6g %2s %7g  %-16s %s\n", name.c_str(), value, t.sign(), t.target,
              t.unit.c_str(), t.what.c_str());
  if (!note.empty()) std::printf("%-13s   %s\n", "", note.c_str());
  std::fflush(stdout);
  passed_ = passed_ && accepted;
  measured_.insert(name);
}

std::string Rows::cycles(const std::string& row, const std::string& name, uint64_t cycles) {
  if (options_.baselines.empty()) return "";
  cycles_[name] = cycles;
  row_at_[name] = row;
  return baseline_note(baselines_, name, cycles);
}

// Against the baselines; or they become these.
void Rows::judge_cycles() {
  if (options_.baselines.empty()) return;
  // Everything was measured by this run: what nothing gave is not there any more.
  const bool all = only_.empty() && kept_.empty() && result_["faults"].empty();
  if (options_.update_baselines) {
    if (all) baselines_.clear();
    for (const auto& [name, cycles] : cycles_) baselines_[name] = cycles;
    write_baselines(options_.baselines, bench_, baselines_);
    return;
  }
  for (const auto& [name, what] : compare_baselines(baselines_, cycles_, all)) {
    const auto row = row_at_.find(name);
    fault(row == row_at_.end() ? "baselines" : row->second,
          fmt::format("{} ({})", what, options_.baselines));
  }
}

void Rows::fault(const std::string& row, const std::string& what) {
  std::printf("%-13s FAILED: %s\n", row.c_str(), what.c_str());
  result_["faults"].push_back({{"row", row}, {"what", what}});
  if (keeper_) keeper_->drop(row_of(row));
  passed_ = false;
}

void Rows::without_figure(const std::string& name, const std::string& why) {
  const auto miss = misses_.find(name);
  const bool accepted = miss != misses_.end() && !miss->second.value;
  const std::string note =
      accepted ? fmt::format("known since {}: {}", miss->second.date, miss->second.reason)
               : "FAILED: " + why;
  std::printf("%-13s not measured: %s\n%-13s   %s\n", name.c_str(), targets_.at(name).what.c_str(),
              "", note.c_str());
  result_["not_measured"].push_back({{"name", name}, {"why", why}, {"known", accepted}});
  passed_ = passed_ && accepted;
}

int Rows::finish() {
  judge_cycles();
  for (const std::string& name : row_names(targets_)) {
    const std::string row = row_of(name);
    if (!asked(row) || measured_.count(name) != 0 || name == options_.last) continue;
    const auto kept = kept_.find(row);
    const auto source = sources_.find(name);
    if (kept != kept_.end() && source == sources_.end()) {
      nlohmann::json from = kept->second.provenance;
      from["command"] = command_of(bench_, name, options_);
      const KeptFigure& figure = kept->second.figures.at(name);
      judge(name, figure.value, figure.raw, from);
      continue;
    }
    if (source == sources_.end()) {
      without_figure(name, "nothing measured it");
      continue;
    }
    const std::string failed = options_.queue ? options_.queue->finish(source->second) : "";
    Report report = read_report(options_.source, options_.reports, source->second);
    if (!failed.empty()) report.refused = failed;
    if (!report.refused.empty()) {
      without_figure(name, report.refused);
      continue;
    }
    const nlohmann::json from = report.contents["provenance"];
    judge(name, report.value, std::move(report.contents), from);
  }
  return passed_ ? 0 : 1;
}

}  // namespace ow::bench
