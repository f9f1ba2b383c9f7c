// SPDX-License-Identifier: Apache-2.0
#include "ow/bench/baselines.h"

#include <fmt/format.h>

#include "ow/base/file.h"
#include "ow/base/yaml.h"

namespace ow::bench {

Baselines load_baselines(const std::string& path) {
  Baselines out;
  for (const auto& [name, cycles] : Yaml::read(path).map().items()) {
    out[name] = static_cast<uint64_t>(cycles.integer(0, INT64_MAX));
  }
  return out;
}

void write_baselines(const std::string& path, const Baselines& baselines) {
  std::string text =
      "# SPDX-License-Identifier: Apache-2.0\n"
      "# Cycles of whole calls and instructions on one tile of `full`. `ow bench tile` fails if "
      "one "
      "is\n"
      "# more than 1 % off either way; `ow bench tile --update-baselines` writes this file.\n";
  for (const auto& [name, cycles] : baselines) text += fmt::format("\"{}\": {}\n", name, cycles);
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

std::vector<std::string> compare_baselines(const Baselines& baselines, const Baselines& measured,
                                           bool all) {
  std::vector<std::string> faults;
  for (const auto& [name, cycles] : measured) {
    const std::string note = baseline_note(baselines, name, cycles);
    if (!note.empty()) faults.push_back(fmt::format("'{}' at {} is {}", name, cycles, note));
  }
  for (const auto& [name, cycles] : baselines) {
    if (all && measured.count(name) == 0) {
      faults.push_back(fmt::format("nothing has measured '{}'", name));
    }
  }
  return faults;
}

}  // namespace ow::bench
