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

Targets load_targets(const std::string& path, const std::string& area) {
  YamlMap areas(Yaml::read(path));
  Targets targets;
  for (const auto& [name, row] : areas[area].map().items()) {
    YamlMap keys(row);
    Target t;
    t.what = keys["what"].text();
    t.unit = keys["unit"].text();
    t.better = keys["better"].one_of({"higher", "lower", "equal"});
    t.target = keys["target"].real(-kLargest, kLargest);
    keys.close();
    t.position = static_cast<int>(targets.size());
    targets[area + "." + name] = t;
  }
  return targets;
}

std::vector<std::string> target_areas(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& [name, rows] : Yaml::read(path).map().items()) names.push_back(name);
  return names;
}

std::map<std::string, KnownMiss> load_known_misses(const std::string& path) {
  std::map<std::string, KnownMiss> misses;
  for (const auto& [name, row] : Yaml::read(path).map().items()) {
    YamlMap keys(row);
    misses[name] = {keys["value"].real(-kLargest, kLargest), keys["reason"].text()};
    keys.close();
  }
  return misses;
}

std::vector<std::string> row_names(const Targets& targets) {
  std::vector<std::string> names;
  for (const auto& [name, target] : targets) names.push_back(name);
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return targets.at(a).position < targets.at(b).position;
  });
  return names;
}

}  // namespace ow::bench
