// SPDX-License-Identifier: Apache-2.0
// Reads and writes the file of faults (docs/wafer.md has the keys). It is written as JSON, which is
// a part of YAML.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ow/base/error.h"
#include "ow/base/yaml.h"
#include "ow/device/wafer_faults.h"
#include "ow/wafer/files.h"

namespace ow::wafer {
namespace {

// The numbers of a fault have no upper limit here: check() knows the wafer's limits.
constexpr int kAnyNumber = 1 << 30;

// Words of the file, in the order of the numbers.
const std::vector<std::string> kSides = {"north", "east", "south", "west"};
const std::vector<std::string> kCouplings = {"none", "state", "set", "invert", "hold"};
const std::vector<std::string> kStations = {"silent", "one", "babble"};

int number(YamlMap& map, const char* key) {
  return static_cast<int>(map[key].integer(0, kAnyNumber));
}

Position position(YamlMap& map, const char* key) {
  const std::vector<int> at = map[key].integers(2, 2, 0, kAnyNumber);
  return {at[0], at[1]};
}

bool bit_value(YamlMap& map, const char* key) { return map[key].integer(0, 1) != 0; }

int reticle_of(YamlMap& map, const Shape& s) {
  const Yaml value = map["reticle"];
  const std::vector<int> at = value.integers(2, 2, 0, kAnyNumber);
  if (at[0] >= s.reticle_rows || at[1] >= s.reticle_cols) {
    value.fail(fmt::format("is outside the wafer, which has {} x {} reticles", s.reticle_rows,
                           s.reticle_cols));
  }
  return at[0] * s.reticle_cols + at[1];
}

bool inward(YamlMap& map) {
  const std::optional<Yaml> value = map.find("direction");
  return value && value->one_of({"out", "in"}) == "in";
}

// The index of a word in a list of words.
size_t choice(const Yaml& value, const std::vector<std::string>& words) {
  const std::string word = value.one_of(words);
  return static_cast<size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

void read_memory_fault(YamlMap& map, TileFault* f) {
  f->kind = TileFault::Kind::Memory;
  f->bank = number(map, "bank");
  f->row = number(map, "row");
  f->bit = number(map, "bit");
  if (const std::optional<Yaml> coupling = map.find("coupling")) {
    f->coupling = static_cast<TileFault::Coupling>(choice(*coupling, kCouplings));
  }
  if (f->coupling != TileFault::Coupling::None) {
    const std::vector<int> other = map["aggressor"].integers(2, 2, 0, kAnyNumber);
    f->other_row = other[0];
    f->other_bit = other[1];
    f->when = bit_value(map, "when");
  }
  if (f->coupling != TileFault::Coupling::Invert) f->value = bit_value(map, "stuck");
}

TileFault read_tile_fault(const Yaml& item, const Shape& shape) {
  YamlMap map(item);
  TileFault f;
  f.where = item.where();
  f.reticle = reticle_of(map, shape);
  f.at = position(map, "tile");
  switch (choice(map["fault"], {"silent", "babble", "memory", "register"})) {
    case 0:
      f.kind = TileFault::Kind::Silent;
      break;
    case 1:
      f.kind = TileFault::Kind::Babble;
      break;
    case 2:
      read_memory_fault(map, &f);
      break;
    default:
      f.kind = TileFault::Kind::Register;
      f.name = map["register"].text();
      f.bit = number(map, "bit");
      f.value = bit_value(map, "stuck");
  }
  map.close();  // a key that this kind of fault does not use is a mistake
  return f;
}

WireFault read_wire_fault(const Yaml& item, const Shape& shape) {
  YamlMap map(item);
  WireFault f;
  f.reticle = reticle_of(map, shape);
  f.from = position(map, "from");
  f.to = position(map, "to");
  f.bit = number(map, "bit");
  f.value = bit_value(map, "stuck");
  map.close();
  return f;
}

EdgeFault read_edge_fault(const Yaml& item, const Shape& shape) {
  YamlMap map(item);
  EdgeFault f;
  f.reticle = reticle_of(map, shape);
  f.wire.side = static_cast<int>(choice(map["edge"], kSides));
  f.wire.tile = position(map, "tile");
  f.wire.slot = number(map, "slot");
  f.inward = inward(map);
  f.bit = number(map, "bit");
  f.value = bit_value(map, "stuck");
  map.close();
  return f;
}

LaneFault read_lane_fault(const Yaml& item, const Shape& shape) {
  YamlMap map(item);
  LaneFault f;
  f.reticle = reticle_of(map, shape);
  f.south = choice(map["edge"], {"east", "south"}) == 1;
  f.slot = number(map, "slot");
  f.inward = inward(map);
  f.lane = number(map, "lane");
  f.value = bit_value(map, "stuck");
  map.close();
  return f;
}

StationFault read_station_fault(const Yaml& item, const Shape& shape) {
  YamlMap map(item);
  StationFault f;
  f.reticle = reticle_of(map, shape);
  f.at = position(map, "station");
  const std::optional<Yaml> kind = map.find("fault");
  f.kind = static_cast<StationFault::Kind>(kind ? choice(*kind, kStations) : 0);
  map.close();
  return f;
}

}  // namespace

Faults read_faults(const std::string& path, const Shape& shape) {
  const Yaml root = Yaml::read(path);
  Faults out;
  if (root.is_null()) return out;
  YamlMap file(root);
  constexpr size_t kMost = 100000;
  // Each is checked separately, so an error names its line.
  const auto each = [&](const char* name, auto read, auto list) {
    const std::optional<Yaml> items = file.find(name);
    if (!items) return;
    for (const Yaml& item : items->list(0, kMost, "faults")) {
      Faults one;
      (one.*list).push_back(read(item, shape));
      try {
        one.check(shape);
      } catch (const BadInput& e) {
        throw BadInput(fmt::format("{}: {}", item.where(), e.what()));
      }
      (out.*list).push_back(std::move((one.*list).front()));
    }
  };
  each("tiles", read_tile_fault, &Faults::tiles);
  each("wires", read_wire_fault, &Faults::wires);
  each("edges", read_edge_fault, &Faults::edges);
  each("lanes", read_lane_fault, &Faults::lanes);
  each("stations", read_station_fault, &Faults::stations);
  file.close();
  return out;
}

namespace {

nlohmann::json place(const Position& at) { return {at.row, at.col}; }

nlohmann::json to_json(const TileFault& f) {
  nlohmann::json out = {{"tile", place(f.at)}};
  switch (f.kind) {
    case TileFault::Kind::Silent:
      out["fault"] = "silent";
      break;
    case TileFault::Kind::Babble:
      out["fault"] = "babble";
      break;
    case TileFault::Kind::Memory:
      out["fault"] = "memory";
      out["bank"] = f.bank;
      out["row"] = f.row;
      out["bit"] = f.bit;
      if (f.coupling != TileFault::Coupling::None) {
        out["coupling"] = kCouplings[static_cast<size_t>(f.coupling)];
        out["aggressor"] = {f.other_row, f.other_bit};
        out["when"] = f.when ? 1 : 0;
      }
      if (f.coupling != TileFault::Coupling::Invert) out["stuck"] = f.value ? 1 : 0;
      break;
    case TileFault::Kind::Register:
      out["fault"] = "register";
      out["register"] = f.name;
      out["bit"] = f.bit;
      out["stuck"] = f.value ? 1 : 0;
      break;
  }
  return out;
}

nlohmann::json to_json(const WireFault& f) {
  return {{"from", place(f.from)}, {"to", place(f.to)}, {"bit", f.bit}, {"stuck", f.value ? 1 : 0}};
}

nlohmann::json to_json(const EdgeFault& f) {
  return {{"edge", kSides[static_cast<size_t>(f.wire.side)]},
          {"tile", place(f.wire.tile)},
          {"slot", f.wire.slot},
          {"direction", f.inward ? "in" : "out"},
          {"bit", f.bit},
          {"stuck", f.value ? 1 : 0}};
}

nlohmann::json to_json(const LaneFault& f) {
  return {{"edge", f.south ? "south" : "east"},
          {"slot", f.slot},
          {"direction", f.inward ? "in" : "out"},
          {"lane", f.lane},
          {"stuck", f.value ? 1 : 0}};
}

nlohmann::json to_json(const StationFault& f) {
  return {{"station", place(f.at)}, {"fault", kStations[static_cast<size_t>(f.kind)]}};
}

}  // namespace

nlohmann::json to_json(const Shape& shape, const Faults& faults) {
  nlohmann::json out = nlohmann::json::object();
  const auto all = [&](const char* name, const auto& list) {
    for (const auto& fault : list) {
      nlohmann::json item = to_json(fault);
      item["reticle"] = {fault.reticle / shape.reticle_cols, fault.reticle % shape.reticle_cols};
      out[name].push_back(std::move(item));
    }
  };
  all("tiles", faults.tiles);
  all("wires", faults.wires);
  all("edges", faults.edges);
  all("lanes", faults.lanes);
  all("stations", faults.stations);
  return out;
}

}  // namespace ow::wafer
