// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "ow/base/error.h"

namespace ow::bench {
namespace {

bool worse(const Target& target, double value, double known) {
  if (target.better == "higher") return value < known;
  if (target.better == "lower") return value > known;
  return std::abs(value - target.target) > std::abs(known - target.target);
}

// A whole number as 1,234,567, any other with four digits.
std::string number(double value) {
  constexpr double kExact = 9e15;
  if (value != std::floor(value) || std::abs(value) > kExact) {
    if (std::abs(value) < 1e4) return fmt::format("{:.4g}", value);
    value = std::round(value);
  }
  std::string digits = fmt::format("{:.0f}", value);
  const size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace

std::set<std::string> chosen_rows(const std::string& area, const Targets& targets,
                                  const std::vector<std::string>& only,
                                  const std::set<std::string>& parts) {
  std::set<std::string> known = parts, chosen;
  for (const auto& [name, target] : targets) known.insert(name);
  for (const std::string& name : only) {
    const std::string full = name.rfind(area + ".", 0) == 0 ? name : area + "." + name;
    if (known.count(full) == 0) {
      throw BadInput(fmt::format("--only {}: area {} has no such row (it has {})", name, area,
                                 fmt::join(known, ", ")));
    }
    chosen.insert(full);
  }
  return chosen;
}

std::string target_text(const Target& target) {
  const char* sign = target.better == "higher" ? "≥" : target.better == "lower" ? "≤" : "=";
  return sign + number(target.target);
}

Rows::Rows(std::string area, const Options& options, const std::set<std::string>& parts)
    : area_(std::move(area)),
      options_(options),
      targets_(load_targets(options.targets, area_)),
      misses_(load_known_misses(options.misses)),
      only_(chosen_rows(area_, targets_, options.only, parts)) {
  if (!options.baselines.empty()) baselines_ = load_baselines(options.baselines, area_);
  result_ = {{"area", area_},
             {"results", nlohmann::json::array()},
             {"faults", nlohmann::json::array()},
             {"not_measured", nlohmann::json::array()}};
  say(fmt::format("{:<34} {:>12} {:>10}  {:<16} {}", "row", "value", "target", "unit", "what"));
}

// With --markdown, standard output holds the table and nothing else.
void Rows::say(const std::string& line) const {
  std::FILE* out = options_.markdown ? stderr : stdout;
  std::fprintf(out, "%s\n", line.c_str());
  std::fflush(out);
}

Progress Rows::progress(const std::string& label) const {
  return options_.progress ? options_.progress(label) : [](double) {};
}

bool Rows::wants(const std::string& name) const { return only_.empty() || only_.count(name) != 0; }

bool Rows::wants_any(const std::vector<std::string>& names) const {
  return std::any_of(names.begin(), names.end(),
                     [this](const std::string& name) { return wants(name); });
}

void Rows::add(const std::string& name, double value, nlohmann::json raw,
               const std::string& command) {
  const auto found = targets_.find(name);
  if (found == targets_.end()) throw InternalError("bench: row '" + name + "' has no target");
  const Target& t = found->second;
  const bool pass = t.met(value);
  const auto miss = misses_.find(name);
  std::string note;
  bool accepted = pass;
  if (pass && miss != misses_.end()) {
    note = fmt::format("FAILED: the target is met, but {} names a miss", options_.misses);
    accepted = false;
  } else if (!pass && miss != misses_.end()) {
    accepted = !worse(t, value, miss->second.value);
    note = accepted ? "known miss: " + miss->second.reason
                    : fmt::format("FAILED: worse than the known miss, {:g}", miss->second.value);
  } else if (!pass) {
    note = "FAILED";
  }
  nlohmann::json row = {{"name", name},         {"value", value},     {"unit", t.unit},
                        {"target", t.target},   {"better", t.better}, {"pass", pass},
                        {"raw", std::move(raw)}};
  if (!note.empty()) row["note"] = note;
  if (!command.empty()) row["command"] = command;
  result_["results"].push_back(std::move(row));
  say(fmt::format("{:<34} {:>12.6g} {:>2} {:>7g}  {:<16} {}", name, value, t.sign(), t.target,
                  t.unit, t.what));
  if (!note.empty()) say("    " + note);
  passed_ = passed_ && accepted;
  measured_.insert(name);
}

void Rows::not_measured(const std::string& name, const std::string& command) {
  if (targets_.count(name) == 0) throw InternalError("bench: row '" + name + "' has no target");
  waiting_[name] = command;
}

std::string Rows::cycles(const std::string& name, uint64_t cycles) {
  if (options_.baselines.empty()) return "";
  cycles_[name] = cycles;
  return baseline_note(baselines_, name, cycles);
}

// Against the baselines; or they become these.
void Rows::judge_cycles() {
  if (options_.baselines.empty()) return;
  const bool all = only_.empty() && result_["faults"].empty();
  if (options_.update_baselines) {
    if (all) baselines_.clear();
    for (const auto& [name, cycles] : cycles_) baselines_[name] = cycles;
    write_baselines(options_.baselines, area_, baselines_);
    return;
  }
  for (const auto& [name, what] : compare_baselines(baselines_, cycles_, all)) {
    fault(name, fmt::format("{} ({})", what, options_.baselines));
  }
}

void Rows::fault(const std::string& name, const std::string& what) {
  say(fmt::format("{}: FAILED: {}", name, what));
  result_["faults"].push_back({{"name", name}, {"what", what}});
  passed_ = false;
}

int Rows::finish() {
  judge_cycles();
  for (const std::string& name : row_names(targets_)) {
    if (!wants(name) || measured_.count(name) != 0) continue;
    const auto waits = waiting_.find(name);
    const bool may = waits != waiting_.end() && only_.empty() && !measured_.empty();
    const std::string why =
        waits == waiting_.end() ? "nothing measured it" : waits->second + " measures it";
    say(fmt::format("{:<34} not measured: {}{}", name, may ? "" : "FAILED: ", why));
    result_["not_measured"].push_back({{"name", name}, {"why", why}});
    passed_ = passed_ && may;
  }
  if (options_.markdown) print_markdown();
  return passed_ ? 0 : 1;
}

void Rows::print_markdown() const {
  const auto& results = result_["results"];
  const bool commands = std::any_of(results.begin(), results.end(),
                                    [](const auto& row) { return row.contains("command"); });
  std::printf("| row | what | figure | target |%s\n|---|---|---|---|%s\n",
              commands ? " command |" : "", commands ? "---|" : "");
  for (const std::string& name : row_names(targets_)) {
    const auto row = std::find_if(results.begin(), results.end(),
                                  [&name](const auto& r) { return r["name"] == name; });
    if (row == results.end()) continue;
    const Target& t = targets_.at(name);
    std::string figure = number((*row)["value"].get<double>());
    if (!(*row)["pass"].get<bool>()) figure = "**" + figure + "**";
    const std::string command =
        commands ? fmt::format(" `{}` |", row->value("command", "ow bench " + area_)) : "";
    std::printf("%s\n", fmt::format("| `{}` | {} | {}{} | {} |{}", name, t.what, figure,
                                    t.unit == "x" ? "" : " " + t.unit, target_text(t), command)
                            .c_str());
  }
}

}  // namespace ow::bench
