// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/targets.h"

#include <algorithm>

#include "ow/base/yaml.h"

namespace ow::bench {
namespace {
constexpr double kLargest = 1e18;
}  // namespace

bool Target::met(double value) const {
  if (better == "higher") return value >= target;
  if (better == "lower") return value <= target;
  return value == target;
}

const char* Target::sign() const {
  return better == "higher" ? ">=" : better == "lower" ? "<=" : "=";
}

Targets load_targets(const std::string& path, const std::string& bench) {
  YamlMap benches(Yaml::read(path));
  Targets targets;
  for (const auto& [name, row] : benches[bench].map().items()) {
    YamlMap keys(row);
    Target t;
    t.what = keys["what"].text();
    t.unit = keys["unit"].text();
    t.better = keys["better"].one_of({"higher", "lower", "equal"});
    t.target = keys["target"].real(-kLargest, kLargest);
    keys.close();
    t.position = static_cast<int>(targets.size());
    targets[name] = t;
  }
  return targets;
}

std::vector<std::string> target_benches(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& [name, rows] : Yaml::read(path).map().items()) names.push_back(name);
  return names;
}

std::map<std::string, KnownMiss> load_known_misses(const std::string& path) {
  std::map<std::string, KnownMiss> misses;
  for (const auto& [name, row] : Yaml::read(path).map().items()) {
    YamlMap keys(row);
    KnownMiss miss;
    const Yaml value = keys["value"];
    if (value.text() != "none") miss.value = value.real(-kLargest, kLargest);
    miss.reason = keys["reason"].text();
    miss.date = keys["date"].text();
    if (miss.date.size() != 10 || miss.date[4] != '-' || miss.date[7] != '-') {
      keys["date"].fail("must be as 2026-01-31");
    }
    keys.close();
    misses[name] = miss;
  }
  return misses;
}

std::map<std::string, ReportSource> load_report_sources(const std::string& path) {
  constexpr size_t kMost = 100;
  std::map<std::string, ReportSource> sources;
  for (const auto& [name, row] : Yaml::read(path).map().items()) {
    YamlMap keys(row);
    ReportSource source;
    source.file = keys["file"].text();
    source.value = keys["value"].text();
    source.command = keys["command"].text();
    if (keys.has("needs")) source.needs = keys["needs"].text();
    if (keys.has("alone")) source.alone = keys["alone"].flag();
    for (const Yaml& input : keys["inputs"].list(1, kMost, "paths")) {
      source.inputs.push_back(input.text());
    }
    for (const auto& [count, least] : keys["at_least"].map().items()) {
      source.at_least[count] = least.real(0, kLargest, true);
    }
    keys.close();
    sources[name] = source;
  }
  return sources;
}

std::string row_of(const std::string& name) { return name.substr(0, name.find('.')); }

std::vector<std::string> row_names(const Targets& targets) {
  std::vector<std::string> names;
  for (const auto& [name, target] : targets) names.push_back(name);
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return targets.at(a).position < targets.at(b).position;
  });
  return names;
}

}  // namespace ow::bench
