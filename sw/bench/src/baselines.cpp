// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/baselines.h"

#include <fmt/format.h>

#include <filesystem>

#include "ow/base/file.h"
#include "ow/base/yaml.h"

namespace ow::bench {

namespace {

std::map<std::string, Baselines> load_all(const std::string& path) {
  std::map<std::string, Baselines> all;
  for (const auto& [area, part] : Yaml::read(path).map().items()) {
    for (const auto& [name, cycles] : part.map().items()) {
      all[area][name] = static_cast<uint64_t>(cycles.integer(0, INT64_MAX));
    }
  }
  return all;
}

}  // namespace

Baselines load_baselines(const std::string& path, const std::string& area) {
  return load_all(path)[area];
}

void write_baselines(const std::string& path, const std::string& area, const Baselines& baselines) {
  std::map<std::string, Baselines> all;
  if (std::filesystem::exists(path)) all = load_all(path);
  all[area] = baselines;
  std::string text =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Cycles that must stay as they are: `ow bench AREA` fails if one is more than 1 % off "
      "either "
      "way.\n"
      "# `ow bench AREA --update-baselines` writes the part of that area.\n";
  for (const auto& [part, cycles_of] : all) {
    if (cycles_of.empty()) continue;
    text += part + ":\n";
    for (const auto& [name, cycles] : cycles_of)
      text += fmt::format("  \"{}\": {}\n", name, cycles);
  }
  write_file(path, text);
}

std::string baseline_note(const Baselines& baselines, const std::string& name, uint64_t cycles) {
  const auto found = baselines.find(name);
  if (found == baselines.end()) return "WITHOUT a baseline";
  const uint64_t was = found->second;
  // In whole numbers: 1 % of a short call is less than a cycle, which then must not change at all.
  if (100 * cycles > 101 * was) return fmt::format("SLOWER than its baseline {}", was);
  if (100 * cycles < 99 * was) return fmt::format("FASTER than its baseline {}", was);
  return "";
}

std::vector<std::pair<std::string, std::string>> compare_baselines(const Baselines& baselines,
                                                                   const Baselines& measured,
                                                                   bool all) {
  std::vector<std::pair<std::string, std::string>> faults;
  for (const auto& [name, cycles] : measured) {
    const std::string note = baseline_note(baselines, name, cycles);
    if (!note.empty()) {
      faults.emplace_back(name, fmt::format("'{}' at {} is {}", name, cycles, note));
    }
  }
  for (const auto& [name, cycles] : baselines) {
    if (all && measured.count(name) == 0) {
      faults.emplace_back(name, fmt::format("nothing has measured '{}'", name));
    }
  }
  return faults;
}

}  // namespace ow::bench
