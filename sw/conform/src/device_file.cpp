// SPDX-License-Identifier: Apache-2.0
#include "ow/conform/device_file.h"

#include <algorithm>
#include <regex>

#include "ow/base/file.h"
#include "ow/base/yaml.h"
#include "ow/isa/isa.h"

namespace ow::conform {
namespace {

// Words of claims: ways in, then what an implementation may leave out (docs/isa.md, I23). Those of
// a host and of a link are the last.
const std::vector<std::string> kFeatures = {
    "call",       "tile",       "fabric",     "f16",      "bf16",       "f32",       "i8",
    "i16",        "i32",        "mixed",      "compare",  "reductions", "nonlinear", "gather",
    "stochastic", "tags",       "dimensions", "control",  "credits",    "registers", "fifos",
    "filters",    "switches",   "rows",       "counters", "optimizer",  "passes",    "layers",
    "link",       "small_link", "small"};
// Of a host that trains, and of a link; the others are those of a tile.
const std::vector<std::string> kHostFeatures = {"optimizer", "passes", "layers"};
const std::vector<std::string> kLinkFeatures = {"link", "small_link"};

struct Profile {
  const char* name;
  std::vector<std::string> features;
  int colours, queues, sram;
};

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = {
      {"full",
       {kFeatures.begin(), std::find(kFeatures.begin(), kFeatures.end(), kHostFeatures.front())},
       24,
       8,
       49152},
      {"mini",
       {"call", "tile", "fabric", "f16", "mixed", "rows", "control", "credits", "registers",
        "small"},
       4,
       4,
       8192},
      {"arithmetic",
       {"call", "f16", "bf16", "f32", "i8", "i16", "i32", "mixed", "compare", "reductions",
        "nonlinear", "stochastic"},
       0,
       0,
       0},
      {"fabric", {"fabric", "switches", "filters", "credits", "registers"}, 24, 8, 49152},
      {"training", kHostFeatures, 0, 0, 0},
      {"link", kLinkFeatures, 0, 0, 0}};
  return all;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const Profile& profile : profiles()) names.emplace_back(profile.name);
  return names;
}

constexpr size_t kMostOperations = 64;

// Of the instruction set, by their names.
std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (size_t op = 0; op < kMostOperations; ++op) {
    if (const char* name = isa::name_of(static_cast<isa::TensorOp>(op))) names.emplace_back(name);
  }
  return names;
}

Waiver read_waiver(const Yaml& value) {
  static const std::regex kDay("[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])");
  YamlMap keys(value);
  Waiver waiver{keys["rule"].text(), keys["reason"].text(), keys["expires"].text()};
  if (!std::regex_match(waiver.expires, kDay)) keys["expires"].fail("must be a day, YYYY-MM-DD");
  keys.close();
  return waiver;
}

void read_size(YamlMap* keys, const char* key, int low, int high, int* value) {
  if (const auto given = keys->find(key)) *value = static_cast<int>(given->integer(low, high));
}

DeviceFile read(const Yaml& file, const std::string& text) {
  DeviceFile device;
  device.text = text;
  YamlMap keys(file);
  device.name = keys["name"].text();
  for (const Yaml& value : keys["profiles"].list(1, profiles().size(), "profiles")) {
    const std::string name = value.one_of(profile_names());
    device.profiles.push_back(name);
    for (const Profile& profile : profiles()) {
      if (name != profile.name) continue;
      device.features.insert(profile.features.begin(), profile.features.end());
      device.colours = std::max(device.colours, profile.colours);
      device.queues = std::max(device.queues, profile.queues);
      device.sram = std::max(device.sram, profile.sram);
    }
  }
  if (const auto grid = keys.find("grid")) {
    const std::vector<int> size = grid->integers(2, 2, 1, 4096);
    device.rows = size[0];
    device.columns = size[1];
  }
  if (const auto least = keys.find("least_grid")) {
    const std::vector<int> size = least->integers(2, 2, 1, 4096);
    device.least_rows = size[0];
    device.least_columns = size[1];
  }
  read_size(&keys, "colours", 0, 24, &device.colours);
  read_size(&keys, "queues", 0, 8, &device.queues);
  read_size(&keys, "sram", 0, 2097152, &device.sram);
  if (const auto without = keys.find("without")) {
    for (const Yaml& value : without->list(1, kFeatures.size(), "features")) {
      device.features.erase(value.one_of(kFeatures));
    }
  }
  if (const auto operations = keys.find("operations")) {
    for (const Yaml& value : operations->list(1, kMostOperations, "operations")) {
      device.operations.insert(value.one_of(operation_names()));
    }
  }
  if (const auto waivers = keys.find("waivers")) {
    for (const Yaml& value : waivers->list(1, 1000, "waivers")) {
      device.waivers.push_back(read_waiver(value));
    }
  }
  keys.close();
  return device;
}

}  // namespace

std::string DeviceFile::lacks(const Needs& needs) const {
  for (const std::string& feature : needs.features) {
    if (features.count(feature) == 0) return feature;
  }
  if (!needs.operation.empty() && !operations.empty() && operations.count(needs.operation) == 0) {
    return "the operation " + needs.operation;
  }
  if (needs.rows > rows || needs.columns > columns ||
      (needs.far && (needs.rows < least_rows || needs.columns < least_columns))) {
    return "a grid of " + std::to_string(needs.rows) + "x" + std::to_string(needs.columns);
  }
  if (needs.colours > colours) return std::to_string(needs.colours) + " colours";
  if (needs.queues > queues) return std::to_string(needs.queues) + " queues";
  if (needs.sram > sram) return std::to_string(needs.sram) + " bytes of SRAM";
  return "";
}

DeviceFile parse_device_file(const std::string& text, const std::string& name) {
  return read(Yaml::parse(text, name), text);
}

DeviceFile read_device_file(const std::string& path) {
  return parse_device_file(read_text(path, 1 << 20), path);
}

}  // namespace ow::conform
